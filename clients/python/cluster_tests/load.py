"""Load on a cluster from both clients, which judges each answer."""

from __future__ import annotations

import itertools
import multiprocessing
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hostile import SLOWNESS, Clients
from quorate import Client, Entity, OutcomeUnknown, Put, Written

KINDS = ("sync", "async")

# A process does not inherit the threads of this one.
PROCESSES = multiprocessing.get_context("spawn")

RECORDS = 500


def keys_of_range(prefix: str) -> list[str]:
    """Keys that do not change while there is load."""
    return [f"{prefix}range/{i:03}" for i in range(RECORDS)]


@dataclass
class Outcomes:
    """Outcomes of the writes of one client, and answers that were wrong."""

    acknowledged: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    unknown_writes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def compare(self, key: str, entity: Entity | None) -> None:
        """Compare what was read with what may be there."""
        read = None if entity is None else entity.text
        allowed = [self.acknowledged.get(key), *([self.unknown[key]] if key in self.unknown else [])]
        if read not in allowed:
            self.faults.append(f"{key}: {read}, not {allowed}")


class Progress:
    """Counts of one client's process, and whether its load is over."""

    def __init__(self) -> None:
        self.passes = PROCESSES.Value("i", 0)
        self.requests = PROCESSES.Value("i", 0)
        self.has_failed = PROCESSES.Event()
        self.is_over = PROCESSES.Event()


class Writers:
    """Threads of one process that write and read keys of their own, and a range, by one client."""

    def __init__(self, kind: str, urls: list[str], prefix: str, rate: float | None, progress: Progress) -> None:
        self.outcomes = Outcomes()
        self._kind = kind
        self._urls = urls
        self._prefix = prefix
        self._rate = rate
        self._progress = progress
        self._range = keys_of_range(prefix)
        self._turn = itertools.count()
        self._began = time.monotonic()

    def run(self, writers: int) -> Outcomes:
        """Write and read until the load is over."""
        work = (*[self._write_and_read] * writers, self._scan)
        threads = [threading.Thread(target=self._repeat, args=(each, i)) for i, each in enumerate(work)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        return self.outcomes

    def _repeat(self, work: Callable[[Any, str], None], thread: int) -> None:
        clients = Clients(self._kind)
        try:
            # All of them use n0 first.
            client = clients.open(*self._urls, stall_timeout=3.0)
            while not self._progress.is_over.is_set():
                work(client, f"{self._prefix}{self._kind}{thread}/")
                with self._progress.passes.get_lock():
                    self._progress.passes.value += 1
        except Exception as error:  # noqa: BLE001
            self.outcomes.faults.append(repr(error))
        finally:
            clients.close()
            if self.outcomes.faults:
                self._progress.has_failed.set()

    def _write_and_read(self, client: Any, prefix: str) -> None:
        outcomes = self.outcomes
        for i in range(20):
            key, value = f"{prefix}{i}", str(uuid.uuid4())
            self._wait_for_turn()
            try:
                client.put(key, value)
                outcomes.acknowledged[key] = value
                outcomes.unknown.pop(key, None)
            except OutcomeUnknown:
                outcomes.unknown[key] = value
                outcomes.unknown_writes.append(key)
            self._wait_for_turn()
            outcomes.compare(key, client.get(key))

    def _wait_for_turn(self) -> None:
        self._progress.requests.value = turn = next(self._turn)
        if self._rate is not None:
            time.sleep(max(0.0, self._began + turn / self._rate - time.monotonic()))

    def _scan(self, client: Any, _: str) -> None:
        read = [each.key for each in client.range(prefix=f"{self._prefix}range/", page_size=50)]
        if read != self._range:
            self.outcomes.faults.append(f"a range of {len(read)} records")
        if self._rate is not None:
            # Scans without a pause would take the processor time of the requests that the rate promises.
            self._progress.is_over.wait(1.0)


def _work(
    kind: str, urls: list[str], prefix: str, rate: float | None, progress: Progress, writers: int, to: Any
) -> None:
    to.send(Writers(kind, urls, prefix, rate, progress).run(writers))


class Load:
    """Both clients, each in a process of its own, as one interpreter has no time for both beside a high rate.

    With a rate, they write and read at most so often a second, both together, and read the range once a second.
    """

    def __init__(self, urls: list[str], prefix: str, writers: int = 2, rate: int | None = None) -> None:
        self.seconds = 0.0
        self._urls = urls
        self._rate = rate
        self._outcomes: dict[str, Outcomes] = {}
        with Client(urls) as client:
            written = client.batch([Put(key, "x" * 1000) for key in keys_of_range(prefix)], node_timeout=20)
        assert [each for each in written if not isinstance(each, Written)] == []
        share = None if rate is None else rate / len(KINDS)
        self._progress = {kind: Progress() for kind in KINDS}
        self._results = {}
        self._processes = []
        for kind, progress in self._progress.items():
            self._results[kind], to = PROCESSES.Pipe(duplex=False)
            work = (kind, urls, prefix, share, progress, writers, to)
            # Of a test that fails, it ends with this process at the latest.
            process = PROCESSES.Process(target=_work, args=work, daemon=True)
            process.start()
            to.close()
            self._processes.append(process)
        # An interpreter takes a second to start.
        self._wait_until(lambda: all(each.requests.value > 0 for each in self._progress.values()))
        self._began = time.monotonic()

    @property
    def requests(self) -> int:
        """Writes and reads that have begun."""
        return sum(each.requests.value for each in self._progress.values())

    @property
    def acknowledged(self) -> set[str]:
        return {key for each in self._outcomes.values() for key in each.acknowledged}

    @property
    def unknown(self) -> set[str]:
        return {key for each in self._outcomes.values() for key in each.unknown}

    @property
    def unknown_writes(self) -> list[str]:
        return [key for each in self._outcomes.values() for key in each.unknown_writes]

    def wait_for_passes(self, count: int) -> None:
        """Wait until the threads of each client have done so much more."""
        goals = {kind: each.passes.value + count for kind, each in self._progress.items()}
        self._wait_until(lambda: all(self._progress[kind].passes.value >= goal for kind, goal in goals.items()))

    def wait_for_requests(self, count: int) -> None:
        """Wait until so many more writes and reads have begun."""
        goal = self.requests + count
        self._wait_until(lambda: self.requests >= goal)

    def wait_until_on_time(self) -> None:
        """Wait until as many writes and reads have begun as the rate promises."""
        rate = self._rate
        assert rate is not None
        self._wait_until(lambda: self.requests >= rate * (time.monotonic() - self._began))

    def _wait_until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + 60 * SLOWNESS
        while not condition() and not any(each.has_failed.is_set() for each in self._progress.values()):
            assert all(each.is_alive() for each in self._processes)
            assert time.monotonic() < end
            time.sleep(0.05)

    def end(self) -> None:
        """End both clients, and take what they know."""
        for progress in self._progress.values():
            progress.is_over.set()
        try:
            for kind, result in self._results.items():
                assert result.poll(60 * SLOWNESS), f"the {kind} client does not end"
                self._outcomes[kind] = result.recv()
        finally:
            self.seconds = time.monotonic() - self._began
            for process, result in zip(self._processes, self._results.values(), strict=True):
                process.join(10 * SLOWNESS)
                process.kill()
                process.join()
                process.close()
                result.close()

    def read_again(self) -> None:
        """Compare each key with what may be there, by both clients."""
        self._require_no_fault()
        for kind in KINDS:
            clients = Clients(kind)
            client = clients.open(*self._urls)
            for outcomes in self._outcomes.values():
                for key in outcomes.acknowledged.keys() | outcomes.unknown.keys():
                    outcomes.compare(key, client.get(key))
            clients.close()
        self._require_no_fault()

    def _require_no_fault(self) -> None:
        assert [fault for each in self._outcomes.values() for fault in each.faults] == []
