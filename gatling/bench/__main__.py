"""Measures Quorate over HTTP at constant rates: tools/bench starts it, and tools/bench --help says how."""

import contextlib
import dataclasses
import datetime
import pathlib
import shlex
import signal
import sys
import tempfile
import traceback

import report
from arguments import parse
from gate import Comparison
from measured import Failure
from run import Run, say
from targets import build, checked_out, git
from wrk2 import Wrk2

HOME = pathlib.Path(__file__).resolve().parents[2]


def main():
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: sys.exit(128 + received))
    try:
        arguments = parse(HOME, sys.argv[1:])
        generator = Wrk2(HOME)
        return compare(arguments, generator) if arguments.compare else bench(arguments, generator)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except Exception:
        # Python would end with 1, which is the gate's status for a worse commit.
        traceback.print_exc()
        return 2


def bench(arguments, generator):
    file = place_of_report(arguments)
    build(HOME)
    run = Run(HOME, arguments, generator)
    with run.directory() as directory:
        lines = run.machine(directory)
        targets = run.clusters(directory, arguments.properties)
        with run.started(targets):
            series = run.series(targets)
            connections = run.connections(targets)
    text = [f"# {arguments.topic or 'Measured'}", "", "**What.** ...", "", "**Where.** ...", "", *lines, ""]
    text += [*how(arguments, run), *report.latency_table(series.stages), ""]
    text += [*report.knee_lines(series, targets, run.methods, run.rates, arguments.knee_p99), ""]
    text += [*report.resources_table(series.stages), "", *report.connections_table(connections)]
    text += ["**What we learned.** ...", ""]
    publish("\n".join(text), file)
    return 0


def place_of_report(arguments):
    """Path of the report, None for standard output."""
    if not arguments.topic:
        return None
    now = datetime.datetime.now(datetime.timezone.utc)
    file = HOME / "gatling" / "reports" / f"{now:%Y-%m-%d}-{arguments.topic}.md"
    if file.exists():
        raise Failure(f"{file} is there, and reports are never changed: choose another --topic.")
    return file


def how(arguments, run):
    threads = arguments.nodes - (1 if arguments.node_down else 0) if arguments.clients == "spread" else 1
    left_out = " The first 10 s at each rate are not in the latencies." if arguments.seconds > 10 else ""
    down = f", n{arguments.nodes - 1} down ({arguments.node_down})" if arguments.node_down else ""
    return [
        f"**How.** `{shlex.join(['tools/bench', *sys.argv[1:]])}`",
        "",
        f"{run.generator.version()}, {arguments.connections} connections to {'n0' if threads == 1 else f'{threads} nodes'},"
        f" {arguments.seconds} s at each rate, {arguments.rounds} round(s), after {arguments.warmup} s of warm-up at each of two rates",
        f"for each method; {run.keys:,} ids with values of {arguments.value_bytes} bytes, all there before; {arguments.nodes} node(s),"
        f" `replicas={arguments.replicas}`{down}.",
        "Latency in ms from the instant at which a request was due, percentiles of the whole HdrHistogram; wrk2 opens a connection",
        f"every 5 ms, so got is a little less than asked.{left_out} CPU us/request: all nodes together.",
        *run.warnings,
        "",
    ]


def publish(text, file):
    if file is None:
        print(text)
        return
    file.write_text(text)
    say(f"Written: {file}. What, Where and What we learned are yours to write.")


def compare(arguments, generator):
    old, new = (git(HOME, "rev-parse", "--verify", f"{revision}^{{commit}}") for revision in arguments.compare)
    run = Run(HOME, arguments, generator)
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(run.directory())
        trees = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        homes = []
        for name, revision in [("old", old), ("new", new)]:
            say(f"Building {name}, {revision[:10]} ...")
            homes.append(stack.enter_context(checked_out(HOME, revision, trees / name)))
        arguments.variants = [
            dataclasses.replace(variant, home=home) for variant, home in zip(arguments.variants, homes)
        ]
        lines = run.machine(directory)
        targets = run.clusters(directory, arguments.properties)
        stack.enter_context(run.started(targets))
        series = run.series(targets)
    comparison = Comparison(series, "old", "new", run.methods, arguments.rounds)
    print("\n".join([*lines, "", f"old: {git(HOME, 'log', '-1', '--format=%h %s', old)}"]))
    print("\n".join(["", f"new: {git(HOME, 'log', '-1', '--format=%h %s', new)}", "", *how(arguments, run)]))
    print("Ratios of pairs that were measured one after the other: geometric mean, least and most in brackets.\n")
    print("\n".join([*comparison.table(), "", *report.latency_table(series.stages)]))
    worse, doubts = comparison.judge({"CPU/request": arguments.bound, "p99": arguments.bound_p99})
    for sentence in worse:
        print(f"\nWorse: {sentence}")
    for sentence in doubts:
        print(f"\nNot clear: {sentence} Measure again on a quieter machine, longer, or with more rounds.")
    return 1 if worse else 2 if doubts else 0


if __name__ == "__main__":
    sys.exit(main())
