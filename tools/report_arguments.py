"""The arguments of tools/report. To read them needs no matplotlib."""

import argparse
import datetime
import pathlib

UTC = datetime.timezone.utc


def instant(text):
    try:
        parsed = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no time such as 2026-11-20T14:00:00 (UTC)")
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def arguments():
    parser = argparse.ArgumentParser(prog="tools/report", description="Draws the data that Prometheus has of a cluster as PNG files.")
    parser.add_argument("--home", help=argparse.SUPPRESS)
    parser.add_argument("--prometheus", metavar="URL", default="http://localhost:9090", help="default: %(default)s")
    parser.add_argument("--minutes", type=float, default=15, help="length of the time to draw, up to --to (default: %(default)s)")
    parser.add_argument("--from", dest="begin", metavar="TIME", type=instant, help="in place of --minutes: 2026-11-20T14:00:00, in UTC")
    parser.add_argument("--to", metavar="TIME", type=instant, help="default: now")
    parser.add_argument("--cluster", help="name of the cluster, if Prometheus watches several")
    parser.add_argument("--out", metavar="DIR", type=pathlib.Path, help="directory for the pictures (default: target/report)")
    return parser.parse_args()


if __name__ == "__main__":
    arguments()
