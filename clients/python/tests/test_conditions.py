"""Writes with conditions: those that are done once are repeated after any failure, and with one key."""

from __future__ import annotations

import time
from typing import Any

import pytest

from conftest import Nodes
from hostile import NO_ANSWER, Clients, answer, cut, problem, written
from quorate import Contended, OutcomeUnknown, PreconditionFailed, Written

UNKNOWN = {
    **NO_ANSWER,
    "503 of a proxy": answer(503, b"Service Unavailable", Content_Type="text/html"),
    "504 after it was written": problem(504, "not-enough-replicas", outcome="written"),
}

ONCE: dict[str, Any] = {
    "put if absent": lambda client: client.put("k", b"v", if_none_match="*"),
    "put": lambda client: client.put("k", b"v", if_match='"1"'),
    "delete": lambda client: client.delete("k", if_match=['"1"', '"2"']),
}

UNMET = problem(412, "precondition-failed", current='"9"')


@pytest.mark.parametrize("name", UNKNOWN)
@pytest.mark.parametrize("write", ONCE)
def test_a_write_that_is_done_once_is_repeated_with_its_key(
    clients: Clients, node: Nodes, name: str, write: str
) -> None:
    replayed: dict[str, Any] = {"ETag": '"7"', "Idempotency_Replayed": "true", "Quorate_Current": '"8"'}
    first, second = node(UNKNOWN[name]), node(answer(202 if write == "delete" else 201, **replayed))
    client = clients.open(first, second, stall_timeout=0.3)
    assert ONCE[write](client) == Written('"7"', replayed=True, current='"8"')
    key = first.received[0].headers["idempotency-key"]
    assert second.received[0].headers["idempotency-key"] == key
    ONCE[write](client)
    assert second.received[1].headers["idempotency-key"] != key


def test_a_replayed_write_may_have_no_version_by_now(clients: Clients, node: Nodes) -> None:
    server = node(answer(201, ETag='"7"', Idempotency_Replayed="true", Quorate_Current="none"))
    assert clients.open(server).put("k", b"", if_none_match="*") == Written('"7"', replayed=True)


@pytest.mark.parametrize("condition", [{"if_match": "*"}, {"if_none_match": '"1"'}])
def test_other_conditions_are_not_repeated(clients: Clients, node: Nodes, condition: dict[str, str]) -> None:
    other = node(written())
    with pytest.raises(OutcomeUnknown):
        clients.open(node(cut), other).put("k", b"", **condition)
    assert other.received == []


def test_a_condition_that_does_not_hold_has_the_version(clients: Clients, node: Nodes) -> None:
    absent = problem(412, "precondition-failed", {"Quorate_Version": '"7"'}, current=None)
    server = node(UNMET, absent)
    client = clients.open(server, node(written()))
    with pytest.raises(PreconditionFailed) as raised:
        client.put("k", b"", if_none_match="*")
    assert (raised.value.current, raised.value.absent_version) == ('"9"', None)
    with pytest.raises(PreconditionFailed) as raised:
        client.delete("k", if_match='"1"')
    assert (raised.value.current, raised.value.absent_version) == (None, '"7"')
    assert len(server.received) == 2


def test_versions_that_are_no_more_were_not_written(clients: Clients, node: Nodes) -> None:
    with pytest.raises(PreconditionFailed) as raised:
        clients.open(node(cut), node(UNMET)).put("k", b"", if_match='"1"')
    assert len(raised.value.failures) == 2


def test_a_value_that_is_there_may_be_ours(clients: Clients, node: Nodes) -> None:
    with pytest.raises(OutcomeUnknown) as raised:
        clients.open(node(cut), node(UNMET)).put("k", b"", if_none_match="*")
    assert isinstance(raised.value.problem, PreconditionFailed)
    assert raised.value.problem.current == '"9"'


def test_a_forgotten_outcome_is_unknown(clients: Clients, node: Nodes, unused_url: str) -> None:
    other = node(written())
    forgotten = problem(412, "precondition-failed", current='"9"', outcome="unknown")
    with pytest.raises(OutcomeUnknown) as raised:
        clients.open(node(cut), node(forgotten), other).put("k", b"", if_match='"1"')
    assert isinstance(raised.value.problem, PreconditionFailed)
    # The key of a first attempt cannot be forgotten.
    with pytest.raises(PreconditionFailed):
        clients.open(unused_url, node(forgotten), other).put("k", b"", if_match='"1"')
    assert other.received == []


def test_a_contended_write_is_repeated_after_random_pauses(clients: Clients, node: Nodes) -> None:
    contended = problem(409, "contended", {"Retry_After": "0"})
    assert clients.open(node(contended), node(written())).put("k", b"", if_match="*") == Written('"1"')
    client = clients.open(node(contended), node(contended))
    began = time.monotonic()
    with pytest.raises(Contended) as raised:
        client.put("k", b"", if_none_match="*")
    assert time.monotonic() - began > 0.2
    assert len(raised.value.failures) == 3
    with pytest.raises(Contended):
        client.touch("k", 60)
