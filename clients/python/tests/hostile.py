"""A server that does what the test says, byte by byte, and clients that behave alike."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from quorate import AsyncClient, AsyncWatch, Client
from quorate.watch import Event

# On a machine with other work all waits are longer by this factor.
SLOWNESS = float(os.environ.get("SLOWNESS", "1"))

# Of a cancelled attempt at a connection anyio before 4.16 leaves the socket to the garbage collector, which says so.
LEAVES_SOCKETS = tuple(int(each) for each in version("anyio").split(".")[:2]) < (4, 16)


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 10 * SLOWNESS
    while not is_so():
        if LEAVES_SOCKETS:
            gc.collect()
        assert time.monotonic() < end
        time.sleep(0.01)


@dataclass
class Received:
    """A request as the server has got it."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


Script = Callable[["Connection", Received], None]


class Connection:
    """One connection of a client, as scripts use it."""

    def __init__(self, server: Server, connected: socket.socket) -> None:
        self._server = server
        self._socket = connected
        self.reader = connected.makefile("rb")

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def cut(self) -> None:
        """End the connection by a reset: the client gets no orderly end."""
        with contextlib.suppress(OSError):
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.close()

    def close(self) -> None:
        # The socket is open as long as a file of it is.
        with contextlib.suppress(OSError):
            self.reader.close()
        self._socket.close()

    def stand_still(self) -> None:
        """Send nothing until the test ends."""
        self._server.ended.wait(120)

    def wait(self, seconds: float) -> None:
        self._server.ended.wait(seconds * SLOWNESS)


@dataclass
class Server:
    """A node on loopback that answers the n-th request by the n-th script, and all later ones by the last."""

    scripts: list[Script] = field(default_factory=list)
    received: list[Received] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)
    tls: ssl.SSLContext | None = None

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._connections: list[Connection] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                connected, _ = self._listening.accept()
            except OSError:
                return
            if self.tls is not None:
                # The handshake is part of the first read.
                connected = self.tls.wrap_socket(connected, server_side=True, do_handshake_on_connect=False)
            connection = Connection(self, connected)
            self._connections.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: Connection) -> None:
        with contextlib.suppress(OSError, ValueError):
            while True:
                request = _read(connection)
                if request is None:
                    break
                with self._lock:
                    script = self.scripts[min(len(self.received), len(self.scripts) - 1)]
                    self.received.append(request)
                script(connection, request)
        connection.close()

    @property
    def connections(self) -> int:
        """Number of connections that clients have made."""
        return len(self._connections)

    @property
    def open_connections(self) -> int:
        """Number of connections that neither side has ended."""
        return sum(each.is_alive() for each in self._threads[1:])

    def wait_for_end_of_connections(self, seconds: float) -> bool:
        """Whether the clients end all their connections in time."""
        end = time.monotonic() + seconds
        for connection in self._connections:
            connection._socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                if connection._socket.recv(1) != b"":
                    return False
            except ConnectionError:
                pass
            except TimeoutError:
                return False
        return True

    def close(self) -> None:
        self.ended.set()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection._socket.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
            assert not thread.is_alive()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _read(connection: Connection) -> Received | None:
    line = connection.reader.readline()
    if not line:
        return None
    method, target, _ = line.decode("ascii").split(" ")
    headers = {}
    while (field_line := connection.reader.readline().strip()) != b"":
        name, _, value = field_line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    return Received(method, target, headers, connection.reader.read(int(headers.get("content-length", "0"))))


def head(status: int, **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} Whatever", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def answer(status: int, body: bytes = b"", **headers: str) -> Script:
    """A script that sends a whole answer."""
    return lambda connection, _: connection.send(head(status, Content_Length=str(len(body)), **headers) + body)


def written(status: int = 201) -> Script:
    return answer(status, ETag='"1"')


def value(body: bytes = b"red", **headers: str) -> Script:
    return answer(200, body, **{"ETag": '"1"', "Content_Type": "text/plain", **headers})


def problem_document(status: int, name: str, **members: object) -> bytes:
    document = {
        "type": f"urn:quorate:problem:{name}",
        "title": "T",
        "status": status,
        "detail": "D",
        "instance": "/v0/entity",
    }
    return json.dumps({**document, **members}).encode() + b"\n"


def problem(status: int, name: str, headers: dict[str, str] | None = None, **members: object) -> Script:
    return answer(
        status,
        problem_document(status, name, **members),
        Content_Type="application/problem+json",
        Cache_Control="no-store",
        **(headers or {}),
    )


ABSENT = problem(404, "not-found")


def stand_still(connection: Connection, _: Received) -> None:
    connection.stand_still()


def cut(connection: Connection, _: Received) -> None:
    connection.cut()


def cut_after(data: bytes) -> Script:
    """A script that sends the beginning of an answer, and ends the connection."""

    def script(connection: Connection, _: Received) -> None:
        connection.send(data)
        connection.close()

    return script


def late(seconds: float, script: Script) -> Script:
    """A script that begins later."""

    def waiting(connection: Connection, request: Received) -> None:
        connection.wait(seconds)
        script(connection, request)

    return waiting


def stand_still_after(data: bytes) -> Script:
    def script(connection: Connection, _: Received) -> None:
        connection.send(data)
        connection.stand_still()

    return script


def trickle(data: bytes, pause: float = 0.05, at_once: int = 0) -> Script:
    """A script that sends an answer byte by byte: never silent for long, and never done in time."""

    def script(connection: Connection, _: Received) -> None:
        connection.send(data[:at_once])
        for byte in data[at_once:]:
            connection.send(bytes([byte]))
            time.sleep(pause * SLOWNESS)

    return script


def chunked(*chunks: bytes, is_whole: bool = True) -> bytes:
    encoded = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return encoded + (b"0\r\n\r\n" if is_whole else b"")


def lines(*objects: object, is_whole: bool = True, status: int = 200) -> bytes:
    """An answer of JSON lines."""
    body = [json.dumps(each).encode() + b"\n" for each in objects]
    return head(status, Content_Type="application/x-ndjson", Transfer_Encoding="chunked") + chunked(
        *body, is_whole=is_whole
    )


def sends(data: bytes) -> Script:
    return lambda connection, _: connection.send(data)


# What is no answer to any request.
NO_ANSWER: dict[str, Script] = {
    "the connection is reset": cut,
    "no byte comes": stand_still,
    "it is no HTTP": sends(b"\x15\x03\x01\x00\x02\x02\x28"),
    "500": problem(500, "internal-error"),
    "504": problem(504, "not-enough-replicas", required=2, acknowledged=1, outcome="unknown"),
    "502 of a proxy": answer(502, b"Bad Gateway", Content_Type="text/html"),
    "200 of a proxy": answer(200, b"<html>", Content_Type="text/html"),
}


class Clients:
    """A client of either kind, whose calls return when they are done."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._loop = asyncio.new_event_loop() if kind == "async" else None
        self._opened: list[Any] = []

    def open(self, *servers: Server | str, **options: Any) -> Any:
        urls = [each if isinstance(each, str) else each.url for each in servers]
        options = {"shuffle": False, "stall_timeout": 5.0, "deadline": 10.0, **options}
        for name in ("stall_timeout", "deadline"):
            options[name] *= SLOWNESS
        client: Any = (
            Client(urls, **options) if self._loop is None else Waiting(AsyncClient(urls, **options), self._loop)
        )
        self._opened.append(client)
        return client

    def close(self) -> None:
        for client in self._opened:
            client.close()
        if self._loop is not None:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()


class Waiting:
    """An asynchronous client whose methods wait for their results."""

    def __init__(self, client: AsyncClient, loop: asyncio.AbstractEventLoop) -> None:
        self._client = client
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def call(*args: Any, **options: Any) -> Any:
            result = method(*args, **options)
            if isinstance(result, AsyncWatch):
                return WaitingWatch(result, self._wait)
            if isinstance(result, AsyncIterator):
                return self._iterate(result)
            return self._wait(result)

        return call

    def _wait(self, result: Awaitable[Any]) -> Any:
        async def waiting() -> Any:
            return await result

        return self._loop.run_until_complete(waiting())

    def _iterate(self, result: Any) -> Iterator[Any]:
        try:
            while True:
                try:
                    yield self._wait(result.__anext__())
                except StopAsyncIteration:
                    return
        finally:
            self._wait(result.aclose())

    def close(self) -> None:
        self._wait(self._client.aclose())


class WaitingWatch(Iterator[Event]):
    """An asynchronous watch whose methods wait for their results."""

    def __init__(self, watch: AsyncWatch, wait: Callable[[Awaitable[Any]], Any]) -> None:
        self._watch = watch
        self._wait = wait

    @property
    def cursor(self) -> str | None:
        return self._watch.cursor

    def __next__(self) -> Event:
        try:
            event: Event = self._wait(anext(self._watch))
        except StopAsyncIteration:
            raise StopIteration from None
        return event

    def close(self) -> None:
        self._wait(self._watch.aclose())


@contextlib.contextmanager
def shared(kind: str, *servers: Server, **options: Any) -> Iterator[Callable[..., Any]]:
    """A client of either kind whose methods any thread may call, by their names."""
    urls = [each.url for each in servers]
    if kind == "sync":
        with Client(urls, shuffle=False, **options) as client:
            yield lambda name, *arguments, **others: getattr(client, name)(*arguments, **others)
        return
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asynchronous = AsyncClient(urls, shuffle=False, **options)

    def call(name: str, *arguments: Any, **others: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(getattr(asynchronous, name)(*arguments, **others), loop).result()

    try:
        yield call
        call("aclose")
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
