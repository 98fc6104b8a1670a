"""Watches of keys: their events, and the iterators over them."""

from __future__ import annotations

import math
import random
import re
import sys
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import cycle
from types import TracebackType
from typing import Any, Protocol, TypeAlias

import anyio

from quorate import _answers, _calls, _requests
from quorate._answers import Answer
from quorate._calls import Calls, Emit, Pause, Steps, TransportFailure
from quorate._deadline import Deadline, Timeout
from quorate._exchange import Run
from quorate._options import OPTION_NAMES, WATCH_NAMES, WatchOptions, check_names
from quorate._requests import FIELD_VALUE, RangeQuery, Request
from quorate._values import OCTETS, decoded
from quorate.errors import AnswerTooLarge, Failure, InvalidAnswer, ProblemError, QuorateError, Unavailable

if sys.version_info >= (3, 11):
    from typing import Self
else:
    from typing_extensions import Self

__all__ = ["AsyncWatch", "Delete", "Event", "Gap", "Live", "Put", "Stalled", "Watch"]

# A node sends something every 15 seconds.
SILENCE = 45.0

_LONGEST_PAUSE = 30.0

_GONE = 410

_FROM_STATE = "0"

_MEDIA_TYPE = "text/event-stream"

_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Put:
    """A key has this version, which a majority holds. It may come twice, and versions before it may be left out."""

    key: str
    etag: str
    size: int
    """Number of bytes of the value."""
    expires: datetime | None = None
    """The time from which the value reads as absent, `None` for never. Nothing tells when it comes."""
    value: bytes | None = field(default=None, repr=False)
    """The value, if the watch has `values` and it has at most 64 KiB."""
    content_type: str | None = None
    """The media type, if there is the value."""

    @property
    def text(self) -> str | None:
        """The value as text, by the `charset` of its type, or else as UTF-8.

        Raises:
            UnicodeError: if the value is no such text
            LookupError: if Python does not know the charset
        """
        return None if self.value is None else decoded(self.value, self.content_type or OCTETS)


@dataclass(frozen=True, slots=True)
class Delete:
    """A key has no value any more: it was deleted, or its value has expired."""

    key: str
    etag: str
    """The version of the deletion."""


@dataclass(frozen=True, slots=True)
class Live:
    """Everything that was acknowledged before `as_of` has come. Comes every 15 seconds, and behind a state."""

    as_of: datetime


@dataclass(frozen=True, slots=True)
class Stalled:
    """What comes is true, but that nothing comes proves nothing, until the next `Live`."""

    members: tuple[str, ...] = ()
    """The members of the cluster that the node misses."""
    failures: tuple[Failure, ...] = ()
    """Why no node serves the watch, if that is so. The watch goes on trying."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The keys may have changed unseen: forget what they had. The present state follows, up to the next `Live`."""


Event: TypeAlias = Put | Delete | Live | Stalled | Gap


@dataclass(frozen=True, slots=True)
class Message:
    """A server-sent event."""

    kind: str
    data: bytes
    id: str | None


class Parser:
    """Server-sent events out of pieces of an answer, which may be cut anywhere."""

    def __init__(self, node: str, largest: int) -> None:
        self._node = node
        self._largest = largest
        self._line = bytearray()
        self._is_first = True
        # A line feed behind it is a part of the same end.
        self._has_return = False
        self.retry: float | None = None
        """Seconds for which the node asks to wait before the next connection."""
        self._begin()

    def _begin(self) -> None:
        self._kind = "message"
        self._data: list[bytes] = []
        self._size = 0
        self._id: str | None = None

    def feed(self, piece: bytes) -> Iterator[Message]:
        """Yield the events that end in a piece.

        Raises:
            AnswerTooLarge: if one is too large
        """
        if self._has_return and piece.startswith(b"\n"):
            piece = piece[1:]
        self._has_return = piece.endswith(b"\r")
        *ends, rest = _LINE_END.split(piece)
        for end in ends:
            self._grow(end)
            line = bytes(self._line)
            self._line.clear()
            if line:
                self._take(line)
                continue
            if self._data or self._id is not None:
                yield Message(self._kind, b"\n".join(self._data), self._id)
            self._begin()
        self._grow(rest)

    def _grow(self, part: bytes) -> None:
        self._line += part
        if self._size + len(self._line) > self._largest:
            raise AnswerTooLarge(f"{self._node}: an event is larger than max_answer_size, {self._largest} bytes")

    def _take(self, line: bytes) -> None:
        if self._is_first:
            line = line.removeprefix(b"\xef\xbb\xbf")
            self._is_first = False
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            # Empty ones count, too.
            self._size += len(line) + 1
        elif name == b"event":
            self._kind = value.decode("utf-8", "replace")
        elif name == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")
        elif name == b"retry" and value.isdigit():
            self.retry = int(value[:9]) / 1000


def event_of(answer: Answer, message: Message) -> Event | None:
    """Interpret a server-sent event; `None` for one of a kind that is not known.

    Raises:
        InvalidAnswer: if it lacks something
    """
    if message.kind not in ("put", "delete", "live", "stalled", "reset"):
        return None
    # What is not there may be null.
    told = _answers.json_object(answer, message.data)
    members = {name: value for name, value in told.items() if value is not None}
    if message.kind == "put":
        return _put(answer, members)
    if message.kind == "delete":
        return Delete(_answers.text_of(answer, members, "key"), _answers.text_of(answer, members, "etag"))
    if message.kind == "live":
        as_of = _answers.instant(answer, members, "asOf")
        if as_of is None:
            raise answer.invalid("with a live without asOf")
        return Live(as_of)
    if message.kind == "stalled":
        missed = members.get("members")
        return Stalled(tuple(map(str, missed)) if isinstance(missed, list) else ())
    return Gap()


def _put(answer: Answer, members: dict[str, object]) -> Put:
    size = members.get("size")
    if not isinstance(size, int):
        raise answer.invalid("with a put without a size")
    value = _answers.value_of(answer, members) if "value" in members else None
    return Put(
        _answers.text_of(answer, members, "key"),
        _answers.text_of(answer, members, "etag"),
        size,
        _answers.instant(answer, members),
        value,
        None if value is None else _answers.text_of(answer, members, "contentType", OCTETS),
    )


class Patience(Deadline):
    """The deadline of one connection of a watch: that of a call until it is open, and then only one of silence."""

    def timeouts(self) -> dict[str, float]:
        """Timeouts of the request."""
        return {**super().timeouts(), "read": Timeout(self, SILENCE)}

    def opened(self) -> None:
        """Let the answer last, as long as bytes come."""
        self.silence, self._end = SILENCE, math.inf


class Subscription:
    """The keys of a watch and its place, which outlive its connections. It does no I/O."""

    def __init__(self, calls: Calls, changes: WatchOptions) -> None:
        check_names(changes, WATCH_NAMES)
        common: Any = {name: value for name, value in changes.items() if name in OPTION_NAMES}
        # The time that a node has for a call is none that it may be silent.
        self._options = replace(calls.options.with_(common), node_timeout=None)
        self._calls = calls
        self._keys = _keys(changes)
        self._with_values = changes.get("values", False)
        self._from_state = changes.get("state", False)
        self.cursor = changes.get("cursor")
        if self.cursor is not None and not FIELD_VALUE.fullmatch(self.cursor):
            raise ValueError("a cursor is text, as a watch has had it")
        # The caller's own is told to be lost by 410, one of the watch by an event.
        self._is_own = False
        # Whether the caller knows anything that may change unseen.
        self._has_begun = False
        nodes = calls.nodes.order()
        self._nodes = cycle(nodes)
        # Each node once, and the first one again. Then the caller is told.
        self._failures: deque[Failure] = deque(maxlen=len(nodes) + 1)
        self._failed = 0
        self._is_down = False
        self._asked_pause: float | None = None

    def steps(self) -> Steps[None]:
        """Emit events from the cursor on, at one node after the other."""
        for node in self._nodes:
            if self._failed:
                yield Pause(self._pause())
            self._calls.check_open()
            if self._has_begun and self.cursor is None:
                yield Emit(self._lose())
            try:
                reason = yield from self._listen(node)
            except (TransportFailure, QuorateError) as failure:
                self._judge(failure)
                reason = str(failure).removeprefix(f"{node}: ")
            self._failures.append(Failure(node, reason))
            self._failed += 1
            _calls.log.debug("%s; the watch goes on at the next node", self._failures[-1])
            if self._failed == self._failures.maxlen and not self._is_down:
                self._is_down = True
                yield Emit(Stalled(failures=tuple(self._failures)))

    def _judge(self, failure: TransportFailure | QuorateError) -> None:
        """Raise the error after which no attempt makes sense."""
        if isinstance(failure, ProblemError):
            self._asked_pause = failure.retry_after
            if failure.status == _GONE and self.cursor is not None:
                self.cursor = None
                self._has_begun = True
                return
        is_of_proxy = isinstance(failure, InvalidAnswer) and failure.status >= 500
        if not isinstance(failure, TransportFailure | Unavailable) and not is_of_proxy:
            raise failure

    def _pause(self) -> float:
        """Return how long to wait, so that many watches do not come back at once."""
        longest = min(_LONGEST_PAUSE, 2.0 ** min(self._failed - 1, 10))
        asked, self._asked_pause = self._asked_pause or 0.0, None
        return max(min(asked, _LONGEST_PAUSE), longest * random.uniform(0.1, 1))  # noqa: S311

    def _listen(self, node: str) -> Steps[str]:
        """Emit the events of one connection, and return why it has ended."""
        patience = Patience(self._options, self._calls.clock)
        answer = yield from _calls.open_answer(node, self._request(), patience, self._options)
        if not answer.headers.get("content-type", "").startswith(_MEDIA_TYPE):
            raise answer.invalid("that is no stream of events")
        patience.opened()
        parser = Parser(node, self._options.max_answer_size)
        while piece := (yield from _calls.read(patience)):
            self._calls.check_open()
            for message in parser.feed(piece):
                if message.kind == "end":
                    self._asked_pause = parser.retry
                    return f"the node has ended the watch: {message.data.decode('utf-8', 'replace')}"
                event = event_of(answer, message)
                if isinstance(event, Gap):
                    self._lose()
                elif event is not None:
                    self._failed, self._is_down, self._has_begun = 0, False, True
                if message.id is not None:
                    self._move(answer, message.id)
                if event is not None:
                    yield Emit(event)
            # The goodbye behind it may be lost.
            self._asked_pause = parser.retry
        return "the answer has ended"

    def _request(self) -> Request:
        cursor = self.cursor if self.cursor is not None else _FROM_STATE if self._from_state else None
        last_event = self.cursor if self._is_own else None
        return _requests.watch(self._keys, cursor, last_event, with_values=self._with_values)

    def _lose(self) -> Gap:
        self.cursor = None
        self._is_own = False
        self._has_begun = False
        self._from_state = True
        return Gap()

    def _move(self, answer: Answer, cursor: str) -> None:
        if not FIELD_VALUE.fullmatch(cursor):
            raise answer.invalid("with a cursor that is none")
        self.cursor = cursor
        self._is_own = True


def _keys(changes: WatchOptions) -> str | RangeQuery:
    key = changes.get("key")
    query = RangeQuery(changes.get("start"), changes.get("end"), changes.get("prefix"))
    if key is None:
        return query
    if query != RangeQuery():
        raise ValueError("a key stands for itself: give no start, end and prefix")
    _requests.checked_key(key)
    return key


class Exchange(Protocol):
    """The connection of a watch."""

    def perform(self, run: Run[Any]) -> None:
        """Do the present step."""

    def interrupt(self) -> None:
        """End a wait for the answer, from another thread."""

    def close(self) -> None:
        """End the answer."""


# No method, so that a watch that is abandoned gives its connection back at once.
def events_of(steps: Steps[None], exchange: Exchange, ended: threading.Event) -> Generator[Event, None, None]:
    """Do steps until an end that may come from another thread."""
    run = Run(steps)
    with closing(run), closing(exchange):
        while run.step is not None and not ended.is_set():
            if isinstance(run.step, Emit):
                yield run.step.item
                run.done(None)
            elif isinstance(run.step, Pause):
                exchange.close()
                ended.wait(run.step.seconds)
                run.done(None)
            else:
                exchange.perform(run)


class Watch(Iterator[Event]):
    """The events of some keys, without end. Safe for threads; it reads as fast as its caller takes.

    It has one of the client's connections. When that breaks, or is silent for 45 seconds, it goes on by itself at the
    next node, after a pause of up to 30 seconds.
    """

    def __init__(self, subscription: Subscription, exchange: Exchange) -> None:
        self._subscription = subscription
        self._exchange = exchange
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._events = self._begin()

    def _begin(self) -> Generator[Event, None, None]:
        return events_of(self._subscription.steps(), self._exchange, self._ended)

    @property
    def cursor(self) -> str | None:
        """The place behind the last event that was handed over, for the parameter `cursor` of another watch.

        Keep it after the event was handled. It stays where it is between events that belong together.
        """
        return self._subscription.cursor

    def __next__(self) -> Event:
        try:
            with self._lock:
                return self._next()
        finally:
            # Not before the lock is free: else neither thread might end it.
            if self._ended.is_set():
                self._end()

    def _next(self) -> Event:
        try:
            return next(self._events)
        except Exception:
            raise
        except BaseException:
            # What was read and not handed over comes again, behind the cursor.
            self._events = self._begin()
            raise

    def close(self) -> None:
        """End the watch at once; a thread that waits for an event gets none.

        If it waits for a new connection, it goes on waiting up to `stall_timeout`.
        """
        self._ended.set()
        self._exchange.interrupt()
        self._end()

    def _end(self) -> None:
        if self._lock.acquire(blocking=False):
            try:
                self._events.close()
            finally:
                self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncWatch(AsyncIterator[Event]):
    """The events of some keys, without end. It reads as fast as its caller takes.

    It has one of the client's connections. When that breaks, or is silent for 45 seconds, it goes on by itself at the
    next node, after a pause of up to 30 seconds. So it does when a task that waits for an event is cancelled.
    """

    def __init__(
        self, subscription: Subscription, iterate: Callable[[Steps[None]], AsyncGenerator[Event, None]]
    ) -> None:
        self._subscription = subscription
        self._iterate = iterate
        self._waiting: anyio.CancelScope | None = None
        self._is_ended = False
        self._events = self._begin()

    def _begin(self) -> AsyncGenerator[Event, None]:
        return self._iterate(self._subscription.steps())

    @property
    def cursor(self) -> str | None:
        """The place behind the last event that was handed over, for the parameter `cursor` of another watch.

        Keep it after the event was handled. It stays where it is between events that belong together.
        """
        return self._subscription.cursor

    async def __anext__(self) -> Event:
        if self._waiting is not None:
            raise RuntimeError("another task waits for an event of this watch")
        if self._is_ended:
            raise StopAsyncIteration
        with anyio.CancelScope() as self._waiting:
            try:
                return await anext(self._events)
            except Exception:
                raise
            except BaseException:
                # What was read and not handed over comes again, behind the cursor.
                self._events = self._begin()
                raise
            finally:
                self._waiting = None
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """End the watch at once; a task that waits for an event gets none."""
        self._is_ended = True
        if self._waiting is not None:
            self._waiting.cancel()
        else:
            await self._events.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
