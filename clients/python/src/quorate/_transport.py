"""Transports whose every wait ends at the deadline of the call."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from typing import Any

import anyio
import httpcore
import httpx

from quorate._deadline import Timeout
from quorate._pool import Pool, usable

# A peer that takes bytes one by one is bounded by the waits between pieces.
_PIECE = 16 * 1024

_KEEP_ALIVE_SECONDS = 5.0

_IN_USE = "all connections of the client are in use"

_ERRORS: tuple[tuple[type[Exception], type[httpx.TransportError]], ...] = (
    (httpcore.ConnectTimeout, httpx.ConnectTimeout),
    (httpcore.ReadTimeout, httpx.ReadTimeout),
    (httpcore.WriteTimeout, httpx.WriteTimeout),
    (httpcore.PoolTimeout, httpx.PoolTimeout),
    (httpcore.ConnectError, httpx.ConnectError),
    (httpcore.ReadError, httpx.ReadError),
    (httpcore.WriteError, httpx.WriteError),
    (httpcore.LocalProtocolError, httpx.LocalProtocolError),
    (httpcore.RemoteProtocolError, httpx.RemoteProtocolError),
    (httpcore.TimeoutException, httpx.TimeoutException),
    (httpcore.NetworkError, httpx.NetworkError),
    (httpcore.ProtocolError, httpx.ProtocolError),
    (httpcore.UnsupportedProtocol, httpx.UnsupportedProtocol),
)


@contextmanager
def _errors_of_tls(error: type[Exception]) -> Iterator[None]:
    # The streams of anyio let errors of TLS through, such as an alert in place of an answer.
    try:
        yield
    except OSError as failure:
        raise error(str(failure)) from failure


@contextmanager
def _errors_of_httpx() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        for known, raised in _ERRORS:
            if isinstance(error, known):
                raise raised(str(error)) from error
        raise


def _left(timeout: float | None, error: type[Exception]) -> float | None:
    seconds = timeout.seconds() if isinstance(timeout, Timeout) else timeout
    if seconds is not None and seconds <= 0:
        raise error("the deadline has passed")
    return seconds


def _write_timeout(*, has_sent: bool) -> type[Exception]:
    # What was not sent at all has the outcome of a request without a connection.
    return httpcore.WriteTimeout if has_sent else httpcore.PoolTimeout


def _only_http11(context: ssl.SSLContext | None) -> ssl.SSLContext | None:
    if context is not None:
        context.set_alpn_protocols(["http/1.1"])
    return context


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner
        self.has_sent = False
        """Whether it has taken a byte of the present request."""

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            left = _left(timeout, _write_timeout(has_sent=self.has_sent))
            self.has_sent = True
            self._inner.write(buffer[start : start + _PIECE], left)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> _Stream:
        try:
            left = _left(timeout, httpcore.ConnectTimeout)
            return _Stream(self._inner.start_tls(ssl_context, server_hostname, left))
        except BaseException:
            self.close()
            raise

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _AsyncStream(httpcore.AsyncNetworkStream):
    def __init__(self, inner: httpcore.AsyncNetworkStream) -> None:
        self._inner = inner
        self.has_sent = False
        """Whether it has taken a byte of the present request."""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _errors_of_tls(httpcore.ReadError):
            return await self._inner.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            left = _left(timeout, _write_timeout(has_sent=self.has_sent))
            self.has_sent = True
            with _errors_of_tls(httpcore.WriteError):
                await self._inner.write(buffer[start : start + _PIECE], left)

    async def aclose(self) -> None:
        # A scope that is cancelled cancels each wait in it.
        with anyio.CancelScope(shield=True):
            await self._inner.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> _AsyncStream:
        try:
            left = _left(timeout, httpcore.ConnectTimeout)
            with _errors_of_tls(httpcore.ConnectError):
                return _AsyncStream(await self._inner.start_tls(ssl_context, server_hostname, left))
        except BaseException:
            await self.aclose()
            raise

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _connect(host: str, port: int, timeout: float | None) -> _Stream:
    failure: Exception | None = None
    # Each address of a name would have the whole timeout.
    for address in _addresses(host, port):
        try:
            left = _left(timeout, httpcore.ConnectTimeout)
            return _Stream(httpcore.SyncBackend().connect_tcp(address, port, left, socket_options=[]))
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            failure = error
    raise failure or httpcore.ConnectError(f"{host} has no address")


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpcore.ConnectError(str(error)) from error
    return list(dict.fromkeys(str(each[4][0]) for each in found))


async def _connect_async(host: str, port: int, timeout: float | None) -> _AsyncStream:
    left = _left(timeout, httpcore.ConnectTimeout)
    return _AsyncStream(await httpcore.AnyIOBackend().connect_tcp(host, port, left))


class _Connection(httpcore.HTTP11Connection):
    def __init__(self, origin: httpcore.Origin, stream: _Stream) -> None:
        super().__init__(origin, stream, _KEEP_ALIVE_SECONDS)
        self.network_stream = stream


class _AsyncConnection(httpcore.AsyncHTTP11Connection):
    def __init__(self, origin: httpcore.Origin, stream: _AsyncStream) -> None:
        super().__init__(origin, stream, _KEEP_ALIVE_SECONDS)
        self.network_stream = stream


def _core_request(request: httpx.Request) -> httpcore.Request:
    url = request.url
    return httpcore.Request(
        method=request.method,
        url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=request.headers.raw,
        content=request.stream,
        extensions=request.extensions,
    )


class _Arrival:
    """An event that is set once. Unlike that of `threading`, no thread holds a lock of it within `wait`.

    The garbage collector may end an abandoned iterator there, and so set the event of the same thread.
    """

    def __init__(self) -> None:
        self._is_missing = threading.Lock()
        self._is_missing.acquire()

    def set(self) -> None:
        self._is_missing.release()

    def wait(self, seconds: float) -> bool:
        """Wait for the event; whether it has come."""
        return self._is_missing.acquire(timeout=min(seconds, threading.TIMEOUT_MAX))


class Transport(httpx.BaseTransport):
    """HTTP/1.1 over a pool of connections. Safe for threads."""

    def __init__(self, ssl_context: ssl.SSLContext | None, connections: int) -> None:
        self._ssl_context = _only_http11(ssl_context)
        self.places: Pool[_Connection, _Arrival] = Pool(connections, _Arrival)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, and wait for the head of its answer."""
        with _errors_of_httpx():
            sent = _core_request(request)
            self._enter(sent.extensions["timeout"]["pool"], is_urgent=sent.extensions["is_urgent"])
            connection: _Connection | None = None
            try:
                while (connection := self.places.take(sent.url.origin)) and not usable(connection, sent.url.origin):
                    connection.close()
                if connection is None:
                    connection = self._open(sent)
                connection.network_stream.has_sent = False
                answer = connection.handle_request(sent)
            except BaseException:
                self._abandon(connection)
                raise
        body = _Body(self, connection, answer)
        return httpx.Response(answer.status, headers=answer.headers, stream=body, extensions=answer.extensions)

    def _enter(self, seconds: float, *, is_urgent: bool) -> None:
        event = self.places.enter(is_urgent=is_urgent)
        if event is None:
            return
        try:
            if not event.wait(seconds):
                raise httpcore.PoolTimeout(_IN_USE)
        except BaseException:
            self.places.give_up(event)
            raise

    def _open(self, request: httpcore.Request) -> _Connection:
        origin, timeout = request.url.origin, request.extensions["timeout"]["connect"]
        host = origin.host.decode("ascii")
        stream = _connect(host, origin.port, timeout)
        if origin.scheme == b"https":
            stream = stream.start_tls(self._ssl_context or ssl.create_default_context(), host, timeout)
        return _Connection(origin, stream)

    def _abandon(self, connection: _Connection | None) -> None:
        try:
            if connection is not None:
                connection.close()
        finally:
            self.places.leave()

    def end(self, connection: _Connection, answer: httpcore.Response) -> None:
        """End an answer, read or not."""
        try:
            answer.close()
        finally:
            if not self.places.keep(connection):
                self._abandon(connection)

    def close(self) -> None:
        """Close all connections; those with an answer under way at its end."""
        # Also if the end of one fails.
        with ExitStack() as all_of_them:
            while connection := self.places.close():
                all_of_them.callback(connection.close)


class _Body(httpx.SyncByteStream):
    def __init__(self, transport: Transport, connection: _Connection, answer: httpcore.Response) -> None:
        self._transport = transport
        self._connection: _Connection | None = connection
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        with _errors_of_httpx():
            yield from self._answer.iter_stream()

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._transport.end(connection, self._answer)


class AsyncTransport(httpx.AsyncBaseTransport):
    """HTTP/1.1 over a pool of connections."""

    def __init__(self, ssl_context: ssl.SSLContext | None, connections: int) -> None:
        self._ssl_context = _only_http11(ssl_context)
        self.places: Pool[_AsyncConnection, anyio.Event] = Pool(connections, anyio.Event)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, and wait for the head of its answer."""
        with _errors_of_httpx():
            sent = _core_request(request)
            await self._enter(sent.extensions["timeout"]["pool"], is_urgent=sent.extensions["is_urgent"])
            connection: _AsyncConnection | None = None
            try:
                while (connection := self.places.take(sent.url.origin)) and not usable(connection, sent.url.origin):
                    await connection.aclose()
                if connection is None:
                    connection = await self._open(sent)
                connection.network_stream.has_sent = False
                answer = await connection.handle_async_request(sent)
            except BaseException:
                await self._abandon(connection)
                raise
        body = _AsyncBody(self, connection, answer)
        return httpx.Response(answer.status, headers=answer.headers, stream=body, extensions=answer.extensions)

    async def _enter(self, seconds: float, *, is_urgent: bool) -> None:
        event = self.places.enter(is_urgent=is_urgent)
        if event is None:
            return
        try:
            with anyio.move_on_after(seconds):
                await event.wait()
            if not event.is_set():
                raise httpcore.PoolTimeout(_IN_USE)
        except BaseException:
            self.places.give_up(event)
            raise

    async def _open(self, request: httpcore.Request) -> _AsyncConnection:
        origin, timeout = request.url.origin, request.extensions["timeout"]["connect"]
        host = origin.host.decode("ascii")
        stream = await _connect_async(host, origin.port, timeout)
        if origin.scheme == b"https":
            stream = await stream.start_tls(self._ssl_context or ssl.create_default_context(), host, timeout)
        return _AsyncConnection(origin, stream)

    async def _abandon(self, connection: _AsyncConnection | None) -> None:
        try:
            if connection is not None:
                await connection.aclose()
        finally:
            self.places.leave()

    async def end(self, connection: _AsyncConnection, answer: httpcore.Response) -> None:
        """End an answer, read or not."""
        try:
            await answer.aclose()
        finally:
            if not self.places.keep(connection):
                await self._abandon(connection)

    async def aclose(self) -> None:
        """Close all connections; those with an answer under way at its end."""
        # Also if the end of one fails or is cancelled, which closes its socket all the same.
        async with AsyncExitStack() as all_of_them:
            while connection := self.places.close():
                all_of_them.push_async_callback(connection.aclose)


class _AsyncBody(httpx.AsyncByteStream):
    def __init__(self, transport: AsyncTransport, connection: _AsyncConnection, answer: httpcore.Response) -> None:
        self._transport = transport
        self._connection: _AsyncConnection | None = connection
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _errors_of_httpx():
            async for chunk in self._answer.aiter_stream():
                yield chunk

    async def aclose(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await self._transport.end(connection, self._answer)
