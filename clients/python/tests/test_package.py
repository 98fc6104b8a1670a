"""The two clients side by side, and the package as others see it."""

from __future__ import annotations

import asyncio
import inspect
import re
import threading
import typing
from importlib.resources import files
from pathlib import Path

import anyio
import pytest

import quorate
from conftest import Nodes
from hostile import Connection, Received, stand_still, value, wait_until, written
from quorate import AsyncClient, AsyncJob, AsyncLock, AsyncWatch, Client, Job, Lock, Watch

METHODS = [name for name in vars(Client) if not name.startswith("_") and name != "close"]


@pytest.mark.parametrize("name", METHODS)
def test_both_clients_have_the_same_methods(name: str) -> None:
    first, second = (inspect.signature(getattr(kind, name)) for kind in (Client, AsyncClient))
    assert first.parameters == second.parameters
    returned = str(second.return_annotation).replace("Async", "")
    assert returned.rstrip("]") == str(first.return_annotation).replace(", None, None]", ", None]").rstrip("]")
    told = inspect.getdoc(getattr(AsyncClient, name))
    assert told
    assert told.replace("aclos", "clos") == inspect.getdoc(getattr(Client, name))


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_types_can_be_asked_for(kind: type) -> None:
    for name in ("__init__", *METHODS):
        assert "options" in typing.get_type_hints(getattr(kind, name))


def test_both_clients_have_the_same_arguments() -> None:
    first, second = (inspect.signature(kind) for kind in (Client, AsyncClient))
    assert list(first.parameters) == list(second.parameters)
    assert [each.default for each in first.parameters.values()] == [each.default for each in second.parameters.values()]
    arguments = [(inspect.getdoc(kind) or "").partition("Args:")[2] for kind in (Client, AsyncClient)]
    assert arguments[0]
    assert arguments[1].replace(", or an awaitable of it", "") == arguments[0]
    assert inspect.getdoc(Client.close) == inspect.getdoc(AsyncClient.aclose)


def test_both_watches_have_the_same_methods() -> None:
    first, second = ([name for name in vars(kind) if name[0] != "_"] for kind in (Watch, AsyncWatch))
    assert first == [name.replace("aclose", "close") for name in second] == ["cursor", "close"]
    assert inspect.getdoc(Watch.cursor) == inspect.getdoc(AsyncWatch.cursor)


@pytest.mark.parametrize(("kind", "asynchronous"), [(Lock, AsyncLock), (Job, AsyncJob)])
def test_both_locks_have_the_same_methods(kind: type, asynchronous: type) -> None:
    names = [name for name in dir(kind) if name[0] != "_"]
    assert names == [name for name in dir(asynchronous) if name[0] != "_"]
    for name in names:
        assert inspect.getdoc(getattr(kind, name))
        assert inspect.getdoc(getattr(kind, name)) == inspect.getdoc(getattr(asynchronous, name))


def test_the_handbook_has_the_names_of_both_languages() -> None:
    text = (Path(__file__).parents[3] / "src/docs/recipes.md").read_text()
    rows = dict(re.findall(r"(?m)^\| `(\w+)\(.*?\| `(\w+)\(", text.partition("## Calls of the clients")[2]))
    assert sorted(rows) == sorted(METHODS)
    spelled = {name: re.sub(r"_(\w)", lambda found: found[1].upper(), name) for name in METHODS}
    assert rows == {**spelled, "pages": "page", "key_pages": "keyPage"}


def test_neither_client_has_more() -> None:
    assert [name for name in vars(AsyncClient) if not name.startswith("_") and name != "aclose"] == METHODS


def test_the_package_is_typed_and_names_what_is_public() -> None:
    assert files("quorate").joinpath("py.typed").is_file()
    errors = {
        name for name, each in vars(quorate.errors).items() if inspect.isclass(each) and issubclass(each, Exception)
    }
    assert errors <= set(quorate.__all__)
    assert all(hasattr(quorate, name) for name in quorate.__all__)


def test_threads_share_a_client(node: Nodes) -> None:
    def echo(connection: Connection, request: Received) -> None:
        value(request.target.encode())(connection, request)

    wrong: list[str] = []
    with Client(node(echo).url, connections=4) as client:

        def read(thread: int) -> None:
            for i in range(50):
                entity = client.get(f"{thread}-{i}")
                if entity is None or entity.value != f"/v0/entity/{thread}-{i}".encode():
                    wrong.append(f"{thread}-{i}")

        threads = [threading.Thread(target=read, args=(i,)) for i in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join(30)
            assert not each.is_alive()
    assert wrong == []


def test_tasks_share_a_client(node: Nodes) -> None:
    async def reading() -> list[bytes]:
        async with AsyncClient(node(value()).url, connections=4) as client:
            read = await asyncio.gather(*(client.get(str(i)) for i in range(50)))
        return [each.value for each in read if each is not None]

    assert asyncio.run(reading()) == [b"red"] * 50


def test_a_task_that_is_cancelled_ends_at_once_and_leaves_the_client_usable(node: Nodes) -> None:
    server = node(stand_still, written())

    async def cancelling() -> None:
        async with AsyncClient(server.url, connections=1) as client:
            writing = asyncio.create_task(client.put("k", b""))
            await anyio.to_thread.run_sync(wait_until, lambda: len(server.received) == 1)
            writing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await writing
            assert (await client.put("k", b"")).etag == '"1"'

    asyncio.run(cancelling())
