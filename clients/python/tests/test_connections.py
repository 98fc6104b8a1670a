"""The connections of a client: how many there are, who waits for one, and that each one comes back."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import anyio
import httpx
import pytest

from conftest import Nodes
from hostile import (
    LEAVES_SOCKETS,
    SLOWNESS,
    Clients,
    Connection,
    Received,
    Script,
    Server,
    answer,
    late,
    lines,
    problem,
    sends,
    shared,
    stand_still,
    value,
    wait_until,
    written,
)
from quorate import AsyncClient, Client, DeadlineExceeded, Entity, Unavailable, Written
from quorate._calls import Attempts
from quorate._deadline import Deadline
from quorate._exchange import failure_of
from quorate._nodes import Nodes as NodeList
from quorate._options import Options
from quorate._pool import Pool
from quorate._requests import Effect
from quorate._transport import Transport

KINDS = ["sync", "async"]

cancelling = pytest.mark.filterwarnings("ignore::ResourceWarning" if LEAVES_SOCKETS else "error")


@contextmanager
def busy(call: Callable[..., Any], threads: int) -> Iterator[None]:
    """Threads that write all the time."""
    ended = threading.Event()

    def writing() -> None:
        while not ended.is_set():
            call("put", "load", b"", deadline=60)

    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(writing) for _ in range(threads)]
        try:
            yield
        finally:
            ended.set()
    for each in running:
        each.result()


@pytest.mark.parametrize("kind", KINDS)
def test_a_deadline_has_the_wait_for_a_connection(node: Nodes, kind: str) -> None:
    server = node(late(0.2, written()))
    with shared(kind, server, connections=1) as call, busy(call, 4):
        wait_until(lambda: len(server.received) >= 2)
        for _ in range(3):
            began = time.monotonic()
            with pytest.raises(DeadlineExceeded):
                call("put", "short", b"", deadline=0.3 * SLOWNESS)
            assert 0.25 < (time.monotonic() - began) / SLOWNESS < 0.3 + 1.5
    assert [each for each in server.received if "short" in each.target] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_wait_for_a_connection_that_does_not_come(node: Nodes, kind: str) -> None:
    released = threading.Event()

    def hold(connection: Connection, request: Received) -> None:
        released.wait(10 * SLOWNESS)
        written()(connection, request)

    server = node(hold)
    with shared(kind, server, connections=1, stall_timeout=30 * SLOWNESS) as call, ThreadPoolExecutor(1) as pool:
        holding = pool.submit(call, "put", "k", b"")
        wait_until(lambda: len(server.received) == 1)
        began = time.monotonic()
        with pytest.raises(DeadlineExceeded, match="all connections of the client are in use"):
            call("put", "short", b"", deadline=0.3 * SLOWNESS)
        assert 0.25 < (time.monotonic() - began) / SLOWNESS < 0.3 + 1.5
        released.set()
        holding.result()
        assert call("put", "k", b"") == Written('"1"')
    assert [each for each in server.received if "short" in each.target] == []


def test_a_wait_for_a_connection_is_no_fault_of_the_node() -> None:
    nodes, options = NodeList(["http://a", "http://b"], shuffle=False), Options()
    for error, first in ((httpx.PoolTimeout("all in use"), "http://a"), (httpx.ConnectError("refused"), "http://b")):
        Attempts(nodes, Deadline(options), options).failed(failure_of(error), Effect.WRITE)
        assert nodes.order()[0] == first


@pytest.mark.parametrize("kind", KINDS)
def test_more_calls_than_connections(node: Nodes, kind: str) -> None:
    server = node(value())
    with shared(kind, server, connections=8, deadline=60) as call, ThreadPoolExecutor(200) as pool:
        read = list(pool.map(lambda i: call("get", str(i)), range(200)))
    assert [each.value for each in read] == [b"red"] * 200
    assert server.connections <= 8
    assert len(server.received) == 200


def test_a_call_that_has_no_time_left_is_not_sent(clients: Clients, node: Nodes) -> None:
    server = node(written())
    delay = [0.0]

    def token() -> str:
        time.sleep(delay[0])
        return "a"

    client = clients.open(server, token=token, deadline=0.3)
    client.put("k", b"", deadline=10 * SLOWNESS)
    delay[0] = 0.4 * SLOWNESS
    with pytest.raises(DeadlineExceeded):
        client.put("k", b"")
    assert len(server.received) == 1


def turns(node: Nodes) -> list[Server]:
    """Three nodes, of which each one answers every second request: calls go around."""
    return [node(*[value(), problem(503, "draining")] * 3) for _ in range(3)]


def test_connections_to_all_nodes_are_counted_together(clients: Clients, node: Nodes) -> None:
    servers = turns(node)
    client = clients.open(*servers, connections=2)
    for _ in range(6):
        client.get("k")
        wait_until(lambda: sum(each.open_connections for each in servers) <= 2)
    assert min(len(each.received) for each in servers) >= 3


def test_an_idle_connection_is_used_again(clients: Clients, node: Nodes) -> None:
    servers = turns(node)
    client = clients.open(*servers, connections=3)
    for _ in range(6):
        client.get("k")
    assert [each.connections for each in servers] == [1, 1, 1]


def test_a_place_that_comes_back_within_the_pool_is_not_lost() -> None:
    """The garbage collector may end an abandoned iterator at any moment."""

    class Collecting(threading.Event):
        def __init__(self) -> None:
            super().__init__()
            # As the end of an iterator does it, in the midst of `enter`.
            if pools and pools[0]._free == 0:
                pools[0].leave()

    pools: list[Pool[Any, Collecting]] = []
    pools.append(Pool(1, Collecting))
    pool = pools[0]

    def collect() -> None:
        assert pool.enter() is None
        assert pool.enter() is None
        with pool._lock:
            pool.leave()

    thread = threading.Thread(target=collect, daemon=True)
    thread.start()
    thread.join(10 * SLOWNESS)
    assert pool._free == 1


def test_a_place_that_comes_back_within_the_wait_for_one_is_not_lost() -> None:
    """As above, while the thread waits: its own event is set within `wait`."""
    pool = Transport(None, 1).places
    assert pool.enter() is None
    come: list[bool] = []

    def collect(_: object, event: str, function: object) -> None:
        if event == "c_call" and getattr(function, "__name__", "") == "acquire":
            sys.setprofile(None)
            pool.leave()

    def wait() -> None:
        arrival = pool.enter()
        assert arrival is not None
        sys.setprofile(collect)
        come.append(arrival.wait(10 * SLOWNESS))

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    thread.join(20 * SLOWNESS)
    assert come == [True]


def test_urgent_requests_come_before_all_that_wait() -> None:
    pool: Pool[Any, threading.Event] = Pool(1, threading.Event)
    assert pool.enter() is None
    events: list[Any] = [pool.enter(is_urgent=urgent) for urgent in (False, True, True, True)]
    last, second, given_up, third = events
    pool.give_up(given_up)
    for each in (second, third, last):
        assert not each.is_set()
        pool.leave()
        assert each.is_set()
    assert not given_up.is_set()


def test_waits_of_nodes_leave_half_of_the_places_free() -> None:
    assert not Pool(1, threading.Event).begin_wait()
    pool: Pool[Any, threading.Event] = Pool(5, threading.Event)
    assert [pool.begin_wait() for _ in range(3)] == [True, True, False]
    pool.end_wait()
    pool.enter()
    assert pool.begin_wait()
    pool.end_wait()
    pool.enter()
    # One wait, and two calls.
    assert not pool.begin_wait()


RECORDS = [{"key": key, "etag": '"1"', "value": ""} for key in ("a", "b")]


def test_the_caller_of_pages_has_the_connection_for_other_calls(clients: Clients, node: Nodes) -> None:
    first = lines(RECORDS[0], {"last": True, "records": 1, "next": "/v0/entities?cursor=c"})
    server = node(sends(first), written(), sends(lines(RECORDS[1], {"last": True, "records": 1})), written())
    client = clients.open(server, connections=1)
    keys = []
    for page in client.pages(page_size=1):
        keys += [each.key for each in page]
        client.put(keys[-1], b"")
    assert keys == ["a", "b"]
    assert (len(server.received), server.connections) == (4, 1)


def endless(connection: Connection, _: Received) -> None:
    connection.send(lines(*RECORDS, is_whole=False))
    # It ends when the client ends it.
    connection.reader.read(1)


def test_an_iterator_that_is_left_gives_its_connection_back(clients: Clients, node: Nodes) -> None:
    server = node(endless, written())
    client = clients.open(server, connections=1)
    for record in client.range():
        assert record.key == "a"
        break
    assert client.put("k", b"") == Written('"1"')
    wait_until(lambda: server.open_connections == 1)


@pytest.mark.parametrize("closes", [True, False])
def test_a_loop_of_a_task_that_is_left_gives_its_connection_back(node: Nodes, closes: bool) -> None:
    server = node(endless, written())

    async def leave(client: AsyncClient) -> None:
        if closes:
            async with contextlib.aclosing(client.range()) as records:
                async for _ in records:
                    break
        else:
            async for _ in client.range():
                break

    async def run() -> None:
        async with AsyncClient(server.url, connections=1, deadline=10 * SLOWNESS) as client:
            await leave(client)
            assert await client.put("k", b"") == Written('"1"')

    asyncio.run(run())
    wait_until(lambda: server.open_connections == 0)


@pytest.mark.parametrize("by", ["task", "scope"])
def test_an_iterator_that_is_cancelled_gives_its_connection_back(node: Nodes, by: str) -> None:
    server = node(endless, written())
    keys = []

    async def iterate(client: AsyncClient, scope: anyio.CancelScope) -> None:
        with scope:
            async for record in client.range():
                keys.append(record.key)

    async def run() -> None:
        async with AsyncClient(server.url, connections=1, deadline=10 * SLOWNESS) as client:
            scope = anyio.CancelScope()
            task = asyncio.create_task(iterate(client, scope))
            # The third record does not come.
            await anyio.to_thread.run_sync(wait_until, lambda: len(keys) == 2)
            scope.cancel() if by == "scope" else task.cancel()
            await asyncio.wait([task])
            assert task.cancelled() == (by == "task")
            assert await client.put("k", b"") == Written('"1"')

    asyncio.run(run())
    assert keys == ["a", "b"]
    wait_until(lambda: server.open_connections == 0)


@pytest.mark.parametrize("refusal", [problem(503, "overloaded"), answer(502, b"x" * 100_000)])
def test_a_pause_has_no_connection(
    clients: Clients, node: Nodes, monkeypatch: pytest.MonkeyPatch, refusal: Script
) -> None:
    free: list[int] = []

    def pause(_: float) -> None:
        free.append(pool._free)

    async def pause_of_task(_: float) -> None:
        free.append(pool._free)

    monkeypatch.setattr("quorate._client.time", SimpleNamespace(sleep=pause))
    monkeypatch.setattr("quorate._async_client.anyio.sleep", pause_of_task)
    client = clients.open(node(refusal, value()), connections=1)
    opened: Any = client if isinstance(client, Client) else client._client
    pool = opened._transport.places
    assert client.get("k").value == b"red"
    assert free == [1]


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_client_without_connections_is_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match="connections"):
        kind("http://localhost", connections=0)


@cancelling
@pytest.mark.parametrize(("connections", "tasks"), [(4, 4), (4, 1), (8, 16)])
def test_calls_that_are_cancelled_give_their_connections_back(node: Nodes, connections: int, tasks: int) -> None:
    server = node(value(b"x" * 2000))

    async def cancel_calls(client: AsyncClient, seconds: float) -> None:
        calls = [asyncio.create_task(client.get("k")) for _ in range(tasks)]
        await asyncio.sleep(seconds)
        for each in calls:
            each.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    async def cancel() -> None:
        async with AsyncClient(server.url, connections=connections, deadline=10 * SLOWNESS) as client:
            for i in range(300):
                await cancel_calls(client, i % 60 * 0.0001)
            read = await asyncio.gather(*(client.get("k") for _ in range(connections * 3)))
            assert all(isinstance(each, Entity) for each in read)
            await anyio.to_thread.run_sync(wait_until, lambda: server.open_connections <= connections)

    asyncio.run(cancel())
    wait_until(lambda: server.open_connections == 0)


@cancelling
def test_scopes_that_are_cancelled_give_their_connections_back(node: Nodes) -> None:
    server = node(late(0.003, value(b"x" * 2000)))

    async def cancel() -> None:
        async with AsyncClient(server.url, connections=2, deadline=10 * SLOWNESS) as client:
            for i in range(100):
                with anyio.move_on_after(i % 50 * 0.0002):
                    async with anyio.create_task_group() as group:
                        for _ in range(4):
                            group.start_soon(client.get, "k")
            assert all([isinstance(await client.get("k"), Entity) for _ in range(6)])
            await anyio.to_thread.run_sync(wait_until, lambda: server.open_connections <= 2)

    asyncio.run(cancel())
    wait_until(lambda: server.open_connections == 0)


def test_a_call_that_is_cancelled_while_it_waits_takes_no_connection(node: Nodes) -> None:
    server = node(late(0.3, value()), value())

    async def cancel() -> None:
        async with AsyncClient(server.url, connections=1, deadline=10 * SLOWNESS) as client:
            first = asyncio.create_task(client.get("first"))
            await anyio.to_thread.run_sync(wait_until, lambda: len(server.received) == 1)
            waiting = [asyncio.create_task(client.get("waiting")) for _ in range(3)]
            await asyncio.sleep(0.05)
            for each in waiting:
                each.cancel()
            await asyncio.gather(first, *waiting, return_exceptions=True)
            assert isinstance(await client.get("last"), Entity)

    asyncio.run(cancel())
    assert [each.target[-5:] for each in server.received] == ["first", "/last"]


def test_a_client_that_is_closed_does_nothing(clients: Clients, node: Nodes) -> None:
    server = node(written())
    client = clients.open(server)
    client.put("k", b"")
    client.close()
    wait_until(lambda: server.open_connections == 0)
    calls: list[Callable[[], object]] = [
        lambda: client.put("k", b""),
        lambda: client.get("k"),
        lambda: client.batch([]),
        lambda: next(client.range()),
        lambda: next(client.pages(limit=0)),
        lambda: next(client.watch()),
    ]
    for each in calls:
        with pytest.raises(RuntimeError, match="closed"):
            each()
    assert len(server.received) == 1


def test_a_cancelled_close_leaves_no_connection_open(node: Nodes) -> None:
    server = node(*[late(0.3, value())] * 3)

    async def cancel() -> None:
        client = AsyncClient(server.url, connections=3)
        await asyncio.gather(*(client.get("k") for _ in range(3)))
        assert server.open_connections == 3
        closing = asyncio.create_task(client.aclose())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.wait([closing])
        await anyio.to_thread.run_sync(wait_until, lambda: server.open_connections == 0)

    asyncio.run(cancel())


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_under_way_ends_after_its_client_is_closed(node: Nodes, kind: str) -> None:
    server, other = node(late(0.5, lambda connection, _: connection.cut()), written()), node(late(0.2, written()))
    with ThreadPoolExecutor(1) as pool, shared(kind, server, other, repeat_unknown=True) as call:
        writing = pool.submit(call, "put", "k", b"")
        wait_until(lambda: len(server.received) == 1)
        call("close" if kind == "sync" else "aclose")
        assert isinstance(writing.result(), Written)
        wait_until(lambda: server.open_connections + other.open_connections == 0)


def test_calls_of_a_client_whose_node_stands_still_come_back(clients: Clients, node: Nodes) -> None:
    server = node(stand_still, stand_still, value())
    client = clients.open(server, connections=1, deadline=0.3)
    for _ in range(2):
        with pytest.raises(Unavailable):
            client.get("k")
    assert client.get("k", deadline=10 * SLOWNESS).value == b"red"
