"""Locks, and the jobs of queues, which are leased by locks."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import anyio

from quorate._calls import Steps, log
from quorate._recipes import Claim, Hold
from quorate._values import Ttl
from quorate.errors import LockLost, QuorateError
from quorate.watch import Exchange, events_of

if sys.version_info >= (3, 11):
    from typing import Self
else:
    from typing_extensions import Self

__all__ = ["AsyncJob", "AsyncLock", "Job", "Lock"]


@dataclass(frozen=True)
class Io:
    """What locks need of a client."""

    run: Callable[[Steps[Any]], Any]
    exchange: Exchange


@dataclass(frozen=True)
class AsyncIo:
    """What locks need of an asynchronous client."""

    run: Callable[[Steps[Any]], Awaitable[Any]]
    iterate: Callable[[Steps[None]], AsyncIterator[Any]]


class _Held:
    """What a holder knows of its lock without asking a node."""

    def __init__(self, hold: Hold) -> None:
        self._hold = hold
        self._lost: Future[None] = Future()

    @property
    def key(self) -> str:
        """The key that is locked."""
        return self._hold.key

    @property
    def token(self) -> str:
        """The fencing token: as text, and in its first 16 digits, above those of all earlier holders.

        What the lock protects keeps the highest one that it has seen, and refuses lower ones.
        """
        return self._hold.etag.strip('"')

    @property
    def is_held(self) -> bool:
        """Whether no other one can have the lock: one second and a tenth of the time to live are kept as a margin."""
        return self._hold.is_held

    def check(self) -> None:
        """Ensure that no other one can have the lock.

        Raises:
            LockLost: if one may have it
        """
        if not self.is_held:
            raise self._hold.lost()

    def on_lost(self, fn: Callable[[], object]) -> None:
        """Have a function called once when the lock is lost, at once if it is; not after its release."""
        self._lost.add_done_callback(lambda _: fn())

    def _lose(self) -> None:
        if not self._hold.is_released:
            self._hold.lost()
            with suppress(InvalidStateError):
                self._lost.set_result(None)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.key!r}, {self.token})"


class Lock(_Held):
    """A lock that is held until it is released or lost, to be used by `with`.

    A thread renews it each third of its time to live, for as long as the thread runs that has acquired it.
    """

    def __init__(self, hold: Hold, io: Io) -> None:
        super().__init__(hold)
        self._io = io
        self._ended = threading.Event()
        threading.Thread(target=self._renew, name=f"quorate-{hold.key}", daemon=True).start()

    def _renew(self) -> None:
        try:
            for _ in events_of(self._hold.renewals(), self._io.exchange, self._ended):
                pass
        finally:
            self._lose()

    def renew(self, ttl: Ttl | None = None) -> None:
        """Renew the lock now, if need be for another time to live from now on.

        Raises:
            LockLost: if it is lost
            Unavailable: if no node could answer; it is held as long as before
        """
        try:
            self._io.run(self._hold.renew(ttl))
        except LockLost:
            self._lose()
            raise

    def release(self) -> None:
        """Release the lock; nothing happens a second time.

        Raises:
            LockLost: if another one may have had it
            OutcomeUnknown, Unavailable: if it may be locked until its time is over
        """
        if self._end():
            self._io.run(self._hold.release())

    def _end(self) -> bool:
        """End the renewal; whether it has not ended by that before."""
        is_first, self._hold.is_released = not self._hold.is_released, True
        self._ended.set()
        return is_first

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.release()
        except QuorateError as failure:
            if error is None:
                raise
            log.warning("%r is not released: %s", self, failure)


class AsyncLock(_Held):
    """A lock that is held until it is released or lost, to be used by `async with`.

    A task renews it each third of its time to live.
    """

    def __init__(self, hold: Hold, io: AsyncIo) -> None:
        super().__init__(hold)
        self._io = io
        self._renewal = asyncio.get_running_loop().create_task(self._renew())

    async def _renew(self) -> None:
        try:
            async for _ in self._io.iterate(self._hold.renewals()):
                pass
        finally:
            self._lose()

    async def renew(self, ttl: Ttl | None = None) -> None:
        """Renew the lock now, if need be for another time to live from now on.

        Raises:
            LockLost: if it is lost
            Unavailable: if no node could answer; it is held as long as before
        """
        try:
            await self._io.run(self._hold.renew(ttl))
        except LockLost:
            self._lose()
            raise

    async def release(self) -> None:
        """Release the lock; nothing happens a second time.

        Raises:
            LockLost: if another one may have had it
            OutcomeUnknown, Unavailable: if it may be locked until its time is over
        """
        if self._end():
            await self._io.run(self._hold.release())

    def _end(self) -> bool:
        """End the renewal; whether it has not ended by that before."""
        is_first, self._hold.is_released = not self._hold.is_released, True
        self._renewal.cancel()
        return is_first

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            with anyio.CancelScope(shield=True):
                await self.release()
        except QuorateError as failure:
            if error is None:
                raise
            log.warning("%r is not released: %s", self, failure)


class _Leased(_Held):
    """What a worker knows of its job without asking a node."""

    def __init__(self, claim: Claim, io: Any) -> None:
        super().__init__(claim.hold, io)  # type: ignore[call-arg]
        self._claim = claim

    @property
    def key(self) -> str:
        """The key of the job."""
        return self._claim.entity.key

    @property
    def token(self) -> str:
        """The fencing token: the version of this attempt, above those of all earlier ones."""
        return self._claim.entity.etag.strip('"')

    @property
    def value(self) -> bytes:
        """The JSON of the job, without the number of its attempts."""
        return self._claim.value

    @property
    def text(self) -> str:
        """The same as text."""
        return self._claim.value.decode()

    @property
    def attempt(self) -> int:
        """The number of this attempt: 1 for the first."""
        return self._claim.attempt


class Job(_Leased, Lock):
    """A job that no other worker begins until this one is `done`, or ends without: then it is to be done again.

    Its lease is a lock, which is renewed and may be lost. So a job must do no harm when it is done again.
    """

    def done(self) -> None:
        """Delete the job, and give the lease back.

        Raises:
            LockLost: if another worker has begun the job
            OutcomeUnknown, Unavailable: if it may be begun again when the time of the lease is over
        """
        self._end()
        self._io.run(self._claim.done())


class AsyncJob(_Leased, AsyncLock):
    """A job that no other worker begins until this one is `done`, or ends without: then it is to be done again.

    Its lease is a lock, which is renewed and may be lost. So a job must do no harm when it is done again.
    """

    async def done(self) -> None:
        """Delete the job, and give the lease back.

        Raises:
            LockLost: if another worker has begun the job
            OutcomeUnknown, Unavailable: if it may be begun again when the time of the lease is over
        """
        self._end()
        await self._io.run(self._claim.done())
