"""Watches of both clients, with nodes on loopback: their connections, and their end from elsewhere."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
import trustme

from conftest import Nodes
from hostile import (
    Clients,
    Connection,
    Received,
    Script,
    answer,
    chunked,
    cut,
    head,
    problem,
    stand_still_after,
    wait_until,
    written,
)
from quorate import AsyncClient, Client, Forbidden, Written
from quorate.watch import Event, Gap, Put, Stalled
from test_tls import https
from test_watch import LIVE, PUT, end, live, put

# What a failing test waits for the other thread, whatever the machine does meanwhile.
MINUTE = 60


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses are only those that nodes ask for."""
    monkeypatch.setattr("quorate.watch.random", SimpleNamespace(uniform=lambda *_: 0.0))


def begun(*events: bytes) -> bytes:
    return head(200, Content_Type="text/event-stream", Transfer_Encoding="chunked") + chunked(
        b": quorate\n\n", *events, is_whole=False
    )


def quiet(*events: bytes) -> Script:
    """A script that sends events, and no more until the client ends the connection."""

    def script(connection: Connection, _: Received) -> None:
        connection.send(begun(*events))
        connection.reader.read(1)

    return script


def cut_after_events(*events: bytes) -> Script:
    def script(connection: Connection, _: Received) -> None:
        connection.send(begun(*events))
        connection.close()

    return script


@pytest.mark.usefixtures("at_once")
def test_a_watch_goes_on_at_any_node(clients: Clients, node: Nodes) -> None:
    first = node(cut_after_events(put("a", "c1"), put("b", "c2"), put("c", "c3")[:20]))
    servers = [first, node(problem(503, "draining")), node(cut), node(quiet(put("c", "c3"), live("c4")))]
    watch = clients.open(*servers).watch(prefix="p", cursor="c0")
    assert [(next(watch).key, watch.cursor) for _ in range(3)] == [("a", "c1"), ("b", "c2"), ("c", "c3")]
    assert (next(watch), watch.cursor) == (LIVE, "c4")
    assert [[each.headers.get("last-event-id") for each in server.received] for server in servers] == [
        [None], ["c2"], ["c2"], ["c2"]
    ]  # fmt: skip
    assert first.received[0].target == "/v0/watch?prefix=p&cursor=c0"
    watch.close()
    assert list(watch) == []


def test_characters_may_be_cut_anywhere(clients: Clients, node: Nodes) -> None:
    data = put("日本 🍎", "c1").replace(b"\n", b"\r\n") + live()
    watch = clients.open(node(quiet(*(bytes([each]) for each in data)))).watch()
    assert [next(watch), next(watch)] == [Put("日本 🍎", '"1"', 3), LIVE]
    watch.close()


@pytest.mark.usefixtures("at_once")
def test_a_cursor_that_a_node_has_lost(clients: Clients, node: Nodes) -> None:
    server = node(problem(410, "cursor-lost"), quiet(put("a", "c1"), live()))
    watch = clients.open(server).watch(cursor="c0")
    assert [next(watch), watch.cursor] == [Gap(), None]
    assert [next(watch), next(watch), watch.cursor] == [PUT, LIVE, "c1"]
    assert server.received[1].target == "/v0/watch?cursor=0"
    watch.close()


def test_a_watch_without_rights_is_an_error(clients: Clients, node: Nodes) -> None:
    watch = clients.open(node(problem(403, "forbidden"))).watch()
    with pytest.raises(Forbidden):
        next(watch)
    assert list(watch) == []


@pytest.mark.usefixtures("at_once")
def test_each_connection_has_the_present_token(clients: Clients, node: Nodes) -> None:
    tokens = iter(["a", "b"])
    server = node(cut_after_events(live("c1")), quiet(live()))
    watch = clients.open(server, token=lambda: next(tokens)).watch()
    assert [next(watch), next(watch)] == [LIVE, LIVE]
    assert [each.headers["authorization"] for each in server.received] == ["Bearer a", "Bearer b"]
    watch.close()


@pytest.mark.usefixtures("at_once")
def test_a_silent_connection_is_left(clients: Clients, node: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quorate.watch.SILENCE", 0.2)
    server = node(stand_still_after(begun(live("c1"))), quiet(live("c2")))
    watch = clients.open(server).watch()
    next(watch)
    assert server.received[1:] == []
    assert [next(watch), watch.cursor] == [LIVE, "c2"]
    assert server.received[1].headers["last-event-id"] == "c1"
    watch.close()


@pytest.mark.usefixtures("at_once")
def test_a_node_that_does_not_begin_is_left(clients: Clients, node: Nodes, deaf_url: str) -> None:
    watch = clients.open(deaf_url, node(quiet(live())), stall_timeout=0.2).watch()
    assert LIVE in watch
    watch.close()


@pytest.mark.usefixtures("at_once")
def test_a_watch_for_which_there_is_no_connection_says_so(clients: Clients, node: Nodes) -> None:
    client = clients.open(node(quiet(live())), connections=1, deadline=0.2)
    first, second = client.watch(), client.watch()
    assert LIVE in first
    told = next(second)
    assert isinstance(told, Stalled)
    assert "all connections of the client are in use" in told.failures[0].reason
    first.close()
    assert LIVE in second
    second.close()


@pytest.mark.parametrize("closes", [True, False])
def test_a_watch_that_is_left_gives_its_connection_back(clients: Clients, node: Nodes, closes: bool) -> None:
    server = node(quiet(live()), written())
    client = clients.open(server, connections=1)
    watch = client.watch()
    assert next(watch) == LIVE
    if closes:
        watch.close()
        watch.close()
        with pytest.raises(StopIteration):
            next(watch)
    del watch
    assert client.put("k", b"") == Written('"1"')
    wait_until(lambda: server.open_connections == 1)


@pytest.mark.usefixtures("at_once")
def test_a_watch_ends_with_its_client(clients: Clients, node: Nodes) -> None:
    proceed = threading.Event()

    def script(connection: Connection, _: Received) -> None:
        connection.send(begun(live()))
        proceed.wait(MINUTE)
        connection.send(chunked(b":\n\n", live(), is_whole=False))

    client = clients.open(node(script))
    watch = client.watch()
    assert next(watch) == LIVE
    client.close()
    proceed.set()
    with pytest.raises(RuntimeError, match="the client is closed"):
        next(watch)
    assert list(watch) == []


# The end of a watch from elsewhere


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """No wait ends by itself within a test."""
    monkeypatch.setattr("quorate.watch.SILENCE", 10.0 * MINUTE)
    monkeypatch.setattr("quorate.watch._LONGEST_PAUSE", 10.0 * MINUTE)


def silent(connection: Connection, _: Received) -> None:
    connection.reader.read(1)


WAITS: dict[str, Script] = {
    "for an event": quiet(live()),
    "in a pause": cut_after_events(live(), end("draining", 600_000)),
    "for the head": silent,
}


@pytest.mark.usefixtures("at_once", "endless")
@pytest.mark.parametrize("name", WAITS)
def test_another_thread_ends_a_watch(node: Nodes, name: str) -> None:
    server = node(WAITS[name], written())
    with Client(server.url, connections=1) as client, ThreadPoolExecutor(1) as pool:
        watch = client.watch(stall_timeout=1.0 if name == "for the head" else MINUTE)
        if name != "for the head":
            assert next(watch) == LIVE
        waiting = pool.submit(next, watch, None)
        wait_until(lambda: watch._lock.locked() and len(server.received) == 1)
        watch.close()
        assert waiting.result(MINUTE) is None
        assert list(watch) == []
        assert client.put("k", b"") == Written('"1"')
    wait_until(lambda: server.open_connections == 0)


@pytest.mark.usefixtures("endless")
def test_another_thread_ends_a_watch_over_https(node: Nodes, authority: trustme.CA, ca: Path) -> None:
    server = node(quiet(live()))
    with Client(https(server, authority), ca=ca) as client, ThreadPoolExecutor(1) as pool:
        watch = client.watch()
        assert next(watch) == LIVE
        waiting = pool.submit(next, watch, None)
        wait_until(watch._lock.locked)
        watch.close()
        assert waiting.result(MINUTE) is None
    wait_until(lambda: server.open_connections == 0)


def test_a_watch_that_another_thread_ends_at_an_event_gives_its_connection_back(
    node: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = node(quiet(live()), written())
    with Client(server.url, connections=1) as client, ThreadPoolExecutor(1) as pool:
        watch = client.watch()
        original = watch._next

        def ended_meanwhile() -> Event:
            event = original()
            pool.submit(watch.close).result(MINUTE)
            return event

        monkeypatch.setattr(watch, "_next", ended_meanwhile)
        assert next(watch) == LIVE
        assert client.put("k", b"") == Written('"1"')


@pytest.mark.usefixtures("endless")
def test_the_end_of_a_watch_does_not_cut_another_call(node: Nodes) -> None:
    """A connection that has come back belongs to the next call."""
    proceed = threading.Event()

    def write(connection: Connection, request: Received) -> None:
        proceed.wait(MINUTE)
        written()(connection, request)

    server = node(answer(200, live() + b"retry: 600000\n", Content_Type="text/event-stream"), write)
    with Client(server.url, connections=1) as client, ThreadPoolExecutor(2) as pool:
        watch = client.watch()
        assert next(watch) == LIVE
        pausing = pool.submit(next, watch, None)
        writing = pool.submit(client.put, "k", b"")
        wait_until(lambda: len(server.received) == 2)
        watch.close()
        proceed.set()
        assert writing.result(MINUTE) == Written('"1"')
        assert pausing.result(MINUTE) is None
    assert server.connections == 1


def test_threads_share_a_watch(node: Nodes) -> None:
    server = node(quiet(*(put(str(i), f"c{i}") for i in range(200))))
    with Client(server.url) as client, client.watch() as watch, ThreadPoolExecutor(4) as pool:
        events = list(pool.map(lambda _: next(watch), range(200)))
        assert {each.key for each in events if isinstance(each, Put)} == {str(i) for i in range(200)}
        assert watch.cursor == "c199"


def test_a_thread_that_is_interrupted_can_go_on(node: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    server = node(quiet(live("c1")), quiet(live("c2")))
    with Client(server.url) as client, client.watch() as watch:
        assert next(watch) == LIVE

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr("quorate._client._Exchange.perform", interrupted)
            with pytest.raises(KeyboardInterrupt):
                next(watch)
        assert next(watch) == LIVE
        assert server.received[1].headers["last-event-id"] == "c1"


async def wait_for_waiting(watch: Any) -> None:
    while watch._waiting is None:  # noqa: ASYNC110
        await asyncio.sleep(0)


async def begin_waiting(watch: Any) -> asyncio.Task[Event | None]:
    task = asyncio.create_task(anext(watch, None))
    await wait_for_waiting(watch)
    return task


@pytest.mark.usefixtures("at_once", "endless")
@pytest.mark.parametrize("name", WAITS)
def test_another_task_ends_a_watch(node: Nodes, name: str) -> None:
    server = node(WAITS[name], written())

    async def run() -> None:
        async with AsyncClient(server.url, connections=1, stall_timeout=MINUTE) as client:
            watch = client.watch()
            if name != "for the head":
                assert await anext(watch) == LIVE
            waiting = await begin_waiting(watch)
            await anyio.to_thread.run_sync(wait_until, lambda: len(server.received) == 1)
            await watch.aclose()
            assert await waiting is None
            assert [each async for each in watch] == []
            assert await client.put("k", b"") == Written('"1"')

    asyncio.run(asyncio.wait_for(run(), MINUTE))
    wait_until(lambda: server.open_connections == 0)


@pytest.mark.parametrize("by", ["task", "scope"])
def test_a_task_that_is_cancelled_ends_at_once_and_the_watch_can_go_on(node: Nodes, by: str) -> None:
    server = node(quiet(live("c1"), put("a")), written(), quiet(put("a", "c2")))

    async def wait(watch: Any, scope: anyio.CancelScope) -> None:
        with scope:
            await anext(watch)

    async def run() -> None:
        async with AsyncClient(server.url, connections=1) as client, client.watch() as watch:
            assert [await anext(watch), await anext(watch), watch.cursor] == [LIVE, PUT, "c1"]
            scope = anyio.CancelScope()
            task = asyncio.create_task(wait(watch, scope))
            await wait_for_waiting(watch)
            scope.cancel() if by == "scope" else task.cancel()
            await asyncio.wait([task])
            assert task.cancelled() == (by == "task")
            assert await client.put("k", b"") == Written('"1"')
            assert [await anext(watch), watch.cursor] == [PUT, "c2"]

    asyncio.run(asyncio.wait_for(run(), MINUTE))
    assert server.received[2].headers["last-event-id"] == "c1"
    wait_until(lambda: server.open_connections == 0)


def test_two_tasks_do_not_wait_for_one_event(node: Nodes) -> None:
    async def run() -> None:
        async with AsyncClient(node(quiet(live())).url) as client, client.watch() as watch:
            assert await anext(watch) == LIVE
            waiting = await begin_waiting(watch)
            with pytest.raises(RuntimeError, match="another task"):
                await anext(watch)
            await watch.aclose()
            assert await waiting is None

    asyncio.run(asyncio.wait_for(run(), MINUTE))
