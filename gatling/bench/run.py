"""The steps of a run: start, fill, warm up and load the targets."""

import contextlib
import pathlib
import subprocess
import sys
import tempfile

import connections
from fill import fill
from measured import Failure, Load
from series import Series, warm_up
from targets import Cluster

# Distance of the ports of two clusters; nodes of a cluster have consecutive ports.
PORTS_APART = 10


class Run:
    """One run of tools/bench, by its arguments."""

    def __init__(self, home, arguments, generator):
        self.home = home
        self.arguments = arguments
        self.generator = generator
        self.methods = arguments.methods
        self.rates = arguments.rates
        self.keys = key_count(arguments)
        # Sentences about errors before the measurement.
        self.warnings = []

    def loads(self, method):
        return [self.load(method, rate, self.arguments.seconds) for rate in self.rates]

    def load(self, method, rate, seconds):
        arguments = self.arguments
        return Load(
            method, rate, seconds, arguments.connections, self.keys, arguments.value_bytes, arguments.replicas, arguments.reads
        )

    @contextlib.contextmanager
    def directory(self):
        parent = pathlib.Path(self.arguments.directory)
        parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="bench-", dir=parent) as name:
            yield pathlib.Path(name).resolve()

    def clusters(self, directory, properties):
        """One cluster for each variant, in the order of the arguments."""
        arguments = self.arguments
        return [
            Cluster(
                variant.name,
                variant.home,
                directory,
                arguments.nodes,
                arguments.port + PORTS_APART * number,
                arguments.internode_port + PORTS_APART * number,
                [*properties, *variant.properties],
                variant.jar,
                variant.form,
            )
            for number, variant in enumerate(arguments.variants)
        ]

    @contextlib.contextmanager
    def started(self, targets):
        """Yields the targets filled and warmed up, and stops them in any case."""
        with contextlib.ExitStack() as stack:
            for target in targets:
                say(f"Starting {target.name} ...")
                stack.callback(target.stop)
                target.start()
            for target in targets:
                self._prepare(target)
            yield targets

    def _prepare(self, target):
        everywhere = f"{len(target.nodes)}/{len(target.nodes)}"
        seconds = fill(target, self.keys, self.arguments.value_bytes, everywhere)
        say(f"Filled {target.name}: {self.keys:,} ids of {self.arguments.value_bytes} bytes in {seconds:.0f} s.")
        if self.arguments.clients == "n0":
            target.clients_on_first_only()
        self.warm_up(target, [self.load(method, None, self.arguments.warmup) for method in self.methods])
        if self.arguments.node_down:
            target.take_down(target.nodes[-1], self.arguments.node_down)
            say(f"{target.nodes[-1]} of {target.name} is down: {self.arguments.node_down}.")
            lowest = min((rate for rate in self.rates if rate), default=1000)
            self.generator.run(self.load(self.methods[0], lowest, self.arguments.warmup or 3), target.ports, target.clients)

    def warm_up(self, target, loads):
        if not self.arguments.warmup:
            return
        say(f"Warming {target.name} up ...")
        statuses, sockets = warm_up(self.generator, target, loads, self.arguments.warmup)
        if statuses or sockets:
            warning = (
                f"Warming up {target.name}: {statuses} answers had not the expected status, {sockets} times a connection failed or"
                " an answer took too long."
            )
            if statuses and self.arguments.compare:
                raise Failure(f"{warning} Figures of wrong answers are not compared.")
            say(warning)
            self.warnings.append(warning)

    def series(self, targets):
        series = Series(self.generator, targets, self.arguments.rounds, self.arguments.knee_p99)
        for method in self.methods:
            series.run(self.loads(method))
        return series

    def connections(self, targets):
        """Rounds of new connections, in the order ABBA, after one that is thrown away: the code of a handshake is cold."""
        count, done = self.arguments.new_connections, []
        for number in range(1 + self.arguments.rounds) if count else []:
            for target in targets if number % 2 else reversed(targets):
                done.append(connections.measure(target, count, number))
        return [round_ for round_ in done if round_.round]

    def machine(self, directory):
        """Description of this machine: lines of Markdown."""
        lines = subprocess.run([str(self.home / "tools" / "bench-machine"), str(directory)], capture_output=True, text=True)
        if lines.returncode != 0:
            raise Failure(f"tools/bench-machine: {lines.stderr.strip()}")
        return lines.stdout.rstrip().splitlines()


def key_count(arguments):
    if arguments.fill_mb:
        return max(1, arguments.fill_mb * 1_000_000 // arguments.value_bytes)
    return arguments.keys


def say(text):
    print(text, file=sys.stderr, flush=True)
