"""Loads for a generator, their results, and the resources that processes used meanwhile."""

import dataclasses
import math
import os
import pathlib
import re
import urllib.error

METHODS = ["put", "get", "mixed"]

# A rate is held if at least this share of the due requests was answered, without an error.
HELD = 0.97


class Failure(Exception):
    """An error that ends the program, as a sentence for its user."""


@dataclasses.dataclass(frozen=True)
class Load:
    """Requests of one kind for some seconds; rate None is as fast as the connections allow."""

    method: str
    rate: "int | None"
    seconds: int
    connections: int
    keys: int
    value_bytes: int
    replicas: str
    reads: float
    seed: int = 1
    exact: bool = False

    @property
    def words(self):
        return f"{self.method.upper()} {'as fast as possible' if self.rate is None else format(self.rate, ',') + '/s'}"


@dataclasses.dataclass(frozen=True)
class Answers:
    """The result of a generator. Percentiles are milliseconds by percent, 100 is the longest; empty without a rate."""

    requests: int
    seconds: float
    due: "float | None"
    percentiles: dict
    status_errors: int
    socket_errors: int
    generator_cpu: float

    @property
    def rate(self):
        return self.requests / self.seconds

    @property
    def errors(self):
        return self.status_errors + self.socket_errors

    @property
    def held(self):
        return self.errors == 0 and self._enough

    @property
    def _enough(self):
        return self.requests > 0 and (self.due is None or self.requests >= HELD * self.due)

    @property
    def asked_for_less(self):
        """True if the generator never sent the missing requests: had they waited for the server, the longest latency would show it."""
        if self._enough or self.errors or self.requests == 0:
            return False
        behind = (1 - self.requests / self.due) * self.seconds * 1000
        return self.percentiles[100] < 0.8 * behind


@dataclasses.dataclass(frozen=True)
class Sample:
    """Resources that a process has used up to now: seconds of processor time, bytes; garbage collection if it publishes that."""

    user: float
    system: float
    rss: int
    pauses: float = 0
    pause_seconds: float = 0
    allocated: float = 0

    def since(self, before):
        return dataclasses.replace(
            self,
            user=self.user - before.user,
            system=self.system - before.system,
            pauses=self.pauses - before.pauses,
            pause_seconds=self.pause_seconds - before.pause_seconds,
            allocated=self.allocated - before.allocated,
        )

    @property
    def cpu(self):
        return self.user + self.system


def processor_and_memory(pid):
    hertz = os.sysconf("SC_CLK_TCK")
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    resident = re.search(r"^VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)
    return Sample(int(fields[11]) / hertz, int(fields[12]) / hertz, int(resident.group(1)) * 1024 if resident else 0)


def garbage(clients, port):
    """Count of pauses, their seconds, and bytes allocated, as the node on this port publishes them."""
    try:
        with clients.open(port, "/actuator/prometheus") as answer:
            text = answer.read().decode()
    except (urllib.error.URLError, OSError):
        return 0, 0, 0
    sums = []
    for meter in ["jvm_gc_pause_seconds_count", "jvm_gc_pause_seconds_sum", "jvm_gc_memory_allocated_bytes_total"]:
        values = re.findall(rf"^{meter}(?:{{[^\n]*}})? (\S+)$", text, re.M)
        sums.append(sum(float(value) for value in values))
    return tuple(sums)


@dataclasses.dataclass(frozen=True)
class Stage:
    """One measurement: a load on a target, what was answered, and what each of its processes used."""

    target: str
    load: Load
    round: int
    answers: Answers
    used: dict
    repeats: int = 0

    @property
    def cpu_micros(self):
        """Microseconds of processor time for each request, over all processes of the target; infinite without a request."""
        return self.for_each(sum(sample.cpu for sample in self.used.values()) * 1e6)

    def for_each(self, amount):
        """The part of an amount that belongs to each request."""
        return amount / self.answers.requests if self.answers.requests else math.inf
