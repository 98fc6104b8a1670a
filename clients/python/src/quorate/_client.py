"""The client for threads."""

from __future__ import annotations

import os
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from types import TracebackType
from typing import Any, TypeVar, cast, overload

import httpx

from quorate import _access
from quorate._access import TokenSource
from quorate._calls import Emit, Head, Open, Pause, Read, Steps
from quorate._exchange import STEP_ERRORS, Run, head_of, http_request
from quorate._nodes import LOCAL
from quorate._options import Options, RangeOptions, RecipeOptions, RequestOptions, WatchOptions
from quorate._recipes import Change, Hold, Recipes, Taking
from quorate._transport import Transport
from quorate._values import (
    Delete,
    Entity,
    ETags,
    Expiry,
    Item,
    ItemResult,
    KeyRecord,
    Metadata,
    NotModified,
    Page,
    Put,
    Record,
    Touched,
    Ttl,
    Value,
    Written,
)
from quorate.locks import Io, Job, Lock
from quorate.watch import Subscription, Watch

if sys.version_info >= (3, 11):
    from typing import Self, Unpack
else:
    from typing_extensions import Self, Unpack

T = TypeVar("T")


class _Exchange:
    """The requests of one call, one after the other."""

    def __init__(self, transport: httpx.BaseTransport, token: TokenSource | None) -> None:
        self._transport = transport
        self._token = token
        self._answer: httpx.Response | None = None
        self._chunks: Iterator[bytes] = iter(())
        self._lock = threading.Lock()

    def perform(self, run: Run[Any]) -> None:
        """Do the present step of a call."""
        reply: Head | bytes | None = None
        try:
            if isinstance(run.step, Open):
                reply = self._open(run.step)
            elif isinstance(run.step, Read):
                reply = next(filter(None, self._chunks), b"")
                if not reply:
                    self.close()
            elif isinstance(run.step, Pause):
                self.close()
                time.sleep(run.step.seconds)
        except STEP_ERRORS as error:
            run.failed(error)
        else:
            run.done(reply)

    def _open(self, step: Open) -> Head:
        self.close()
        self._answer = self._transport.handle_request(http_request(step, self._present_token()))
        # Not by iter_raw: an answer of a mock counts as read already.
        self._chunks = iter(cast(httpx.SyncByteStream, self._answer.stream))
        return head_of(self._answer)

    def _present_token(self) -> str | None:
        if not callable(self._token):
            return self._token
        with _access.errors_of_function():
            token = self._token()
        return _access.checked(token)

    def interrupt(self) -> None:
        """End a wait for the answer, from another thread."""
        # Behind its end the connection may be that of another call.
        with self._lock:
            stream = None if self._answer is None else self._answer.extensions.get("network_stream")
            connected = None if stream is None else stream.get_extra_info("socket")
            if connected is not None:
                with suppress(OSError):
                    # Not the method of an SSLSocket, which would let the reader go on without TLS.
                    socket.socket.shutdown(connected, socket.SHUT_RDWR)

    def close(self) -> None:
        with self._lock:
            answer, self._answer = self._answer, None
        if answer is not None:
            answer.close()


class Client:
    """A client of a cluster. Safe for threads.

    A call goes to the node that answered last, and to the next one when that one cannot answer. A read goes on after
    any failure. **A write is repeated only if it has certainly not happened**: there was no connection, or the node
    has said so. Else the call ends with `OutcomeUnknown`, unless it has the option `repeat_unknown`, or a condition by
    which it is done once.

    Every call takes the options of `RequestOptions`; those that the client has are the defaults of its calls.

    Args:
        endpoints: the nodes, such as `http://10.0.0.1:8080`; in one text with commas between them, or several
        token: the token to send, or a function that returns the present one
        token_file: a file with the token, which is read again when it changes
        ca: a file with the authority of the nodes' certificates, PEM; without it those of the system
        ssl_context: a context of TLS instead, for instance with a certificate of the client
        connections: the most connections to all nodes together
        shuffle: whether to begin with a random node, so that many clients do not all use the first one
        transport: a transport of httpx instead of the client's own, for instance `httpx.MockTransport`. Such a
            transport may keep a call in one wait up to `stall_timeout` longer than the deadline.
        **options: options of all calls
    """

    def __init__(
        self,
        endpoints: str | Sequence[str] = LOCAL,
        *,
        token: TokenSource | None = None,
        token_file: str | os.PathLike[str] | None = None,
        ca: str | os.PathLike[str] | None = None,
        ssl_context: ssl.SSLContext | None = None,
        connections: int = 64,
        shuffle: bool = True,
        transport: httpx.BaseTransport | None = None,
        **options: Unpack[RequestOptions],
    ) -> None:
        access = _access.prepare(endpoints, token, token_file, ca, ssl_context, shuffle=shuffle, options=options)
        self._endpoints = access.urls
        self._calls = access.calls
        self._recipes = Recipes(access.calls)
        self._token = access.token
        if transport is None:
            transport = Transport(access.ssl_context, connections)
            access.calls.places = transport.places
        self._transport = transport

    def put(
        self,
        key: str,
        value: Value,
        *,
        content_type: str | None = None,
        ttl: Expiry | None = None,
        if_match: ETags | None = None,
        if_none_match: ETags | None = None,
        **options: Unpack[RequestOptions],
    ) -> Written:
        """Write a value, also over another one, unless there is a condition.

        `if_match` with versions, and `if_none_match="*"`, let the client repeat the write after any failure.

        Args:
            key: 1 to 1,024 bytes of UTF-8
            value: bytes, or text that is written as UTF-8
            content_type: the media type of the value, which the cluster keeps
            ttl: the time after which the value reads as absent; with a condition also `"keep"`, as the value before
            if_match: the versions of which the value must have one, `*` for any
            if_none_match: the versions that the value must not have, `*` for no value at all
            **options: see `RequestOptions`

        Raises:
            PreconditionFailed: if the condition does not hold; nothing was written
            OutcomeUnknown: if the write may have happened or not
            Unavailable: if no node could do it; nothing was written
        """
        return self._run(self._calls.put(Put(key, value, content_type, ttl, if_match, if_none_match), options))

    def delete(self, key: str, *, if_match: ETags | None = None, **options: Unpack[RequestOptions]) -> Written:
        """Delete a value, also if there is none, unless there is a condition.

        `if_match` names the versions of which the value must have one, `*` for any. Versions let the client repeat the
        deletion after any failure.

        Raises:
            PreconditionFailed: if the condition does not hold; nothing was deleted
            OutcomeUnknown: if the deletion may have happened or not
            Unavailable: if no node could do it; nothing was deleted
        """
        return self._run(self._calls.delete(Delete(key, if_match), options))

    def touch(
        self, key: str, ttl: Ttl, *, if_match: ETags | None = None, **options: Unpack[RequestOptions]
    ) -> Touched | None:
        """Give a value more time to live; `None` if there is no value.

        The value keeps its version, and one that expires later or never stays so. After any failure the next node is
        asked: to repeat it does no harm.

        Args:
            key: the key
            ttl: the time after which the value reads as absent
            if_match: the versions of which the value must have one; another one is `PreconditionFailed`
            **options: see `RequestOptions`

        Raises:
            Unavailable: if no node could answer
        """
        return self._run(self._calls.touch(key, ttl, if_match, options))

    def put_if_absent(
        self,
        key: str,
        value: Value,
        *,
        content_type: str | None = None,
        ttl: Ttl | None = None,
        **options: Unpack[RecipeOptions],
    ) -> Written | None:
        """Write a value if there is none; `None` if there is one.

        Its outcome is known, whatever fails meanwhile: the write is repeated by its key until the deadline.

        Raises:
            OutcomeUnknown: if the deadline has passed before the outcome was known
            Unavailable: if no node could do it; nothing was written
        """
        put = Put(key, value, content_type, ttl)
        return self._run(self._recipes.put_if_absent(put, self._recipes.options(options)))

    def update(self, key: str, fn: Change, **options: Unpack[RecipeOptions]) -> Written | None:
        """Change a value: read it, and write what a function makes of it, unless another one has written meanwhile.

        Then the function is called again, with the new value, until the deadline: so it must do nothing else. What it
        raises is raised here, and nothing was written.

        Args:
            key: the key
            fn: gets the `Entity`, or `None` without a value. It returns the next value, a `Put` or a `Delete` of the
                key, or `None` to leave it. Without a `ttl` a value keeps its expiry.
            **options: see `RecipeOptions`

        Raises:
            DeadlineExceeded: if others were faster each time; nothing was written
            OutcomeUnknown: if the deadline has passed before the outcome was known
            Unavailable: if no node could do it; nothing was written
        """
        return self._run(self._recipes.update(key, fn, self._recipes.options(options)))

    def increment(self, key: str, by: int = 1, *, ttl: Ttl | None = None, **options: Unpack[RecipeOptions]) -> int:
        """Add to a whole number, once whatever fails meanwhile, and return the sum.

        A number that is not there is 0, and is created with `ttl`; one that is there keeps its expiry.

        Raises:
            ValueError: if the value is no whole number
            DeadlineExceeded: if others were faster each time; nothing was written
            OutcomeUnknown: if the deadline has passed before the outcome was known
            Unavailable: if no node could do it; nothing was written
        """
        return self._run(self._recipes.increment(key, by, ttl, self._recipes.options(options)))

    def delete_prefix(self, prefix: str, **options: Unpack[RecipeOptions]) -> int:
        """Delete all keys that begin with a prefix, and return their number.

        What others write meanwhile stays. The deadline begins anew with each 250 keys.

        Raises:
            QuorateError: if it broke off; a repetition goes on
        """
        return self._run(self._recipes.delete_prefix(prefix, self._recipes.options(options)))

    def lock(self, key: str, ttl: Ttl, *, wait: float | None = None, **options: Unpack[RecipeOptions]) -> Lock:
        """Acquire a lock, which is renewed until it is released: a key that is created once, and expires.

        Args:
            key: the key, such as `lock:report`
            ttl: the time after which the lock of a holder that has stopped ends; at least 5 seconds
            wait: seconds to wait for another holder, 0 for not at all; without it the deadline
            **options: see `RecipeOptions`

        Raises:
            Locked: if another one had it all the time
            OutcomeUnknown: if it may be acquired or not; then it is released in the background
            Unavailable: if no node could do it; it is not acquired
        """
        hold = self._hold(key, ttl, self._recipes.options(options))
        self._secured(hold.acquire(wait), lambda: hold)
        return Lock(hold, self._io())

    def take(
        self, prefix: str, ttl: Ttl, *, wait: float = 0, attempts: int = 3, **options: Unpack[RecipeOptions]
    ) -> Job | None:
        """Take a job of a queue, one of the first, that no other worker has; `None` if there is none.

        Jobs are JSON objects under keys such as `jobs:mail:20261130T0800-8c2f`. One is leased by `lease:mail:...`, and
        the number of its attempts is counted in its member `attempt`.

        Args:
            prefix: the beginning of the keys of jobs, which has the part `jobs:`
            ttl: the time after which another worker begins the job of one that has stopped; at least 5 seconds
            wait: seconds to wait for a job; the queue is looked at each second
            attempts: the most attempts. Then a job becomes `dead:mail:...`, and so does what is no JSON object.
            **options: see `RecipeOptions`

        Raises:
            OutcomeUnknown: if a job may be leased or not; then it is given back in the background
            Unavailable: if no node could do it
        """
        settings = self._recipes.options(options)
        taking = Taking(self._recipes, prefix, attempts, settings, lambda key: self._hold(key, ttl, settings))
        claim = self._secured(taking.steps(wait), lambda: taking.hold)
        return None if claim is None else Job(claim, self._io())

    @overload
    def get(
        self, key: str, *, if_match: ETags | None = None, if_none_match: None = None, **options: Unpack[RequestOptions]
    ) -> Entity | None: ...

    @overload
    def get(
        self, key: str, *, if_match: ETags | None = None, if_none_match: ETags, **options: Unpack[RequestOptions]
    ) -> Entity | NotModified | None: ...

    def get(
        self,
        key: str,
        *,
        if_match: ETags | None = None,
        if_none_match: ETags | None = None,
        **options: Unpack[RequestOptions],
    ) -> Entity | NotModified | None:
        """Read a value; `None` if there is none.

        Args:
            key: the key
            if_match: the versions that the caller wants; the value of another one is `PreconditionFailed`
            if_none_match: the versions that the caller has; the value of one of them is `NotModified`
            **options: see `RequestOptions`

        Raises:
            Unavailable: if no node could answer
        """
        return self._run(self._calls.get(key, if_match, if_none_match, options))

    def get_part(
        self,
        key: str,
        start: int,
        stop: int | None = None,
        *,
        if_range: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Entity | None:
        """Read the bytes of a value from `start` to `stop`, exclusive; `None` if there is no value.

        A negative `start` counts from the end of the value. With `if_range`, the value of another version comes
        whole: `is_whole` and `offset` say which bytes came.

        Raises:
            RangeNotSatisfiable: if the value has none of the bytes
            Unavailable: if no node could answer
        """
        return self._run(self._calls.get_part(key, start, stop, if_range, options))

    @overload
    def head(
        self, key: str, *, if_match: ETags | None = None, if_none_match: None = None, **options: Unpack[RequestOptions]
    ) -> Metadata | None: ...

    @overload
    def head(
        self, key: str, *, if_match: ETags | None = None, if_none_match: ETags, **options: Unpack[RequestOptions]
    ) -> Metadata | NotModified | None: ...

    def head(
        self,
        key: str,
        *,
        if_match: ETags | None = None,
        if_none_match: ETags | None = None,
        **options: Unpack[RequestOptions],
    ) -> Metadata | NotModified | None:
        """Ask for a value without its bytes, as `get` does for all of it."""
        return self._run(self._calls.head(key, if_match, if_none_match, options))

    def range(self, **options: Unpack[RangeOptions]) -> Generator[Record, None, None]:
        """Iterate over keys and values, in the order of the keys; without bounds over all of them.

        A range that breaks off goes on at the next node, so that each record comes once and none is missing. It is no
        snapshot. The iterator has one of the client's connections while it is open: `close` it to end it early
        (`contextlib.closing`).

        Raises:
            IncompleteRange: if the last record did not come; never does a part pass for the whole
            Unavailable: if no node could answer
        """
        return self._iterate(self._calls.records(options))

    def keys(self, **options: Unpack[RangeOptions]) -> Generator[KeyRecord, None, None]:
        """Iterate over keys without their values, as `range` does."""
        return self._iterate(self._calls.key_records(options))

    def pages(self, **options: Unpack[RangeOptions]) -> Generator[Page[Record], None, None]:
        """Iterate over a range in complete pages of at most `page_size` records.

        The `cursor` of a page leads to the rest of the range, also in another client, at any time.
        """
        return self._iterate(self._calls.pages(options))

    def key_pages(self, **options: Unpack[RangeOptions]) -> Generator[Page[KeyRecord], None, None]:
        """Iterate over keys without their values, as `pages` does."""
        return self._iterate(self._calls.key_pages(options))

    def watch(self, **options: Unpack[WatchOptions]) -> Watch:
        """Iterate over the changes of one key, of a range of keys, or of all keys, without end.

        The last version of each key always comes, in the order of its versions, from whichever node; versions before
        it may be left out, and one may come twice. The types of the events are in `quorate.watch`. A connection that
        breaks, and a node that cannot serve it now, are no error: the watch goes on at the next node. `close` ends it.

        Raises:
            BadRequest: if the cursor is none, or that of other keys
            Unauthenticated: if the token is not accepted, or not any more
            Forbidden: if its principal may not read all of the keys, or not any more
        """
        return Watch(Subscription(self._calls, options), _Exchange(self._transport, self._token))

    def batch(self, items: Sequence[Item], **options: Unpack[RequestOptions]) -> list[ItemResult]:
        """Do many puts, gets and deletes in one request. Not atomic: each item has its own outcome.

        The results have the order of the items. The error of an item is its result, and is not raised. If the answer
        breaks off, each write without an answer has the result `OutcomeUnknown`.

        Raises:
            OutcomeUnknown: if there is no answer to any item, and there are writes that may have happened or not
            TooLarge: if there are more items than the node takes; nothing was done
            Unavailable: if no node could do it; nothing was done
        """
        return self._run(self._calls.batch(items, options))

    def close(self) -> None:
        """Close all connections: those of calls under way at the end of the call. Later calls are a `RuntimeError`."""
        self._calls.close()
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._endpoints)})"

    def _hold(self, key: str, ttl: Ttl, options: Options) -> Hold:
        return Hold(self._recipes, key, ttl, options, threading.current_thread().is_alive)

    def _io(self) -> Io:
        return Io(self._run, _Exchange(self._transport, self._token))

    def _secured(self, steps: Steps[T], hold: Callable[[], Hold]) -> T:
        """Run steps, and see to it that what they have locked does not outlast their failure."""
        try:
            return self._run(steps)
        except BaseException:
            if hold().may_exist:
                threading.Thread(target=self._run, args=(hold().leave(),), daemon=True).start()
            raise

    def _run(self, steps: Steps[T]) -> T:
        run = Run(steps)
        with closing(run), closing(_Exchange(self._transport, self._token)) as exchange:
            while run.step is not None:
                exchange.perform(run)
            return run.result

    def _iterate(self, steps: Steps[None]) -> Generator[Any, None, None]:
        run = Run(steps)
        with closing(run), closing(_Exchange(self._transport, self._token)) as exchange:
            while run.step is not None:
                if isinstance(run.step, Emit):
                    yield run.step.item
                    run.done(None)
                else:
                    exchange.perform(run)
