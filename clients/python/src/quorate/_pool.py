"""The connections of a client: how many there are, which one a request takes, and who waits for one."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

import httpcore


class Connection(Protocol):
    """A connection of httpcore, of either kind."""

    def can_handle_request(self, origin: httpcore.Origin) -> bool:
        """Whether it leads to this node."""

    def is_available(self) -> bool:
        """Whether its last answer has ended, and it can take another request."""

    def has_expired(self) -> bool:
        """Whether it was idle for long, or the node has ended it."""


class Event(Protocol):
    """An event of threads or of tasks."""

    def set(self) -> object:
        """Wake up who waits."""


C = TypeVar("C", bound=Connection)
E = TypeVar("E", bound=Event)


class Pool(Generic[C, E]):
    """The places for connections, and the connections that are idle. It does no I/O. Safe for threads.

    A request has a place from before its connection until the end of its answer. Who has waited longest gets the next
    place, but for urgent requests, which come before all others: it is handed over, so that no newcomer can be faster.
    """

    def __init__(self, places: int, event: Callable[[], E]) -> None:
        if places < 1:
            raise ValueError(f"connections must be at least 1, not {places}")
        self._event = event
        # Its owner may take it again: within these lines the garbage collector may end an iterator that was abandoned.
        self._lock = threading.RLock()
        self._places = places
        self._free = places
        self._waits = 0
        self._urgent: deque[E] = deque()
        self._waiting: deque[E] = deque()
        # Those that were used last are at the end.
        self._idle: list[C] = []
        self._is_closed = False

    def enter(self, *, is_urgent: bool = False) -> E | None:
        """Take a place, or return the event that one is handed over."""
        # Made before, so that nothing comes between the look at the places and the wait.
        event = self._event()
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return None
            (self._urgent if is_urgent else self._waiting).append(event)
            return event

    def give_up(self, event: E) -> None:
        """Wait no more for a place, which may have come at this moment."""
        with self._lock:
            for waiting in (self._urgent, self._waiting):
                if event in waiting:
                    waiting.remove(event)
                    return
            self._leave()

    def leave(self) -> None:
        """Give a place back, whose connection is closed."""
        with self._lock:
            self._leave()

    def _leave(self) -> None:
        waiting = self._urgent or self._waiting
        if waiting:
            waiting.popleft().set()
        else:
            self._free += 1

    def begin_wait(self) -> bool:
        """Count a request that has a place for seconds, since its node waits for something.

        It may not begin if it would leave less than half of the places free.
        """
        with self._lock:
            left = min(self._free, self._places - self._waits) - 1
            if 2 * left < self._places:
                return False
            self._waits += 1
            return True

    def end_wait(self) -> None:
        """Count it no more."""
        with self._lock:
            self._waits -= 1

    def take(self, origin: httpcore.Origin) -> C | None:
        """Return an idle connection; none if the caller may open one.

        The caller closes what is not `usable`, and takes again.
        """
        with self._lock:
            if self._idle and self._idle[0].has_expired():
                return self._idle.pop(0)
            for i in reversed(range(len(self._idle))):
                if self._idle[i].can_handle_request(origin):
                    return self._idle.pop(i)
            # An idle connection has no place, but counts.
            return self._idle.pop(0) if len(self._idle) > self._free else None

    def keep(self, connection: C) -> bool:
        """Take a connection back with its place; not if it has to be closed."""
        with self._lock:
            if self._is_closed or not connection.is_available():
                return False
            self._idle.append(connection)
            self._leave()
            return True

    def close(self) -> C | None:
        """Keep no connection from now on, and return one after the other that the caller has to close."""
        with self._lock:
            self._is_closed = True
            return self._idle.pop() if self._idle else None


def usable(connection: Connection, origin: httpcore.Origin) -> bool:
    """Whether a connection can take a request to a node."""
    return connection.can_handle_request(origin) and not connection.has_expired()
