"""Locks and jobs of both clients, with their threads and tasks, on a node that answers by sockets."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from conftest import Nodes
from hostile import Connection, Received, Server, wait_until
from quorate import AsyncClient, AsyncLock, Client, Locked, LockLost, OutcomeUnknown
from store import AFTER, BEFORE, Store

LOCK = "lock:report"

JOB = "jobs:mail:1"


@pytest.fixture
def store() -> Store:
    return Store(time.monotonic)


@pytest.fixture
def server(node: Nodes, store: Store) -> Server:
    return node(store)


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.url) as opened:
        yield opened


async def until(is_so: Callable[[], bool]) -> None:
    await asyncio.to_thread(wait_until, is_so)


def with_client(server: Server, test: Callable[[AsyncClient], Coroutine[Any, Any, None]]) -> None:
    async def running() -> None:
        async with AsyncClient(server.url) as client:
            await test(client)

    asyncio.run(running())


def is_touched(store: Store) -> bool:
    return any(each.startswith("PATCH") for each in store.asked)


def lose_a_third(store: Store) -> None:
    chance = random.Random(7)
    choices = [None, None, None, None, BEFORE, AFTER]
    store.fault = lambda method, _: None if method == "GET" else chance.choice(choices)


def test_threads_count_each_step_whatever_is_lost(client: Client, store: Store) -> None:
    lose_a_third(store)
    with ThreadPoolExecutor(8) as threads:
        counts = list(threads.map(lambda _: [client.increment("hits") for _ in range(50)], range(8)))
    assert store.text("hits") == "400"
    assert sorted(each for thread in counts for each in thread) == list(range(1, 401))


def test_tasks_count_each_step_whatever_is_lost(server: Server, store: Store) -> None:
    lose_a_third(store)

    async def counting(client: AsyncClient) -> None:
        async def count() -> None:
            for _ in range(50):
                await client.increment("hits")

        await asyncio.gather(*(count() for _ in range(8)))

    with_client(server, counting)
    assert store.text("hits") == "400"


def test_a_lock_is_released_behind_its_block(client: Client, store: Store) -> None:
    with client.lock(LOCK, ttl=30) as lock:
        assert store._values[LOCK].etag == f'"{lock.token}"'
        assert lock.is_held
        lock.check()
        with pytest.raises(Locked):
            client.lock(LOCK, ttl=30, wait=0)
        assert repr(lock) == f"Lock('{LOCK}', {lock.token})"
    assert store.keys() == []
    lock.release()
    with pytest.raises(LockLost):
        lock.check()
    with pytest.raises(ZeroDivisionError), client.lock(LOCK, ttl=30):
        1 / 0  # noqa: B018
    assert store.keys() == []


def test_an_asynchronous_lock_is_released_behind_its_block(server: Server, store: Store) -> None:
    async def locking(client: AsyncClient) -> None:
        async with await client.lock(LOCK, ttl=30) as lock:
            assert lock.is_held
            with pytest.raises(Locked):
                await client.lock(LOCK, ttl=30, wait=0)
            await lock.renew(60)
        assert store.keys() == []
        await lock.release()
        with pytest.raises(ZeroDivisionError):
            async with await client.lock(LOCK, ttl=30):
                1 / 0  # noqa: B018
        assert store.keys() == []
        task = asyncio.create_task(holding(client))
        await until(lambda: store.keys() != [])
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert store.keys() == []

    async def holding(client: AsyncClient) -> None:
        async with await client.lock(LOCK, ttl=30):
            await asyncio.Event().wait()

    with_client(server, locking)


def test_a_lock_is_renewed_in_the_background_and_says_that_it_is_lost(client: Client, store: Store) -> None:
    def lose(wanted: float) -> None:
        lost, again = threading.Event(), threading.Event()
        with client.lock(LOCK, ttl=5) as lock:
            lock.on_lost(lost.set)
            wait_until(lambda: is_touched(store))
            assert lock.is_held
            store.put(LOCK, "other")
            wait_until(lost.is_set)
            assert not lock.is_held
            lock.on_lost(again.set)
            assert again.is_set()
            1 / wanted

    with pytest.raises(LockLost):
        lose(1)
    assert store.text(LOCK) == "other"
    store.drop(LOCK)
    # The error of the block is more than that of the release.
    with pytest.raises(ZeroDivisionError):
        lose(0)


def test_an_asynchronous_lock_is_renewed_and_says_that_it_is_lost(server: Server, store: Store) -> None:
    async def lose(client: AsyncClient, lost: asyncio.Event) -> None:
        async with await client.lock(LOCK, ttl=5) as lock:
            lock.on_lost(lost.set)
            await until(lambda: is_touched(store))
            assert lock.is_held
            store.put(LOCK, "other")
            await lost.wait()

    async def locking(client: AsyncClient) -> None:
        lost = asyncio.Event()
        with pytest.raises(LockLost):
            await lose(client, lost)
        store.drop(LOCK)
        lock = await client.lock(LOCK, ttl=30)
        lock.on_lost(lost.clear)
        store.put(LOCK, "other")
        with pytest.raises(LockLost):
            await lock.renew()
        assert not lost.is_set()

    with_client(server, locking)


def asked_of(store: Store, method: str) -> int:
    return sum(each.startswith(method) for each in store.asked)


def test_a_waiter_has_no_place_of_its_holder(server: Server, store: Store) -> None:
    with Client(server.url, connections=1) as client, ThreadPoolExecutor(1) as threads:
        first = client.lock(LOCK, ttl=30)
        second = threads.submit(client.lock, LOCK, ttl=30, wait=600)
        try:
            wait_until(lambda: asked_of(store, "PUT") == 3)
        finally:
            first.release()
            second.result().release()
    assert asked_of(store, "HEAD") == 0


def test_an_asynchronous_waiter_has_no_place_of_its_holder(server: Server, store: Store) -> None:
    async def locking() -> None:
        async with AsyncClient(server.url, connections=1) as client:
            first = await client.lock(LOCK, ttl=30)
            second = asyncio.create_task(client.lock(LOCK, ttl=30, wait=600))
            await until(lambda: asked_of(store, "PUT") == 3)
            await first.release()
            await (await second).release()

    asyncio.run(locking())
    assert asked_of(store, "HEAD") == 0


@pytest.fixture
def is_late() -> threading.Event:
    return threading.Event()


@pytest.fixture
def late_server(node: Nodes, store: Store, is_late: threading.Event) -> Server:
    def script(connection: Connection, request: Received) -> None:
        if request.target.endswith("/slow"):
            is_late.wait()
        store(connection, request)

    return node(script)


IN_THEIR_ORDER = ["PUT lock:report?ttl=30", "PUT slow", "DELETE lock:report", "PUT second"]


def test_a_release_comes_before_calls_that_wait(late_server: Server, store: Store, is_late: threading.Event) -> None:
    with Client(late_server.url, connections=1) as client, ThreadPoolExecutor(3) as threads:
        places = client._transport.places  # type: ignore[attr-defined]
        lock = client.lock(LOCK, ttl=30)
        calls: list[Future[Any]] = [threads.submit(client.put, "slow", b"")]
        wait_until(lambda: len(late_server.received) == 2)
        calls.append(threads.submit(client.put, "second", b""))
        wait_until(lambda: len(places._waiting) == 1)
        calls.append(threads.submit(lock.release))
        wait_until(lambda: len(places._waiting) + len(places._urgent) == 2)
        is_late.set()
        for each in calls:
            each.result()
    assert store.asked == IN_THEIR_ORDER


def test_an_asynchronous_release_comes_before_calls_that_wait(
    late_server: Server, store: Store, is_late: threading.Event
) -> None:
    async def releasing() -> None:
        async with AsyncClient(late_server.url, connections=1) as client:
            places = client._transport.places  # type: ignore[attr-defined]
            lock = await client.lock(LOCK, ttl=30)
            calls: list[asyncio.Task[Any]] = [asyncio.create_task(client.put("slow", b""))]
            await until(lambda: len(late_server.received) == 2)
            calls.append(asyncio.create_task(client.put("second", b"")))
            await until(lambda: len(places._waiting) == 1)
            calls.append(asyncio.create_task(lock.release()))
            await until(lambda: len(places._waiting) + len(places._urgent) == 2)
            is_late.set()
            await asyncio.gather(*calls)

    asyncio.run(releasing())
    assert store.asked == IN_THEIR_ORDER


def test_a_lock_ends_with_the_thread_that_has_acquired_it(client: Client, store: Store) -> None:
    with ThreadPoolExecutor(1) as threads:
        lock = threads.submit(client.lock, LOCK, 5).result()
    lost = threading.Event()
    lock.on_lost(lost.set)
    wait_until(lost.is_set)
    assert not is_touched(store)


def test_a_release_is_no_loss(client: Client) -> None:
    lost = threading.Event()
    with client.lock(LOCK, ttl=30) as lock:
        lock.on_lost(lost.set)
    for thread in threading.enumerate():
        if thread.name == f"quorate-{LOCK}":
            thread.join(10)
    assert not lost.is_set()


def test_an_acquisition_without_an_outcome_leaves_no_lock(client: Client, store: Store) -> None:
    store.fault = lambda method, _: AFTER if method == "PUT" else None
    with pytest.raises(OutcomeUnknown):
        client.lock(LOCK, ttl=30, deadline=0.5)
    assert store.keys() == [LOCK]
    store.fault = lambda *_: None
    wait_until(lambda: store.keys() == [])


def test_a_cancelled_acquisition_leaves_no_lock(server: Server, store: Store) -> None:
    store.fault = lambda method, _: AFTER if method == "PUT" else None

    async def cancelling(client: AsyncClient) -> None:
        acquiring: asyncio.Task[AsyncLock] = asyncio.create_task(client.lock(LOCK, ttl=30))
        await until(lambda: store.keys() == [LOCK])
        acquiring.cancel()
        with pytest.raises(asyncio.CancelledError):
            await acquiring
        store.fault = lambda *_: None
        await until(lambda: store.keys() == [])

    with_client(server, cancelling)


def test_a_closed_client_holds_no_lock(server: Server) -> None:
    lost = threading.Event()
    client = Client(server.url)
    lock = client.lock(LOCK, ttl=5)
    lock.on_lost(lost.set)
    client.close()
    wait_until(lost.is_set)
    assert not lock.is_held


def test_jobs_are_taken_and_done(client: Client, store: Store) -> None:
    store.put(JOB, '{"to": "anna"}')
    job = client.take("jobs:mail:", ttl=30)
    assert job is not None
    with job:
        assert (job.key, job.text, job.attempt) == (JOB, '{"to": "anna"}', 1)
        assert store._values[JOB].etag == f'"{job.token}"'
        job.renew()
        assert client.take("jobs:mail:", ttl=30) is None
    # It was not done.
    assert store.keys() == [JOB]
    while job := client.take("jobs:mail:", ttl=30):
        with job:
            assert job.attempt == 2
            job.done()
    assert store.keys() == []
    with pytest.raises(ValueError, match="5 seconds"):
        client.take("jobs:mail:", ttl=1)


def test_an_asynchronous_client_takes_jobs(server: Server, store: Store) -> None:
    async def taking(client: AsyncClient) -> None:
        store.put(JOB, '{"to": "anna"}')
        job = await client.take("jobs:mail:", ttl=30)
        assert job is not None
        async with job:
            assert await client.take("jobs:mail:", ttl=30) is None
            await job.done()
        assert store.keys() == []

    with_client(server, taking)
