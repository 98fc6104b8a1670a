"""Targets of a load: clusters of nodes."""

import contextlib
import dataclasses
import os
import pathlib
import signal
import subprocess
import time

import secure
from clients import Clients
from measured import Failure, garbage, processor_and_memory

START_SECONDS = 120


class Cluster:
    """A cluster of nodes on this machine, by the bin/cluster of its home."""

    def __init__(self, name, home, directory, nodes, port, internode_port, properties=(), jar=None, form=secure.OPEN):
        self.name = name
        self.directory = directory / name
        self.nodes = [f"n{i}" for i in range(nodes)]
        self._script = str(home / "bin" / "cluster")
        self._starters = [home / "bin" / name for name in ("quorate", "node")]
        self._jar = jar
        self._port = port
        self._internode_port = internode_port
        self._properties = list(properties)
        self._down = set()
        self._first_only = False
        self._runner = None
        self._form = form
        self.clients = Clients()

    def start(self):
        self.directory.mkdir(parents=True)
        words, self.clients = secure.prepare(self._form, pathlib.Path(self._script).parent, self.directory)
        log = self.directory / "log"
        environment = self.environment()
        command = [self._script, str(len(self.nodes)), "--data", str(self.directory), "--port", str(self._port)]
        command += ["--internode-port", str(self._internode_port), *words, *self._properties]
        with log.open("w") as out:
            self._runner = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment, start_new_session=True)
        wait_until(lambda: "The cluster is complete" in log.read_text(), self._runner, log, f"The cluster '{self.name}'")

    def environment(self):
        environment = dict(os.environ)
        if any("QUORATE_AOT" in each.read_text() for each in self._starters if each.exists()):
            # The method profiles in a cache would favour the build that has a cache.
            environment.setdefault("QUORATE_AOT", "off")
        else:
            # An older build has no cache, and would pass the variable to the node, which refuses unknown properties.
            environment.pop("QUORATE_AOT", None)
        if self._jar:
            environment["QUORATE_JAR"] = str(self._jar)
        return environment

    def command(self, name, *words):
        """A command of its build that asks its nodes."""
        access = ["--ca", str(self.clients.authority)] if self.clients.authority else []
        access += ["--token-file", str(self.clients.token_file)] if self.clients.token_file else []
        urls = ",".join(f"{self.clients.scheme}://127.0.0.1:{port}" for port in self.ports)
        return [str(self._starters[0]), name, "--endpoint", urls, *access, *words]

    def stop(self):
        end(self._runner)

    def take_down(self, node, how):
        """Freezes or kills a node. From then on it gets no connections and does not count."""
        said = subprocess.run([self._script, how, node, "--data", str(self.directory)], capture_output=True, text=True)
        if said.returncode != 0:
            raise Failure(f"bin/cluster {how} {node}: {said.stderr.strip()}")
        self._down.add(node)

    def clients_on_first_only(self):
        self._first_only = True

    @property
    def ports(self):
        """Where clients connect: the nodes that are up, n0 first."""
        return self._ports_up()[:1] if self._first_only else self._ports_up()

    def _ports_up(self):
        return [self._port + i for i, node in enumerate(self.nodes) if node not in self._down]

    def samples(self, meters_first):
        """Resources that each running node has used. The cost of reading the meters is not between two samples."""
        up = [node for node in self.nodes if node not in self._down]
        meters = [garbage(self.clients, port) for port in self._ports_up()] if meters_first else None
        used = [processor_and_memory((self.directory / node / "pid").read_text().strip()) for node in up]
        meters = meters or [garbage(self.clients, port) for port in self._ports_up()]
        return {
            node: dataclasses.replace(sample, pauses=count, pause_seconds=seconds, allocated=size)
            for node, sample, (count, seconds, size) in zip(up, used, meters)
        }


def wait_until(condition, process, log, what):
    deadline = time.monotonic() + START_SECONDS
    # In this order: after the end of this process, another one may answer.
    while not (condition() and process.poll() is None):
        if process.poll() is not None or time.monotonic() > deadline:
            raise Failure(f"{what} did not start; the end of its log:\n" + "\n".join(log.read_text().splitlines()[-25:]))
        time.sleep(0.2)


def end(process):
    """Asks the leader of a process group to end, then kills the rest of the group, even if the leader was killed before."""
    if process is None:
        return
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(60)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def maven(home, *arguments):
    if subprocess.run(["mvn", "-q", "-B", "-ntp", "-DskipTests", *arguments], cwd=home, stdout=2).returncode != 0:
        raise Failure(f"mvn {' '.join(arguments)} failed in {home}")


def build(home):
    """Builds in any case: a jar of older sources would be measured under the name of the current commit."""
    maven(home, "package")


def git(home, *arguments):
    said = subprocess.run(["git", "-C", str(home), *arguments], capture_output=True, text=True)
    if said.returncode != 0:
        raise Failure(f"git {' '.join(arguments)}: {said.stderr.strip()}")
    return said.stdout.strip()


@contextlib.contextmanager
def checked_out(home, revision, directory):
    """A worktree of this commit with its jar; it is removed at the end."""
    place = pathlib.Path(directory)
    git(home, "worktree", "add", "--detach", str(place), revision)
    try:
        build(place)
        yield place
    finally:
        git(home, "worktree", "remove", "--force", str(place))
