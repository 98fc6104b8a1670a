"""Calls, as generators that do no I/O.

A call yields steps (open a request, read of its answer, pause, emit a record). A client does each step, sends into
the generator what came of it, and throws `TransportFailure` into it when the step has failed. So the asynchronous
client and the other one have the same rules: which node is next, what may be repeated, when a call ends, what an
answer means.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from http import HTTPStatus
from typing import Any, Generic, NoReturn, Protocol, TypeAlias, TypeVar

from quorate import _answers, _requests
from quorate._answers import Answer, End
from quorate._deadline import Deadline
from quorate._nodes import Nodes
from quorate._options import OPTION_NAMES, RANGE_NAMES, Options, RangeOptions, RequestOptions, check_names
from quorate._requests import Effect, RangeQuery, Request
from quorate._values import (
    Delete,
    Entity,
    ETags,
    Get,
    Item,
    ItemResult,
    Metadata,
    NotModified,
    Page,
    Put,
    R,
    Touched,
    Ttl,
    Written,
)
from quorate.errors import (
    AnswerTooLarge,
    Contended,
    DeadlineExceeded,
    Failure,
    IncompleteRange,
    InvalidAnswer,
    NoNodeAnswered,
    OutcomeUnknown,
    PreconditionFailed,
    ProblemError,
    QuorateError,
    TokenError,
)

log = logging.getLogger("quorate")

T = TypeVar("T")

_PAUSE = 0.1


@dataclass(frozen=True, slots=True)
class Open:
    """The step that sends a request to a node, and waits for the head of the answer, a `Head`.

    It closes the answer before.
    """

    node: str
    request: Request
    deadline: Deadline


@dataclass(frozen=True, slots=True)
class Read:
    """The step that waits for more of the answer. Gives bytes, none at the end of the answer, which it closes."""


@dataclass(frozen=True, slots=True)
class Pause:
    """The step that closes the answer, and waits."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Emit(Generic[T]):
    """The step that hands something to the caller of an iterator. It lasts until the caller asks for more."""

    item: T


@dataclass(frozen=True, slots=True)
class Head:
    """Status and header fields of an answer."""

    status: int
    headers: dict[str, str]


class TransportFailure(Exception):
    """The failure of a step."""

    def __init__(self, reason: str, *, was_sent: bool, is_of_node: bool = True) -> None:
        super().__init__(reason)
        self.was_sent = was_sent
        """Whether a node may have got the request."""
        self.is_of_node = is_of_node
        """Whether the node has to do with it, and not only the client itself."""


Step: TypeAlias = Open | Read | Pause | Emit[Any]
Steps: TypeAlias = Generator[Step, Any, T]


class Verdict(Enum):
    """The consequence of a failed attempt."""

    NEXT = "nothing was done, and the next node may do it"
    UNKNOWN = "a write may have happened or not"
    FINAL = "nothing was done, and no other node would do it"


def verdict(failure: Exception, *, is_write: bool) -> Verdict:
    """Judge the failure of an attempt."""
    if isinstance(failure, TransportFailure):
        return Verdict.UNKNOWN if is_write and failure.was_sent else Verdict.NEXT
    if isinstance(failure, ProblemError):
        if is_write and _answers.outcome_is_unknown(failure):
            return Verdict.UNKNOWN
        lasts = 400 <= failure.status < 500 or failure.status == HTTPStatus.NOT_IMPLEMENTED
        return Verdict.FINAL if lasts and not isinstance(failure, Contended) else Verdict.NEXT
    if isinstance(failure, InvalidAnswer):
        # A proxy may say 502 or 503 of a request that has reached a node. With 3xx and 4xx it has not passed it on.
        if is_write:
            return Verdict.FINAL if 300 <= failure.status < 500 else Verdict.UNKNOWN
        return Verdict.NEXT
    if isinstance(failure, IncompleteRange):
        return Verdict.NEXT
    if isinstance(failure, AnswerTooLarge) and is_write:
        return Verdict.UNKNOWN
    return Verdict.FINAL


@dataclass(frozen=True, slots=True)
class Doubt:
    """What is not known of a write from its earlier attempts."""

    unknown: TransportFailure | QuorateError
    """Why it may have happened."""
    is_settled: bool
    """Whether a linearizable read has ended since what they had begun."""


class Attempts:
    """The attempts of one call, and the error in which they end.

    A call asks each node once, beginning with the preferred one, and after a pause the first one again: a single
    node, or a load balancer before many, has a second chance.
    """

    def __init__(self, nodes: Nodes, deadline: Deadline, options: Options, doubt: Doubt | None = None) -> None:
        self._nodes = nodes
        self._deadline = deadline
        self._is_repeating = options.repeat_unknown
        self._left = nodes.order()
        self._left.append(self._left[0])
        self._failures: list[Failure] = []
        self._last: TransportFailure | QuorateError | None = None
        # What a node has said. A proxy without a node, 5xx, says less.
        self._answer: QuorateError | None = None
        self._was_repeated = False
        self._unknown = None if doubt is None else doubt.unknown
        self._is_settled = doubt is not None and doubt.is_settled
        self._retry_after: float | None = None
        self.node = self._left[0]

    def next(self) -> Generator[Step, Any, None]:
        """Choose the next node.

        Raises:
            QuorateError: if there is none, or no time
        """
        if not self._left or self._deadline.is_over():
            self._fail()
        pause = self._pause()
        if pause is not None:
            if pause >= self._deadline.left():
                self._fail()
            yield Pause(pause)
        self.node = self._left.pop(0)

    def _pause(self) -> float | None:
        pause = _PAUSE * random.uniform(1, 2)  # noqa: S311
        # Writes that have met are not to meet again.
        if isinstance(self._last, Contended):
            return pause
        if not self._failures or len(self._left) > 1:
            return None
        return self._retry_after if self._retry_after is not None else pause

    def succeeded(self) -> None:
        """Take note that the node has answered."""
        self._nodes.prefer(self.node)

    def failed(self, failure: TransportFailure | QuorateError, effect: Effect) -> None:
        """Take note of a failed attempt.

        Raises:
            QuorateError: if no other attempt may follow
        """
        judged = verdict(failure, is_write=effect.is_write)
        self._failures.append(Failure(self.node, str(failure).removeprefix(f"{self.node}: ")))
        self._last = failure
        if isinstance(failure, TransportFailure):
            if failure.is_of_node:
                self._nodes.leave(self.node)
        elif not isinstance(failure, InvalidAnswer) or failure.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            self._answer = failure
        if isinstance(failure, ProblemError) and failure.retry_after is not None:
            self._retry_after = failure.retry_after
        if self._unknown is not None:
            self._was_repeated |= _was_sent(failure)
        if isinstance(failure, PreconditionFailed):
            # Where nothing was unknown, no node can have forgotten that it was done.
            if self._unknown is not None:
                is_certain = effect is Effect.ONCE_ON_VERSIONS or self._is_settled
                is_denied = judged is Verdict.FINAL and is_certain
                self._unknown = None if is_denied else failure
            judged = Verdict.FINAL
        if judged is Verdict.UNKNOWN:
            self._unknown = failure
            self._is_settled = False
            if not (self._is_repeating or effect.is_once):
                self._fail()
        if judged is Verdict.FINAL:
            if isinstance(failure, ProblemError):
                self._nodes.prefer(self.node)
            self._fail(failure)
        log.debug("%s; the next node is asked", self._failures[-1])

    def _fail(self, final: Exception | None = None) -> NoReturn:
        failures = tuple(self._failures)
        told = "; ".join(str(failure) for failure in failures)
        if self._unknown is not None:
            problem = self._unknown if isinstance(self._unknown, ProblemError) else None
            raise _answers.unknown(told, problem, was_repeated=self._was_repeated, failures=failures) from self._unknown
        if final is not None:
            raise _with_failures(final, failures)
        if self._deadline.is_over():
            raise DeadlineExceeded(f"the deadline has passed: {told or 'no node was asked'}", failures=failures)
        if self._answer is not None:
            raise _with_failures(self._answer, failures)
        raise NoNodeAnswered(told, failures=failures) from self._last


def _was_sent(failure: TransportFailure | QuorateError) -> bool:
    return failure.was_sent if isinstance(failure, TransportFailure) else not isinstance(failure, TokenError)


def _with_failures(error: Exception, failures: tuple[Failure, ...]) -> Exception:
    if isinstance(error, QuorateError):
        error.failures = failures
    return error


class _Scan(Generic[R]):
    """The progress of a range."""

    def __init__(self, query: RangeQuery, parse: Callable[[Answer, bytes], R | End], *, by_page: bool) -> None:
        self.query = query
        self.parse = parse
        self.by_page = by_page
        self.page: list[R] = []
        self.cursor: str | None = None
        self.records = 0
        self.last: str | None = None
        self.has_begun = False
        self._before_page: str | None = None
        self._records_before_page = 0
        self.is_complete = self.is_full()

    def page_size(self) -> int:
        """Return the number of records to ask for, the same when a page is asked for again."""
        limit = self.query.limit
        return self.query.page_size if limit is None else min(self.query.page_size, limit - self._records_before_page)

    def is_new(self, answer: Answer, key: str, previous: str | None) -> bool:
        """Whether a record was not read before. A page that is read again has records that were.

        Raises:
            InvalidAnswer: if the records are in no order
        """
        for other in (previous, self._before_page):
            if other is not None and not self._is_behind(key, other):
                raise answer.invalid("with records out of order; the cursor may be of a range in the other direction")
        return self.last is None or self._is_behind(key, self.last)

    def _is_behind(self, key: str, other: str) -> bool:
        # The order of code points is that of UTF-8.
        return key < other if self.query.reverse else key > other

    def is_full(self) -> bool:
        """Whether there are as many records as the caller wants."""
        return self.query.limit is not None and self.records >= self.query.limit

    def take(self, item: R) -> None:
        """Take note of a record."""
        self.last = item.key
        self.records += 1
        if self.by_page:
            self.page.append(item)

    def break_off(self) -> None:
        """Go on behind the last record, or read the page again if the caller has not got its records."""
        if self.by_page:
            self.page = []
            self.last = self._before_page
            self.records = self._records_before_page
            return
        self.is_complete = self.is_full()
        # What is behind a key is not known of a range that began with a cursor: its page is read again.
        if self.last is not None and self.query.cursor is None:
            self.query = self.query.behind(self.last)
            self.cursor = None
            self._begin_page()

    def end_page(self, end: End) -> Page[R]:
        """Go on to the next page."""
        page = Page(tuple(self.page), end.cursor)
        self.page = []
        self.cursor = end.cursor
        self._begin_page()
        self.is_complete = end.cursor is None or self.is_full()
        return page

    def _begin_page(self) -> None:
        self._before_page = self.last
        self._records_before_page = self.records


class Places(Protocol):
    """What calls know of the places for connections."""

    def begin_wait(self) -> bool:
        """Count a request that has a place for seconds, unless it may not begin."""

    def end_wait(self) -> None:
        """Count it no more."""


class Calls:
    """The calls of one client."""

    def __init__(self, nodes: Nodes, options: Options, clock: Callable[[], float] = time.monotonic) -> None:
        self.nodes = nodes
        self.options = options
        self.clock = clock
        self.places: Places | None = None
        """The places for connections, if the client has some of its own."""
        self._is_closed = False

    def close(self) -> None:
        """Begin no call from now on. Those under way go on."""
        self._is_closed = True

    def put(self, item: Put, changes: RequestOptions) -> Steps[Written]:
        """Write a value."""
        options = self.options.with_(changes)
        return self.ask(_requests.put(item, options), options, _answers.written)

    def delete(self, item: Delete, changes: RequestOptions) -> Steps[Written]:
        """Delete a value."""
        options = self.options.with_(changes)
        return self.ask(_requests.delete(item, options), options, _answers.written)

    def touch(self, key: str, ttl: Ttl, if_match: ETags | None, changes: RequestOptions) -> Steps[Touched | None]:
        """Give a value more time to live."""
        options = self.options.with_(changes)
        request = _requests.touch(key, ttl, if_match, options)
        return self.ask(request, options, lambda answer: _answers.touched(request, answer))

    def get(
        self, key: str, if_match: ETags | None, if_none_match: ETags | None, changes: RequestOptions
    ) -> Steps[Entity | NotModified | None]:
        """Read a value."""
        options = self.options.with_(changes)
        request = _requests.get(key, options, if_match=if_match, if_none_match=if_none_match)
        return self.ask(request, options, lambda answer: _answers.entity(request, key, answer))

    def get_part(
        self, key: str, start: int, stop: int | None, if_range: str | None, changes: RequestOptions
    ) -> Steps[Entity | None]:
        """Read a part of a value."""
        options = self.options.with_(changes)
        request = _requests.get(key, options, byte_range=_requests.byte_range(start, stop), if_range=if_range)
        return self.ask(request, options, lambda answer: _answers.part(request, key, answer, start, stop))

    def head(
        self, key: str, if_match: ETags | None, if_none_match: ETags | None, changes: RequestOptions
    ) -> Steps[Metadata | NotModified | None]:
        """Ask for a value without its bytes."""
        options = self.options.with_(changes)
        request = _requests.get(key, options, method="HEAD", if_match=if_match, if_none_match=if_none_match)
        return self.ask(request, options, lambda answer: _answers.metadata(request, key, answer))

    def records(self, changes: RangeOptions) -> Steps[None]:
        """Emit the records of a range."""
        query, options = self._range(changes)
        return self._scan(_Scan(query, _answers.record, by_page=False), options, with_values=True)

    def key_records(self, changes: RangeOptions) -> Steps[None]:
        """Emit the keys of a range."""
        query, options = self._range(changes)
        return self._scan(_Scan(query, _answers.key_record, by_page=False), options, with_values=False)

    def pages(self, changes: RangeOptions) -> Steps[None]:
        """Emit the pages of a range."""
        query, options = self._range(changes)
        return self._scan(_Scan(query, _answers.record, by_page=True), options, with_values=True)

    def key_pages(self, changes: RangeOptions) -> Steps[None]:
        """Emit the pages of a range of keys."""
        query, options = self._range(changes)
        return self._scan(_Scan(query, _answers.key_record, by_page=True), options, with_values=False)

    def batch(self, items: Sequence[Item], changes: RequestOptions) -> Steps[list[ItemResult]]:
        """Do many requests for single keys in one."""
        options = self.options.with_(changes)
        return self._batch(list(items), [_requests.item_line(item) for item in items], options)

    def _range(self, changes: RangeOptions) -> tuple[RangeQuery, Options]:
        check_names(changes, OPTION_NAMES | RANGE_NAMES)
        common = {name: value for name, value in changes.items() if name in OPTION_NAMES}
        own = {name: value for name, value in changes.items() if name not in OPTION_NAMES}
        return RangeQuery(**own), self.options.with_(common)  # type: ignore[arg-type]

    def check_open(self) -> None:
        """Refuse what comes behind the end.

        Raises:
            RuntimeError: if the client is closed
        """
        if self._is_closed:
            raise RuntimeError("the client is closed")

    def _begin(self, options: Options) -> Deadline:
        self.check_open()
        return Deadline(options, self.clock)

    def ask(
        self, request: Request, options: Options, interpret: Callable[[Answer], T], doubt: Doubt | None = None
    ) -> Steps[T]:
        """Send a request to one node after the other, until there is an answer."""
        deadline = self._begin(options)
        attempts = Attempts(self.nodes, deadline, options, doubt)
        while True:
            yield from attempts.next()
            try:
                answer = yield from _whole(
                    attempts.node, _timed(request, options, deadline), deadline, options.max_answer_size
                )
                result = interpret(answer)
            except (TransportFailure, QuorateError) as failure:
                attempts.failed(failure, request.effect)
            else:
                attempts.succeeded()
                return result

    def _scan(self, scan: _Scan[R], options: Options, *, with_values: bool) -> Steps[None]:
        deadline = self._begin(options)
        attempts = Attempts(self.nodes, deadline, options)
        while not scan.is_complete:
            before = scan.records
            try:
                yield from attempts.next()
                request = scan.query.request(scan.cursor, scan.page_size(), options, with_values=with_values)
                try:
                    end = yield from _page(scan, attempts.node, _timed(request, options, deadline), deadline, options)
                except (TransportFailure, QuorateError) as failure:
                    scan.break_off()
                    attempts.failed(failure, Effect.NONE)
                    if scan.records > before:
                        attempts = Attempts(self.nodes, deadline, options)
                    continue
            except QuorateError as error:
                # What is no range, or has too large a record, is so at the next call, too.
                is_of_content = isinstance(error, AnswerTooLarge) or (
                    isinstance(error, InvalidAnswer) and error.status == _answers.OK
                )
                if not scan.has_begun or is_of_content:
                    raise
                message = f"the range broke off after {scan.records} records: {error}"
                raise IncompleteRange(
                    message, records=scan.records, last_key=scan.last, failures=error.failures
                ) from error
            attempts.succeeded()
            page = scan.end_page(end)
            if scan.by_page:
                yield Emit(page)
                deadline.restart()
            attempts = Attempts(self.nodes, deadline, options)

    def _batch(self, items: Sequence[Item], lines: Sequence[bytes], options: Options) -> Steps[list[ItemResult]]:
        deadline = self._begin(options)
        attempts = Attempts(self.nodes, deadline, options)
        results: list[ItemResult] = []
        while len(results) < len(items):
            rest = items[len(results) :]
            request = _requests.batch(rest, lines[len(results) :], options)
            try:
                yield from attempts.next()
                try:
                    yield from _item_results(
                        results, rest, attempts.node, _timed(request, options, deadline), deadline, options
                    )
                except (TransportFailure, QuorateError) as failure:
                    rest = items[len(results) :]
                    attempts.failed(failure, _requests.effect(rest))
            except QuorateError as error:
                if not results:
                    raise
                return [*results, *(_unanswered(item, error) for item in items[len(results) :])]
        attempts.succeeded()
        return results


def _unanswered(item: Item, error: QuorateError) -> QuorateError:
    """Return the result of an item whose answer did not come."""
    if isinstance(item, Get) and isinstance(error, OutcomeUnknown):
        return NoNodeAnswered("the answer broke off before that of the read", failures=error.failures)
    return error


def _timed(request: Request, options: Options, deadline: Deadline) -> Request:
    if options.node_timeout is None:
        return request
    millis = max(1, int(min(options.node_timeout, deadline.left()) * 1000))
    return replace(request, headers={**request.headers, "Quorate-Timeout": str(millis)})


def _open(node: str, request: Request, deadline: Deadline) -> Steps[Answer]:
    head: Head = yield Open(node, request, deadline)
    if head.headers.get("content-encoding", "identity") != "identity":
        raise Answer(node, head.status, head.headers).invalid("is encoded, without having been asked to be")
    return Answer(node, head.status, head.headers)


def read(deadline: Deadline) -> Steps[bytes]:
    """Return more of the answer, nothing at its end."""
    chunk: bytes = yield Read()
    # Bytes that come one by one are no silence.
    if chunk and deadline.is_over():
        raise TransportFailure("the answer has not ended", was_sent=True)
    return chunk


def _whole(node: str, request: Request, deadline: Deadline, largest: int) -> Steps[Answer]:
    answer = yield from _open(node, request, deadline)
    return (yield from _body(answer, deadline, largest))


def _body(answer: Answer, deadline: Deadline, largest: int) -> Steps[Answer]:
    is_failed = answer.status >= HTTPStatus.BAD_REQUEST
    body = bytearray()
    while chunk := (yield from read(deadline)):
        body += chunk
        if is_failed and len(body) > _answers.MOST_PROBLEM_BYTES:
            raise answer.invalid("that is no problem document")
        if not is_failed and len(body) > largest:
            raise AnswerTooLarge(f"{answer.node}: the answer is larger than max_answer_size, {largest} bytes")
    return replace(answer, body=bytes(body))


class _Lines:
    """The lines of a body that comes in pieces."""

    def __init__(self, node: str, largest: int, *, is_total: bool) -> None:
        self._node = node
        self._largest = largest
        self._is_total = is_total
        self._size = 0
        self._begun = bytearray()

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that end in a piece."""
        self._size += len(chunk)
        *ends, rest = chunk.split(b"\n")
        lines = []
        for end in ends:
            lines.append(bytes(self._begun + end))
            self._begun.clear()
        self._begun += rest
        if (self._size if self._is_total else max(map(len, [*lines, self._begun]))) > self._largest:
            raise AnswerTooLarge(f"{self._node}: the answer is larger than max_answer_size, {self._largest} bytes")
        return lines


def open_answer(node: str, request: Request, deadline: Deadline, options: Options) -> Steps[Answer]:
    """Begin an answer to be read piece by piece; raise the error that any other answer is."""
    answer = yield from _open(node, request, deadline)
    if answer.status != _answers.OK:
        raise _answers.error_of((yield from _body(answer, deadline, options.max_answer_size)))
    return answer


def _page(scan: _Scan[R], node: str, request: Request, deadline: Deadline, options: Options) -> Steps[End]:
    """Read one answer, emit or keep its records, and return its end."""
    answer = yield from open_answer(node, request, deadline, options)
    scan.has_begun = True
    lines = _Lines(node, options.max_answer_size, is_total=scan.by_page)
    end: End | None = None
    previous: str | None = None
    count = 0
    while chunk := (yield from read(deadline)):
        for line in lines.feed(chunk):
            item = scan.parse(answer, line)
            if end is not None:
                raise answer.invalid("with lines behind its last one")
            if isinstance(item, End):
                end = item
                continue
            count += 1
            is_new = scan.is_new(answer, item.key, previous)
            previous = item.key
            # A page that is read again may have more records.
            if is_new and not scan.is_full():
                scan.take(item)
                if not scan.by_page:
                    yield Emit(item)
                    deadline.restart()
    if end is None:
        raise IncompleteRange(f"{node}: the last line is missing")
    if end.records != count or (end.cursor is not None and count == 0):
        raise answer.invalid(f"with {count} records of {end.records}")
    return end


def _item_results(
    results: list[ItemResult], items: Sequence[Item], node: str, request: Request, deadline: Deadline, options: Options
) -> Steps[None]:
    """Read the answer to a batch, and add its results."""
    answer = yield from open_answer(node, request, deadline, options)
    lines = _Lines(node, options.max_answer_size, is_total=True)
    before, count = len(results), 0
    while chunk := (yield from read(deadline)):
        for line in lines.feed(chunk):
            if count == len(items):
                # Then no line can be told to be that of an item. Those of earlier answers can.
                del results[before:]
                raise answer.invalid("with more lines than items")
            results.append(_answers.item_result(answer, items[count], line))
            count += 1
    if count < len(items):
        raise TransportFailure(f"the answer ended after {count} of {len(items)} items", was_sent=True)
