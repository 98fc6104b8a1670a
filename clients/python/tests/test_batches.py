"""Batches: the outcome of each item, also of those without an answer."""

from __future__ import annotations

import json

import pytest

from conftest import Nodes
from hostile import (
    Clients,
    Connection,
    Received,
    Script,
    cut,
    lines,
    problem,
    problem_document,
    sends,
    stand_still_after,
)
from quorate import (
    Delete,
    Entity,
    Forbidden,
    Get,
    NoNodeAnswered,
    NotEnoughReplicas,
    NotModified,
    OutcomeUnknown,
    Overloaded,
    PreconditionFailed,
    Put,
    TooLarge,
    Written,
)

PUT = {"status": 201, "etag": '"1"'}
DELETED = {"status": 202, "etag": '"2"'}
READ = {"status": 200, "etag": '"3"', "value": "cmVk", "contentType": "text/plain", "expires": "2026-01-31T12:00:00Z"}


def failed(status: int, name: str, **members: object) -> dict[str, object]:
    return {"status": status, "problem": json.loads(problem_document(status, name, **members))}


def broken(*answers: object) -> Script:
    def script(connection: Connection, _: Received) -> None:
        connection.send(lines(*answers, is_whole=False))
        connection.cut()

    return script


def keys(request: Received) -> list[str]:
    return [json.loads(line)["id"] for line in request.body.splitlines()]


def test_each_item_has_its_outcome(clients: Clients, node: Nodes) -> None:
    answers = [
        PUT,
        DELETED,
        READ,
        failed(404, "not-found"),
        {"status": 304, "etag": '"3"'},
        failed(504, "not-enough-replicas", required=2, acknowledged=1, outcome="unknown"),
        failed(504, "not-enough-replicas", required=2, acknowledged=1),
        failed(503, "late"),
        failed(403, "forbidden"),
        failed(500, "internal-error"),
        failed(502, "bad-gateway"),
    ]
    items = [Put("a", b""), Delete("b"), Get("c"), Get("d"), Get("e"), Put("f", b""), Get("g"), Put("h", b"")]
    results = clients.open(node(sends(lines(*answers)))).batch([*items, Put("i", b""), Delete("j"), Put("k", b"")])
    assert results[:2] == [Written('"1"'), Written('"2"')]
    assert isinstance(results[2], Entity)
    assert (results[2].key, results[2].value, results[2].text, results[2].is_whole) == ("c", b"red", "red", True)
    assert results[3] is None
    assert results[4] == NotModified('"3"')
    assert isinstance(results[5], OutcomeUnknown)
    assert isinstance(results[5].problem, NotEnoughReplicas)
    assert results[5].problem.acknowledged == 1
    assert isinstance(results[6], NotEnoughReplicas)
    assert isinstance(results[7], Overloaded)
    assert isinstance(results[8], Forbidden)
    assert isinstance(results[9], OutcomeUnknown)
    assert isinstance(results[10], OutcomeUnknown)


def test_a_condition_of_an_item_that_does_not_hold_has_the_version(clients: Clients, node: Nodes) -> None:
    absent = {**failed(412, "precondition-failed", current=None), "version": '"7"'}
    present = failed(412, "precondition-failed", current='"8"')
    forgotten = failed(412, "precondition-failed", current='"8"', outcome="unknown")
    items = [Put("a", b"", if_match='"1"'), Put("b", b"", if_none_match="*"), Put("c", b"", if_none_match="*")]
    first, second, third = clients.open(node(sends(lines(absent, present, forgotten)))).batch(items)
    assert isinstance(first, PreconditionFailed)
    assert (first.current, first.absent_version) == (None, '"7"')
    assert isinstance(second, PreconditionFailed)
    assert (second.current, second.absent_version) == ('"8"', None)
    assert isinstance(third, OutcomeUnknown)


def test_an_item_with_a_condition_is_not_repeated(clients: Clients, node: Nodes) -> None:
    other = node(sends(lines(PUT)))
    with pytest.raises(OutcomeUnknown):
        clients.open(node(cut), other).batch([Put("a", b"", if_none_match="*")])
    assert other.received == []


def test_an_empty_batch_asks_no_node(clients: Clients, unused_url: str) -> None:
    assert clients.open(unused_url).batch([]) == []


@pytest.mark.parametrize("end", [broken(PUT), sends(lines(PUT)), stand_still_after(lines(PUT, is_whole=False))])
def test_writes_without_an_answer_are_unknown(clients: Clients, node: Nodes, end: Script) -> None:
    other = node(sends(lines(PUT, PUT)))
    client = clients.open(node(end), other, stall_timeout=0.3)
    results = client.batch([Put("a", b""), Put("b", b""), Get("c"), Delete("d")])
    assert results[0] == Written('"1"')
    assert [type(each) for each in results[1:]] == [OutcomeUnknown, NoNodeAnswered, OutcomeUnknown]
    assert other.received == []


def test_a_batch_without_any_answer_raises(clients: Clients, node: Nodes) -> None:
    other = node(sends(lines(PUT)))
    with pytest.raises(OutcomeUnknown):
        clients.open(node(cut), other).batch([Put("a", b"")])
    with pytest.raises(OutcomeUnknown):
        clients.open(node(problem(500, "internal-error")), other).batch([Get("a"), Delete("b")])
    assert other.received == []


def test_the_rest_is_repeated_if_the_caller_asks_for_it(clients: Clients, node: Nodes) -> None:
    first, second = node(broken(PUT)), node(sends(lines(DELETED, READ)))
    items = [Put("a", b""), Delete("b"), Get("c")]
    results = clients.open(first, second).batch(items, repeat_unknown=True)
    assert [type(each) for each in results] == [Written, Written, Entity]
    assert keys(first.received[0]) == ["a", "b", "c"]
    assert keys(second.received[0]) == ["b", "c"]


def test_an_acknowledged_write_is_not_repeated_after_a_lie(clients: Clients, node: Nodes) -> None:
    lying, last = node(sends(lines(PUT, PUT, PUT))), node(sends(lines({**PUT, "etag": '"3"'})))
    results = clients.open(node(broken(PUT)), lying, last).batch([Put("a", b""), Put("b", b"")], repeat_unknown=True)
    assert [keys(each.received[0]) for each in (lying, last)] == [["b"], ["b"]]
    assert results == [Written('"1"'), Written('"3"')]


def test_a_repeated_rest_that_is_refused_stays_unknown(clients: Clients, node: Nodes) -> None:
    first = node(broken(PUT), problem(503, "draining", {"Retry_After": "0"}))
    second = node(problem(503, "draining"))
    results = clients.open(first, second).batch([Put("a", b""), Put("b", b"")], repeat_unknown=True)
    assert [type(each) for each in results] == [Written, OutcomeUnknown]


def test_reads_go_on_at_the_next_node(clients: Clients, node: Nodes) -> None:
    first, second = node(broken(READ)), node(sends(lines(READ)))
    results = clients.open(first, second).batch([Get("a"), Get("b")])
    assert [each.key for each in results] == ["a", "b"]
    assert keys(second.received[0]) == ["b"]


def test_reads_that_are_refused_at_the_next_node_say_so(clients: Clients, node: Nodes) -> None:
    client = clients.open(node(broken(PUT)), node(problem(403, "forbidden")))
    assert [type(each) for each in client.batch([Put("a", b""), Get("b"), Get("c")])] == [Written, Forbidden, Forbidden]


@pytest.mark.parametrize("wrong", [{"expires": "2026-13-01T00:00:00Z"}, {"value": "é"}, {"value": "A"}])
def test_a_wrong_value_loses_no_outcome(clients: Clients, node: Nodes, wrong: dict[str, object]) -> None:
    read = {**READ, **wrong}
    client = clients.open(node(sends(lines(PUT, read, PUT))), node(sends(lines(PUT))))
    results = client.batch([Put("a", b""), Get("b"), Put("c", b"")])
    assert [type(each) for each in results] == [Written, NoNodeAnswered, OutcomeUnknown]


def test_a_batch_that_was_refused_goes_to_the_next_node(clients: Clients, node: Nodes, unused_url: str) -> None:
    client = clients.open(unused_url, node(problem(503, "overloaded")), node(sends(lines(PUT))))
    assert client.batch([Put("a", b"")]) == [Written('"1"')]


def test_too_many_items_are_refused_as_a_whole(clients: Clients, node: Nodes) -> None:
    with pytest.raises(TooLarge):
        clients.open(node(problem(413, "too-many-items"))).batch([Put("a", b"")])


LIES = [[PUT, PUT], [{"status": 200, "etag": '"1"'}], [{"etag": '"1"'}], [{"status": 503}], ["x"]]


@pytest.mark.parametrize("lie", LIES)
def test_what_is_no_answer_to_a_batch_makes_writes_unknown(clients: Clients, node: Nodes, lie: list[object]) -> None:
    other = node(sends(lines(PUT)))
    with pytest.raises(OutcomeUnknown):
        clients.open(node(sends(lines(*lie))), other).batch([Put("a", b"")])
    assert other.received == []
