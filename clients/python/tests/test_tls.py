"""HTTPS without a cluster: certificates, and connections that end within the handshake."""

from __future__ import annotations

import socket
import ssl
import threading
from pathlib import Path
from typing import Any

import pytest
import trustme

from conftest import Nodes
from hostile import Clients, Server, value, written
from quorate import NoNodeAnswered, Written


def https(server: Server, authority: trustme.CA, name: str = "127.0.0.1") -> str:
    """Put a server behind TLS, and return its URL."""
    server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.tls.set_alpn_protocols(["h2", "http/1.1"])
    authority.issue_cert(name).configure_cert(server.tls)
    return server.url.replace("http:", "https:")


def test_a_value_over_https(clients: Clients, node: Nodes, authority: trustme.CA, ca: Path) -> None:
    body = bytes(range(256)) * 1024
    server = node(written(), value(body))
    client = clients.open(https(server, authority), ca=ca)
    assert client.put("k", body) == Written('"1"')
    assert client.get("k").value == body
    assert server.received[0].body == body
    assert server.connections == 1


def test_a_context_of_the_caller(clients: Clients, node: Nodes, authority: trustme.CA, ca: Path) -> None:
    url = https(node(written()), authority)
    context = ssl.create_default_context(cafile=str(ca))
    assert clients.open(url, ssl_context=context).put("k", b"") == Written('"1"')


@pytest.mark.parametrize("options", [{}, {"name": "127.0.0.2"}])
def test_a_certificate_that_is_not_trusted_gets_nothing(
    clients: Clients, node: Nodes, authority: trustme.CA, ca: Path, options: dict[str, Any]
) -> None:
    server = node(written())
    client = clients.open(https(server, authority, **options), **({"ca": ca} if options else {}))
    with pytest.raises(NoNodeAnswered, match=r"no connection.*(?i:certificate verify failed)"):
        client.put("k", b"")
    assert server.received == []


def test_a_node_that_ends_the_handshake(clients: Clients, node: Nodes, ca: Path) -> None:
    other = node(written())
    with socket.create_server(("127.0.0.1", 0)) as listening:
        hellos = []

        def answer() -> None:
            for _ in range(3):
                connected, _ = listening.accept()
                hellos.append(connected.recv(65536))
                connected.close()

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        url = f"https://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(NoNodeAnswered, match="no connection"):
            clients.open(url, ca=ca).put("k", b"")
        assert clients.open(url, other, ca=ca).put("k", b"") == Written('"1"')
        thread.join(10)
        assert not thread.is_alive()
    assert all(hellos)
