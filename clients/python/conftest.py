from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Protocol

import pytest
import trustme

from hostile import Clients, Script, Server


class Nodes(Protocol):
    def __call__(self, *scripts: Script) -> Server: ...


@pytest.fixture(params=["sync", "async"])
def clients(request: pytest.FixtureRequest) -> Iterator[Clients]:
    with closing(Clients(request.param)) as made:
        yield made


@pytest.fixture
def node() -> Iterator[Nodes]:
    """Servers of the test, one for each call."""
    with ExitStack() as servers:
        yield lambda *scripts: servers.enter_context(Server(list(scripts)))


@pytest.fixture
def unused_url() -> Iterator[str]:
    """The URL of a port on which nothing listens, and which no other process can get meanwhile."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


@pytest.fixture
def deaf_url() -> Iterator[str]:
    """The URL of a process that stands still: the kernel takes connections for it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def ca(authority: trustme.CA, tmp_path: Path) -> Path:
    file = tmp_path / "ca.crt"
    authority.cert_pem.write_to_path(str(file))
    return file
