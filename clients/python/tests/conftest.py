from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Protocol

import pytest

from hostile import Clients, Script, Server


class Nodes(Protocol):
    def __call__(self, *scripts: Script) -> Server: ...


@pytest.fixture(params=["sync", "async"])
def clients(request: pytest.FixtureRequest) -> Iterator[Clients]:
    made = Clients(request.param)
    yield made
    made.close()


@pytest.fixture
def node() -> Iterator[Nodes]:
    """Servers of the test, one for each call."""
    with ExitStack() as servers:
        yield lambda *scripts: servers.enter_context(Server(list(scripts)))


@pytest.fixture
def unused_url() -> str:
    """The URL of a port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    return f"http://127.0.0.1:{port}"


@pytest.fixture
def deaf_url() -> Iterator[str]:
    """The URL of a process that stands still: the kernel takes connections for it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
