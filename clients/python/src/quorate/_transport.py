"""Transports whose every wait ends at the deadline of the call."""

from __future__ import annotations

import socket
import ssl
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import httpcore
import httpx

from quorate._deadline import Timeout

E = TypeVar("E", bound=Exception)

# A peer that takes bytes one by one is bounded by the waits between pieces.
_PIECE = 16 * 1024

_KEEP_ALIVE_SECONDS = 5.0

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


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            self._inner.write(buffer[start : start + _PIECE], _left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, _left(timeout, httpcore.ConnectTimeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore.NetworkBackend):
    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        options = list(socket_options or ())
        failure: Exception | None = None
        # Each address of a name would have the whole timeout.
        for address in _addresses(host, port):
            try:
                return _Stream(
                    self._inner.connect_tcp(
                        address, port, _left(timeout, httpcore.ConnectTimeout), local_address, options
                    )
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore.ConnectError(f"{host} has no address")

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpcore.ConnectError(str(error)) from error
    return list(dict.fromkeys(str(each[4][0]) for each in found))


class _AsyncStream(httpcore.AsyncNetworkStream):
    def __init__(self, inner: httpcore.AsyncNetworkStream) -> None:
        self._inner = inner

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _errors_of_tls(httpcore.ReadError):
            return await self._inner.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            with _errors_of_tls(httpcore.WriteError):
                await self._inner.write(buffer[start : start + _PIECE], _left(timeout, httpcore.WriteTimeout))

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        with _errors_of_tls(httpcore.ConnectError):
            inner = await self._inner.start_tls(ssl_context, server_hostname, _left(timeout, httpcore.ConnectTimeout))
        return _AsyncStream(inner)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _AsyncBackend(httpcore.AsyncNetworkBackend):
    def __init__(self) -> None:
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        seconds = _left(timeout, httpcore.ConnectTimeout)
        return _AsyncStream(
            await self._inner.connect_tcp(host, port, seconds, local_address, list(socket_options or ()))
        )

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


def _core_request(request: httpx.Request) -> httpcore.Request:
    url = request.url
    return httpcore.Request(
        method=request.method,
        url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=request.headers.raw,
        content=request.stream,
        extensions=request.extensions,
    )


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        with _errors_of_httpx():
            yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


class _AsyncBody(httpx.AsyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _errors_of_httpx():
            async for chunk in self._answer.aiter_stream():
                yield chunk

    async def aclose(self) -> None:
        await self._answer.aclose()


class Transport(httpx.BaseTransport):
    """HTTP/1.1 over a pool of connections. Safe for threads."""

    def __init__(self, ssl_context: ssl.SSLContext | None, connections: int) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl_context,
            max_connections=connections,
            keepalive_expiry=_KEEP_ALIVE_SECONDS,
            network_backend=_Backend(),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, and wait for the head of its answer."""
        with _errors_of_httpx():
            answer = self._pool.handle_request(_core_request(request))
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer), extensions=answer.extensions)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class AsyncTransport(httpx.AsyncBaseTransport):
    """HTTP/1.1 over a pool of connections."""

    def __init__(self, ssl_context: ssl.SSLContext | None, connections: int) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=ssl_context,
            max_connections=connections,
            keepalive_expiry=_KEEP_ALIVE_SECONDS,
            network_backend=_AsyncBackend(),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, and wait for the head of its answer."""
        with _errors_of_httpx():
            answer = await self._pool.handle_async_request(_core_request(request))
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_AsyncBody(answer), extensions=answer.extensions
        )

    async def aclose(self) -> None:
        """Close all connections."""
        await self._pool.aclose()
