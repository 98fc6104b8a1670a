"""Deadlines of calls, as timeouts that get shorter while the call runs."""

from __future__ import annotations

import time
from collections.abc import Callable

from quorate._options import Options

# To a node that stands still in its last moment the answer is still on its way.
_BEHIND_NODE_TIMEOUT = 2.0


class Deadline:
    """The instant at which a call ends, and the longest time for which a node may be silent until then."""

    def __init__(self, options: Options, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seconds = options.deadline
        self.silence = options.stall_timeout
        if options.node_timeout is not None:
            self.silence = max(self.silence, options.node_timeout + _BEHIND_NODE_TIMEOUT)
        self._end = clock() + self._seconds

    def restart(self) -> None:
        """Begin anew: the caller has got something, and waits for more only from now on."""
        self._end = self._clock() + self._seconds

    def left(self) -> float:
        """Seconds until the end; below 0 after it."""
        return self._end - self._clock()

    def is_over(self) -> bool:
        """Whether the end has passed."""
        return self.left() <= 0

    def timeouts(self) -> dict[str, float]:
        """Timeouts of one request, in the form of httpx and httpcore."""
        wait = Timeout(self)
        return {"connect": wait, "read": wait, "write": wait, "pool": max(0.001, self.left())}


class Timeout(float):
    """The timeout of one wait of a request.

    As a number it has the value of the request's beginning. The transport of this package asks for `seconds()` before
    each wait, so that many short waits, too, end at the deadline.
    """

    _deadline: Deadline

    def __new__(cls, deadline: Deadline, number: float | None = None) -> Timeout:
        """Take the present value, or another one for transports that ask but once."""
        timeout = super().__new__(cls, max(0.001, min(deadline.silence, deadline.left())) if number is None else number)
        timeout._deadline = deadline
        return timeout

    def seconds(self) -> float:
        """Return how long a wait that begins now may take; 0 or less for not at all."""
        return min(self._deadline.silence, self._deadline.left())
