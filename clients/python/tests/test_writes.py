"""Writes whose outcome is unknown: said, and never repeated unless the caller asks for that."""

from __future__ import annotations

import pytest

from conftest import Nodes
from hostile import (
    NO_ANSWER,
    Clients,
    Script,
    answer,
    cut,
    cut_after,
    head,
    problem,
    stand_still_after,
    trickle,
    written,
)
from quorate import (
    BadRequest,
    DiskFull,
    InvalidAnswer,
    NoNodeAnswered,
    NotEnoughReplicas,
    OutcomeUnknown,
    Overloaded,
    TooManyRequests,
    Unavailable,
    Written,
)

UNKNOWN = {
    **NO_ANSWER,
    "the connection ends": cut_after(b""),
    "the connection ends within the head": cut_after(b"HTTP/1.1 201 Cre"),
    "the connection ends within the body": cut_after(head(201, ETag='"1"', Content_Length="5") + b"ab"),
    "the head stands still": stand_still_after(b"HTTP/1.1 201 Cre"),
    "the body stands still": stand_still_after(head(201, ETag='"1"', Content_Length="5") + b"ab"),
    "the head trickles": trickle(head(201, ETag='"1"', X="x" * 200, Content_Length="0")),
    "the body trickles": trickle(head(201, ETag='"1"', Content_Length="200") + b"x" * 200, 0.02),
    "502": problem(502, "bad-gateway"),
    "505": problem(505, "http-version"),
    "a status of success with a problem": problem(200, "odd"),
    "503 without a document": answer(503, Content_Type="application/problem+json"),
    "503 of a proxy": answer(503, b"Service Unavailable", Content_Type="text/html"),
    "504 after it was written": problem(504, "not-enough-replicas", outcome="written"),
    "504 of a proxy": answer(504, b"Gateway Timeout"),
    "201 without a version": answer(201),
}


@pytest.mark.parametrize("name", UNKNOWN)
@pytest.mark.parametrize("method", ["put", "delete"])
def test_a_write_of_unknown_outcome_is_not_repeated(clients: Clients, node: Nodes, name: str, method: str) -> None:
    failing, other = node(UNKNOWN[name]), node(written(201 if method == "put" else 202))
    client = clients.open(failing, other, stall_timeout=0.3, deadline=0.7)
    with pytest.raises(OutcomeUnknown, match=r"may have happened or not; it was not repeated\.$") as raised:
        client.put("k", b"v") if method == "put" else client.delete("k")
    assert not isinstance(raised.value, Unavailable)
    assert [each.node for each in raised.value.failures] == [failing.url]
    assert len(failing.received) == 1
    assert other.received == []


def test_an_unknown_outcome_has_the_answer_of_the_node(clients: Clients, node: Nodes) -> None:
    client = clients.open(node(UNKNOWN["504"], cut))
    with pytest.raises(OutcomeUnknown) as raised:
        client.put("k", b"v")
    problem_of_node = raised.value.problem
    assert isinstance(problem_of_node, NotEnoughReplicas)
    assert (problem_of_node.required, problem_of_node.acknowledged, problem_of_node.outcome) == (2, 1, "unknown")
    with pytest.raises(OutcomeUnknown) as raised:
        client.put("k", b"v")
    assert raised.value.problem is None


@pytest.mark.parametrize("name", [name for name in UNKNOWN if name not in ("the head trickles", "the body trickles")])
def test_a_caller_may_ask_to_repeat(clients: Clients, node: Nodes, name: str) -> None:
    failing, other = node(UNKNOWN[name]), node(written())
    client = clients.open(failing, other, stall_timeout=0.3)
    assert client.put("k", b"v", repeat_unknown=True) == Written('"1"')
    assert [len(failing.received), len(other.received)] == [1, 1]
    assert other.received[0].body == b"v"


@pytest.mark.parametrize(
    "last",
    [problem(503, "overloaded", {"Retry_After": "0"}), problem(400, "bad-request"), problem(429, "too-many-requests")],
)
def test_a_refusal_after_an_unknown_outcome_makes_nothing_known(clients: Clients, node: Nodes, last: Script) -> None:
    client = clients.open(node(cut, last), node(last), repeat_unknown=True)
    with pytest.raises(OutcomeUnknown) as raised:
        client.put("k", b"v")
    assert len(raised.value.failures) >= 2


def test_an_unknown_outcome_says_whether_the_write_was_repeated(clients: Clients, node: Nodes, unused_url: str) -> None:
    with pytest.raises(OutcomeUnknown, match=r"; it was repeated\.$"):
        clients.open(node(cut), node(cut), repeat_unknown=True).put("k", b"v")
    with pytest.raises(OutcomeUnknown, match=r"; it was repeated\.$"):
        clients.open(node(cut), node(problem(400, "bad-request")), repeat_unknown=True).put("k", b"v")
    for urls in ([node(problem(503, "draining"), cut)], [unused_url, node(cut)]):
        with pytest.raises(OutcomeUnknown, match=r"; it was not repeated\.$"):
            clients.open(*urls, repeat_unknown=True, deadline=0.5).put("k", b"v")


def test_a_write_without_a_connection_after_an_unknown_outcome(clients: Clients, node: Nodes, unused_url: str) -> None:
    with pytest.raises(OutcomeUnknown):
        clients.open(node(cut), unused_url, repeat_unknown=True).put("k", b"v")


@pytest.mark.parametrize(
    "refusal", [problem(503, "overloaded"), problem(503, "draining"), problem(503, "late"), problem(507, "disk-full")]
)
def test_a_write_that_was_refused_goes_to_the_next_node(clients: Clients, node: Nodes, refusal: Script) -> None:
    refusing, other = node(refusal), node(written())
    assert clients.open(refusing, other).put("k", b"v") == Written('"1"')
    assert [len(refusing.received), len(other.received)] == [1, 1]


def test_a_write_without_a_connection_goes_to_the_next_node(clients: Clients, node: Nodes, unused_url: str) -> None:
    assert clients.open(unused_url, node(written())).put("k", b"v") == Written('"1"')


def test_a_write_that_is_said_not_to_happen_goes_to_the_next_node(clients: Clients, node: Nodes) -> None:
    refusal = problem(504, "not-enough-replicas", outcome="not-written")
    assert clients.open(node(refusal), node(written())).put("k", b"v") == Written('"1"')
    with pytest.raises(NotEnoughReplicas):
        clients.open(node(refusal)).put("k", b"v")


def test_a_write_that_all_nodes_refuse_has_not_happened(clients: Clients, node: Nodes, unused_url: str) -> None:
    with pytest.raises(DiskFull):
        clients.open(node(problem(507, "disk-full")), node(problem(503, "overloaded"))).put("k", b"v")
    with pytest.raises(Overloaded):
        clients.open(unused_url, node(problem(503, "overloaded"))).put("k", b"v")
    with pytest.raises(NoNodeAnswered) as raised:
        clients.open(unused_url).put("k", b"v")
    assert isinstance(raised.value, Unavailable)


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        (problem(400, "bad-request"), BadRequest),
        (problem(429, "too-many-requests", {"Retry_After": "3"}), TooManyRequests),
        (answer(403, b"<html>", Content_Type="text/html"), InvalidAnswer),
        (answer(307, Location="http://127.0.0.1:1/"), InvalidAnswer),
    ],
)
def test_a_write_that_no_node_would_do_is_asked_of_one(
    clients: Clients, node: Nodes, refusal: Script, error: type[Exception]
) -> None:
    refusing, other = node(refusal), node(written())
    with pytest.raises(error):
        clients.open(refusing, other).put("k", b"v")
    assert other.received == []


def test_a_node_that_takes_no_byte_of_a_large_value(clients: Clients, node: Nodes, deaf_url: str) -> None:
    other = node(written())
    with pytest.raises(OutcomeUnknown):
        clients.open(deaf_url, other, stall_timeout=0.3).put("k", bytes(16 * 1024 * 1024))
    assert other.received == []
