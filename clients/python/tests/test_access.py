"""Tokens, and the trust in nodes."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import httpcore
import httpx
import pytest

from conftest import Nodes
from hostile import SLOWNESS, Clients, cut, written
from quorate import AsyncClient, Client, NoNodeAnswered, OutcomeUnknown, TokenError, Unavailable
from quorate._transport import _AsyncStream


def test_a_token_is_sent_to_each_node(clients: Clients, node: Nodes) -> None:
    server = node(written())
    clients.open(server).put("k", b"")
    clients.open(server, token="qk_app_a").put("k", b"")
    tokens = iter(["one", "two"])
    client = clients.open(server, token=lambda: next(tokens))
    client.put("k", b"")
    client.put("k", b"")
    assert [each.headers.get("authorization") for each in server.received] == [
        None,
        "Bearer qk_app_a",
        "Bearer one",
        "Bearer two",
    ]


def test_a_token_may_come_of_an_awaitable(node: Nodes) -> None:
    async def token() -> str:
        return "later"

    server = node(written())
    clients = Clients("async")
    clients.open(server, token=token).put("k", b"")
    clients.close()
    assert server.received[0].headers["authorization"] == "Bearer later"


class VaultError(Exception):
    pass


def test_a_token_function_that_fails(clients: Clients, node: Nodes) -> None:
    def token() -> str:
        raise VaultError("secret")

    server = node(written())
    with pytest.raises(TokenError, match="VaultError") as raised:
        clients.open(server, token=token).put("k", b"")
    assert isinstance(raised.value.__cause__, VaultError)
    assert "secret" not in str(raised.value)
    assert server.received == []


def test_a_token_function_that_fails_later_makes_no_outcome_known(clients: Clients, node: Nodes) -> None:
    tokens = iter(["one"])
    client = clients.open(node(cut), token=lambda: next(tokens), repeat_unknown=True)
    with pytest.raises(OutcomeUnknown, match=r"StopIteration.*it was not repeated\.$"):
        client.put("k", b"")


def test_an_awaitable_token_has_the_deadline(node: Nodes) -> None:
    async def token() -> str:
        await asyncio.sleep(60)
        return "late"

    server = node(written())
    clients = Clients("async")
    began = time.monotonic()
    with pytest.raises(TokenError, match="deadline"):
        clients.open(server, token=token, deadline=0.3).put("k", b"")
    assert time.monotonic() - began < 10 * SLOWNESS
    clients.close()
    assert server.received == []


def test_a_token_file_is_read_again_when_it_changes(clients: Clients, node: Nodes, tmp_path: Path) -> None:
    server, file = node(written()), tmp_path / "token"
    file.write_text("one\n")
    client = clients.open(server, token_file=file)
    client.put("k", b"")
    replacement = tmp_path / "new"
    replacement.write_text("two")
    replacement.replace(file)
    client.put("k", b"")
    file.unlink()
    with pytest.raises(TokenError, match="cannot be read"):
        client.put("k", b"")
    assert [each.headers["authorization"] for each in server.received] == ["Bearer one", "Bearer two"]


@pytest.mark.parametrize("token", ["", "a b", "se\r\ncret", "sécret", b"secret", None])
def test_what_is_no_token_is_neither_sent_nor_printed(clients: Clients, node: Nodes, token: Any) -> None:
    server = node(written())
    if isinstance(token, str):
        with pytest.raises(TokenError) as raised:
            clients.open(server, token=token)
        assert "cret" not in str(raised.value)
    with pytest.raises(TokenError):
        clients.open(server, token=lambda: token).put("k", b"")
    assert server.received == []


def test_an_awaitable_of_no_token_sends_nothing(node: Nodes) -> None:
    server = node(written())

    async def nothing() -> Any:
        return None

    async def run() -> None:
        async with AsyncClient(server.url, token=nothing) as client:
            with pytest.raises(TokenError):
                await client.put("k", b"")

    asyncio.run(run())
    assert server.received == []


def test_no_text_has_the_token(unused_url: str) -> None:
    with Client(unused_url, token="qk_app_secret") as client:
        with pytest.raises(Unavailable) as raised:
            client.put("k", b"")
        assert "secret" not in repr(client) + str(raised.value) + repr(vars(raised.value))


def test_a_token_that_others_can_read_on_its_way() -> None:
    with pytest.warns(UserWarning, match=r"http://n0\.example\.org: the token is sent without encryption") as warned:
        Client(["http://n0.example.org", "http://127.0.0.1", "http://[::1]:80", "https://n1.example.org"], token="a")
    assert [each.filename for each in warned] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Client("http://n0.example.org")


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize(
    "options", [{"token": "a", "token_file": "b"}, {"ca": "a", "ssl_context": ssl.create_default_context()}]
)
def test_one_way_of_access_at_a_time(kind: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not both"):
        kind("https://localhost", **options)


def test_an_authority_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Client("https://localhost", ca=tmp_path / "none.crt")


def test_no_proxy_of_the_environment_gets_a_request(
    clients: Clients, node: Nodes, unused_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, unused_url)
    server = node(written())
    clients.open(server).put("k", b"")
    assert len(server.received) == 1
    assert "HTTP_PROXY" in os.environ


def test_requests_say_who_sends_them(clients: Clients, node: Nodes) -> None:
    server = node(written())
    clients.open(server).put("k", b"")
    assert server.received[0].headers["user-agent"].startswith("quorate-python/0.")
    assert httpx.__version__ in server.received[0].headers["user-agent"]


def test_a_write_to_what_speaks_no_tls_has_not_happened(clients: Clients) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            for _ in range(2):
                connected, _ = listening.accept()
                connected.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                connected.recv(65536)
                connected.close()

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        with pytest.raises(NoNodeAnswered, match=r"no connection"):
            clients.open(f"https://127.0.0.1:{listening.getsockname()[1]}").put("k", b"")
        thread.join(10)
        assert not thread.is_alive()


def test_an_alert_in_place_of_an_answer_is_a_lost_connection() -> None:
    class Alerting(httpcore.AsyncNetworkStream):
        async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
            raise ssl.SSLError(1, "tlsv13 alert certificate required")

        async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
            raise ssl.SSLError(1, "bad length")

    stream = _AsyncStream(Alerting())
    with pytest.raises(httpcore.ReadError, match="certificate required"):
        asyncio.run(stream.read(1))
    with pytest.raises(httpcore.WriteError, match="bad length"):
        asyncio.run(stream.write(b"x"))
