"""The node that a read goes to, and the next one."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any

import pytest

from conftest import Nodes
from hostile import (
    ABSENT,
    NO_ANSWER,
    Clients,
    Script,
    answer,
    chunked,
    cut,
    cut_after,
    head,
    problem,
    sends,
    stand_still_after,
    value,
    written,
)
from quorate import (
    BadRequest,
    Get,
    InvalidAnswer,
    NoNodeAnswered,
    NotEnoughReplicas,
    NotSupported,
    Overloaded,
    Written,
)
from quorate._nodes import Nodes as NodeList

FAILURES = {
    **NO_ANSWER,
    "the connection ends within the body": cut_after(head(200, ETag='"1"', Content_Length="5") + b"re"),
    "a chunk is missing": cut_after(
        head(200, ETag='"1"', Transfer_Encoding="chunked") + chunked(b"red", is_whole=False)
    ),
    "the end of the connection is that of the body": cut_after(head(200, ETag='"1"') + b"re"),
    "the body stands still": stand_still_after(head(200, ETag='"1"', Content_Length="5") + b"re"),
    "503": problem(503, "draining"),
    "404 of a proxy": answer(404, b"Not Found", Content_Type="text/plain"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_read_goes_on_after_any_failure(clients: Clients, node: Nodes, name: str) -> None:
    failing, other = node(FAILURES[name]), node(value())
    client = clients.open(failing, other, stall_timeout=0.3)
    assert client.get("k").value == b"red"
    assert [len(failing.received), len(other.received)] == [1, 1]


def test_a_read_goes_on_after_a_process_that_stands_still(clients: Clients, node: Nodes, deaf_url: str) -> None:
    client = clients.open(deaf_url, node(value()), stall_timeout=0.3)
    assert client.get("k").value == b"red"


def test_the_node_that_answered_last_is_asked_first(clients: Clients, node: Nodes, unused_url: str) -> None:
    first, second = node(problem(503, "draining")), node(value())
    client = clients.open(unused_url, first, second)
    for _ in range(3):
        client.get("k")
    assert [len(first.received), len(second.received)] == [1, 3]


def test_a_pause_that_a_node_asks_for_is_kept(clients: Clients, node: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    async def pause_of_task(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("quorate._client.time", SimpleNamespace(sleep=pauses.append))
    monkeypatch.setattr("quorate._async_client.anyio.sleep", pause_of_task)
    busy = node(problem(503, "overloaded", {"Retry_After": "3"}), value())
    assert clients.open(busy, node(problem(503, "draining"))).get("k").value == b"red"
    assert pauses == [3]


def test_absence_is_an_answer(clients: Clients, node: Nodes) -> None:
    other = node(value())
    assert clients.open(node(ABSENT), other).get("k") is None
    assert other.received == []


@pytest.mark.parametrize(
    ("refusal", "error"), [(problem(400, "bad-request"), BadRequest), (problem(501, "not-implemented"), NotSupported)]
)
def test_a_fault_of_the_request_is_not_asked_of_other_nodes(
    clients: Clients, node: Nodes, refusal: Script, error: type[Exception]
) -> None:
    other = node(value())
    with pytest.raises(error):
        clients.open(node(refusal), other).get("k")
    assert other.received == []


def test_each_node_is_asked_once_and_the_first_again(clients: Clients, node: Nodes) -> None:
    lost = problem(504, "not-enough-replicas")
    nodes = [node(lost), node(lost), node(lost)]
    with pytest.raises(NotEnoughReplicas) as raised:
        clients.open(*nodes).get("k")
    assert [len(each.received) for each in nodes] == [2, 1, 1]
    assert [each.node for each in raised.value.failures] == [nodes[0].url, nodes[1].url, nodes[2].url, nodes[0].url]


def test_a_single_node_has_a_second_chance(clients: Clients, node: Nodes) -> None:
    assert clients.open(node(cut, value())).get("k").value == b"red"


def test_the_answer_of_a_node_says_more_than_a_lost_connection(clients: Clients, node: Nodes, unused_url: str) -> None:
    with pytest.raises(Overloaded) as raised:
        clients.open(node(problem(503, "overloaded"), cut), unused_url).get("k")
    assert len(raised.value.failures) == 3


def test_no_node_answers(clients: Clients, unused_url: str) -> None:
    with pytest.raises(NoNodeAnswered, match=rf"{unused_url}: no connection \(.*(refused|failed)"):
        clients.open(unused_url).get("k")


def test_a_proxy_before_all_nodes_that_has_none_is_no_answer(clients: Clients, node: Nodes) -> None:
    gone = answer(502, b"Bad Gateway", Content_Type="text/html")
    client = clients.open(node(gone))
    for call in (lambda: client.get("k"), lambda: list(client.range()), lambda: client.batch([Get("k")])):
        with pytest.raises(NoNodeAnswered, match="502 that is no problem document") as raised:
            call()
        assert isinstance(raised.value.__cause__, InvalidAnswer)
    # Such an answer does not take the place of what a node has said.
    with pytest.raises(Overloaded):
        clients.open(node(problem(503, "overloaded"), gone), node(gone)).get("k")


def test_a_largest_answer_hides_no_refusal(clients: Clients, node: Nodes) -> None:
    client = clients.open(node(problem(503, "draining")), node(value()), max_answer_size=50)
    assert client.get("k").value == b"red"
    client = clients.open(node(problem(503, "draining")), node(written()), max_answer_size=50)
    assert client.put("k", b"") == Written('"1"')


def test_connections_are_kept(clients: Clients, node: Nodes) -> None:
    server = node(value(), ABSENT, written(), sends(head(304, ETag='"1"')), problem(400, "bad-request"), value())
    client = clients.open(server)
    client.get("k")
    client.get("k")
    client.put("k", b"")
    client.get("k", if_none_match='"1"')
    with pytest.raises(BadRequest):
        client.get("k")
    client.get("k")
    assert server.connections == 1


def test_a_connection_that_the_node_has_ended_is_not_used_again(clients: Clients, node: Nodes) -> None:
    server = node(answer(201, ETag='"1"', Connection="close"))
    client = clients.open(server)
    for _ in range(3):
        client.put("k", b"")
    assert server.connections == 3


def test_clients_begin_with_different_nodes() -> None:
    urls = ["http://a", "http://b", "http://c"]
    assert {NodeList(urls, shuffle=True).order()[0] for _ in range(200)} == set(urls)
    assert NodeList(urls, shuffle=False).order() == urls


@pytest.mark.parametrize("last", ["127.0.0.1", "127.0.0.3"])
def test_a_name_with_several_addresses(
    clients: Clients, node: Nodes, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    system = socket.getaddrinfo
    asked = []

    def addresses(host: str | bytes, port: int, *arguments: Any, **options: Any) -> Any:
        if host not in ("several.test", b"several.test"):
            return system(host, port, *arguments, **options)
        asked.append(host)
        # Nothing listens at the first one.
        return [each for address in ("127.0.0.2", last) for each in system(address, port, *arguments, **options)]

    monkeypatch.setattr(socket, "getaddrinfo", addresses)
    server = node(value())
    client = clients.open(server.url.replace("127.0.0.1", "several.test"))
    if last == "127.0.0.1":
        assert client.get("k").value == b"red"
        assert len(asked) == 1
    else:
        with pytest.raises(NoNodeAnswered, match="no connection"):
            client.get("k")
