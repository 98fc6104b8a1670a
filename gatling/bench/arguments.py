"""Arguments of tools/bench."""

import argparse
import dataclasses
import pathlib
import re

from measured import METHODS
from secure import ALL_FORMS, FORMS, OPEN

DESCRIPTION = """\
Starts a cluster of three nodes on this machine, fills it, loads it at constant rates, and prints a report in Markdown with
percentiles from the instant at which a request was due, processor time, garbage collection and memory of each node.

Properties (--quorate.storage.wal.sync=never) go to all nodes. Needs wrk2 (https://github.com/giltene/wrk2; its program is
called wrk: WRK2=/path/to/wrk), Python 3.9, and what bin/cluster needs.
"""

EXAMPLES = """\
examples:
  tools/bench                                                   the whole, to standard output
  tools/bench --topic sync --sync interval                      writes gatling/reports/<date>-sync.md
  tools/bench --variant 'first=--a.b=1' --variant 'second=--a.b=2'   clusters beside each other, loaded in turn
  tools/bench --variant old= --variant new= --jar old=/path/to/old.jar   the same with another build for one of them
  tools/bench --nodes 1 --rates max --rounds 3                  one node, as fast as it can
  tools/bench --secure                                          open, tokens, encrypted and closed clusters beside each other
  tools/bench --fill-mb 500 --methods get                       500 MB on each node, ids key-00000000 to key-00499999
  tools/bench --compare HEAD~1 HEAD                             the gate: status 1 when HEAD takes more processor time
"""


@dataclasses.dataclass(frozen=True)
class Variant:
    """A cluster of its own: name, properties, home of its bin/cluster, and perhaps another jar."""

    name: str
    home: pathlib.Path
    properties: "tuple[str, ...]" = ()
    jar: "pathlib.Path | None" = None
    form: str = OPEN


def parse(home, words):
    parser = argparse.ArgumentParser(
        "tools/bench", description=DESCRIPTION, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    load = parser.add_argument_group("load")
    load.add_argument("--methods", type=methods, default=["put", "get"], help="of put, get, mixed, separated by commas (put,get)")
    load.add_argument("--rates", type=rates, help="requests a second, rising, separated by commas; max is as fast as the"
        " connections allow (2000,5000,8000,12000,16000,20000; --compare: 4000,8000,12000)")
    load.add_argument("--seconds", type=positive, help="of each stage (20; --compare: 8)")
    load.add_argument("--rounds", type=positive, help="of each stage (1; --compare: 4)")
    load.add_argument("--warmup", type=count, default=15, help="seconds at each of two rates for each method (15)")
    load.add_argument("--connections", type=positive, default=64, help="of the generator (64)")
    load.add_argument("--clients", choices=["n0", "spread"], default="n0", help="connect to n0, or to all nodes alike (n0)")
    load.add_argument("--replicas", help="as in the API, such as 1/1, 2/3, 3/3 (a majority of all nodes)")
    load.add_argument("--keys", type=positive, default=20000, help="ids key-00000000, key-00000001 ... (20000)")
    load.add_argument("--value-bytes", type=positive, help="of each value (100; with --fill-mb 1000)")
    load.add_argument("--fill-mb", type=positive, help="megabytes of values on each node; replaces --keys")
    load.add_argument("--reads", type=share, default=0.9, help="share of GET in mixed (0.9)")
    load.add_argument("--new-connections", type=count, default=0, metavar="N", help="after that, opens as many to n0 of each cluster, one"
        " after the other, and prints the processor time of each (0)")
    nodes = parser.add_argument_group("nodes")
    nodes.add_argument("--nodes", type=positive, default=3, help="of a cluster, at most 10 (3)")
    nodes.add_argument("--sync", choices=["always", "interval", "never"], help="quorate.storage.wal.sync")
    nodes.add_argument("--node-down", choices=["freeze", "kill"], help="fault of the last node before the measurement")
    nodes.add_argument("--variant", action="append", default=[], metavar="NAME=PROPERTIES", help="a cluster; several are compared")
    nodes.add_argument("--jar", action="append", default=[], metavar="NAME=FILE", help="another build for a variant")
    nodes.add_argument("--secure", nargs="?", const=",".join(FORMS), type=forms, metavar="FORMS", help="a cluster of each of these"
        f" forms beside each other, separated by commas; the first four when none is named: {', '.join(ALL_FORMS)}")
    nodes.add_argument("--port", type=positive, default=18080, help="of n0; others follow (18080)")
    nodes.add_argument("--internode-port", type=positive, default=17100, help="of n0 for the other nodes (17100)")
    nodes.add_argument("--directory", default=str(home / "target" / "bench" / "data"), help="for the data (target/bench/data)")
    output = parser.add_argument_group("report")
    output.add_argument("--topic", type=topic, help="writes gatling/reports/<date>-TOPIC.md instead of standard output")
    output.add_argument("--knee-p99", type=float, default=50, metavar="MS", help="bound of p99 for a rate to count as held well (50)")
    gate = parser.add_argument_group("gate")
    gate.add_argument("--compare", nargs=2, metavar=("OLD", "NEW"), help="builds two commits, measures both in one run, prints"
        " ratios; status 1 when NEW is worse than a bound, 2 when the result is not clear")
    gate.add_argument("--bound", type=float, default=1.15, help="of processor time for each request, NEW / OLD (1.15)")
    gate.add_argument("--bound-p99", type=float, help="of p99; none by default, because it depends on the disk as well")
    properties = [word for word in words if is_property(word)]
    arguments = parser.parse_args([word for word in words if not is_property(word)])
    arguments.properties = properties + ([f"--quorate.storage.wal.sync={arguments.sync}"] if arguments.sync else [])
    complete(parser, arguments, home)
    return arguments


def complete(parser, arguments, home):
    """Fills in defaults that depend on other arguments, and refuses combinations that do not fit together."""
    compare = arguments.compare is not None
    arguments.rates = arguments.rates or ([4000, 8000, 12000] if compare else [2000, 5000, 8000, 12000, 16000, 20000])
    arguments.seconds = arguments.seconds or (8 if compare else 20)
    arguments.rounds = arguments.rounds or (4 if compare else 1)
    arguments.value_bytes = arguments.value_bytes or (1000 if arguments.fill_mb else 100)
    arguments.replicas = arguments.replicas or f"{arguments.nodes // 2 + 1}/{arguments.nodes}"
    arguments.variants = variants(parser, arguments, home)
    if arguments.nodes > 10:
        parser.error("--nodes: at most 10")
    if arguments.node_down and arguments.nodes == 1:
        parser.error("--node-down: the only node")
    if arguments.clients == "spread" and arguments.connections < arguments.nodes:
        parser.error("--connections: fewer than nodes")
    if arguments.secure and (arguments.variant or arguments.jar):
        parser.error("--secure has its own variants")
    if compare and (arguments.secure or arguments.variant or arguments.jar or arguments.rates == [None]):
        parser.error("--compare has its own two variants, at constant rates")
    if arguments.new_connections and compare:
        parser.error("--new-connections: not with --compare")


def variants(parser, arguments, home):
    if arguments.compare is not None:
        return [Variant("old", home), Variant("new", home)]
    if arguments.secure:
        return [Variant(form, home, form=form) for form in arguments.secure]
    jars = dict(named(parser, "--jar", word) for word in arguments.jar)
    found = [
        Variant(name, home, tuple(properties.split()), jars.pop(name, None))
        for name, properties in (named(parser, "--variant", word) for word in arguments.variant or ["cluster="])
    ]
    if jars:
        parser.error(f"--jar: no variant is called {', '.join(jars)}")
    if len({variant.name for variant in found}) < len(found):
        parser.error("--variant: names must differ")
    return found


def named(parser, option, word):
    name, equals, value = word.partition("=")
    if not equals or not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        parser.error(f"{option}: NAME=... expected, not {word!r}")
    return name, pathlib.Path(value).resolve() if option == "--jar" else value


def is_property(word):
    return re.match(r"--[a-z0-9-]+\.[^=]+=", word) is not None


def methods(text):
    words = text.split(",")
    if not set(words) <= set(METHODS):
        raise argparse.ArgumentTypeError(f"of {', '.join(METHODS)}, not {text}")
    return words


def forms(text):
    words = text.split(",")
    if not set(words) <= set(ALL_FORMS) or len(set(words)) < len(words):
        raise argparse.ArgumentTypeError(f"of {', '.join(ALL_FORMS)}, each once, not {text}")
    return words


def rates(text):
    if text == "max":
        return [None]
    values = [positive(word) for word in text.split(",")]
    if values != sorted(set(values)):
        raise argparse.ArgumentTypeError("each must be above the one before")
    return values


def positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"a number from 1 on expected, not {text}")
    return int(text)


def count(text):
    return 0 if text == "0" else positive(text)


def share(text):
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError("from 0 to 1")
    return value


def topic(text):
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", text):
        raise argparse.ArgumentTypeError("small letters, digits and dashes")
    return text
