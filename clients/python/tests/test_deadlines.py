"""Deadlines: of the whole call, with every byte of the answer, and of silence."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from conftest import Nodes
from hostile import SLOWNESS, Clients, head, lines, problem, stand_still, stand_still_after, trickle, value, written
from quorate import Client, DeadlineExceeded, IncompleteRange, NoNodeAnswered, OutcomeUnknown, Overloaded

# Seconds that the scheduler of a busy machine may add.
SLACK = 1.5


def seconds(call: Callable[[], Any]) -> float:
    began = time.monotonic()
    call()
    return (time.monotonic() - began) / SLOWNESS


def fails(error: type[Exception], call: Callable[[], Any]) -> float:
    def failing() -> None:
        with pytest.raises(error):
            call()

    return seconds(failing)


BODY = head(200, ETag='"1"', Content_Length="1000") + b"x" * 1000

SLOW = {
    "no byte comes": stand_still,
    "the head trickles": trickle(head(200, ETag='"1"', X="x" * 1000, Content_Length="0")),
    "the body stands still": stand_still_after(BODY[:-1]),
    "the body trickles": trickle(BODY, 0.02),
    "the chunks trickle": trickle(head(200, ETag='"1"', Transfer_Encoding="chunked") + b"1\r\nx\r\n" * 1000, 0.02),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_deadline_has_the_whole_answer(clients: Clients, node: Nodes, name: str) -> None:
    client = clients.open(node(SLOW[name]), deadline=0.6, stall_timeout=5)
    assert 0.5 < fails(DeadlineExceeded, lambda: client.get("k")) < 0.6 + SLACK


def test_a_deadline_has_all_nodes(clients: Clients, node: Nodes, deaf_url: str) -> None:
    servers = [node(SLOW["the body trickles"]) for _ in range(3)]
    client = clients.open(deaf_url, *servers, deadline=1.0, stall_timeout=0.4)
    assert 0.9 < fails(DeadlineExceeded, lambda: client.get("k")) < 1.0 + SLACK
    assert [len(each.received) for each in servers] == [1, 0, 0]


def test_a_deadline_has_the_connection(clients: Clients, deaf_url: str) -> None:
    # The process takes the connection, and says no word of TLS: it has got nothing of the request.
    client = clients.open(deaf_url.replace("http:", "https:"), deadline=0.6)
    assert 0.5 < fails(DeadlineExceeded, lambda: client.put("k", b"")) < 0.6 + SLACK


def test_a_write_that_was_sent_is_unknown_at_the_deadline(clients: Clients, node: Nodes) -> None:
    client = clients.open(node(stand_still), deadline=0.4)
    assert 0.3 < fails(OutcomeUnknown, lambda: client.put("k", b"")) < 0.4 + SLACK


def test_silence_ends_an_attempt(clients: Clients, node: Nodes) -> None:
    client = clients.open(node(stand_still_after(BODY[:-1])), node(value()), deadline=20, stall_timeout=0.4)
    assert 0.3 < seconds(lambda: client.get("k")) < 0.4 + SLACK
    client = clients.open(node(stand_still), deadline=20, stall_timeout=0.4)
    assert 0.7 < fails(NoNodeAnswered, lambda: client.get("k")) < 1.0 + SLACK


def test_bytes_that_come_in_time_are_no_silence(clients: Clients, node: Nodes) -> None:
    beginning = head(200, ETag='"1"', Content_Length="20")
    script = trickle(beginning + b"x" * 20, 0.03, at_once=len(beginning))
    client = clients.open(node(script), stall_timeout=0.4, deadline=20)
    assert client.get("k").size == 20


def test_a_node_has_the_time_that_it_was_given(clients: Clients, node: Nodes) -> None:
    client = clients.open(node(stand_still), deadline=1.0, stall_timeout=0.2, node_timeout=20)
    assert 0.9 < fails(DeadlineExceeded, lambda: client.get("k")) < 1.0 + SLACK


def test_no_pause_outlasts_the_deadline(clients: Clients, node: Nodes) -> None:
    client = clients.open(node(problem(503, "overloaded", {"Retry_After": "30"})), deadline=5)
    assert fails(Overloaded, lambda: client.get("k")) < SLACK


def test_a_node_is_asked_again_after_the_pause_that_it_asks_for(clients: Clients, node: Nodes) -> None:
    client = clients.open(node(problem(503, "draining", {"Retry_After": "1"}), written()), deadline=5)
    assert 1.0 / SLOWNESS <= seconds(lambda: client.put("k", b"")) < 1.0 + SLACK


RECORDS = [{"key": f"k{i}", "etag": '"1"', "value": "eA=="} for i in range(3)]


def test_each_record_of_a_range_has_the_deadline(clients: Clients, node: Nodes) -> None:
    data = lines(*RECORDS, {"last": True, "records": 3})
    script = trickle(data, 0.005, at_once=data.index(b"\r\n\r\n") + 4)
    client = clients.open(node(script), deadline=1.0)
    records = []
    for record in client.range():
        # The time of the caller does not count.
        time.sleep(0.5 * SLOWNESS)
        records.append(record)
    assert len(records) == 3


def test_a_range_that_stands_still_is_incomplete(clients: Clients, node: Nodes) -> None:
    client = clients.open(node(stand_still_after(lines(*RECORDS, is_whole=False))), deadline=0.6, stall_timeout=5)
    range_ = client.range()
    assert [next(range_).key for _ in range(3)] == ["k0", "k1", "k2"]
    assert 0.5 < fails(IncompleteRange, lambda: next(range_)) < 0.6 + SLACK


def test_a_record_that_trickles_is_incomplete(clients: Clients, node: Nodes) -> None:
    long = {**RECORDS[0], "value": "eA==" * 100}
    server = node(trickle(lines(long, is_whole=False), 0.01, at_once=100))
    client = clients.open(server, deadline=0.6, stall_timeout=5)
    assert 0.5 < fails(IncompleteRange, lambda: list(client.range())) < 0.6 + SLACK


def test_a_transport_of_the_caller_has_the_deadline_too() -> None:
    """Its waits are its own; between them the call ends."""

    class Slow(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for _ in range(200):
                time.sleep(0.02 * SLOWNESS)
                yield b"x"

    fields = {"ETag": '"1"', "Content-Length": "200"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, headers=fields, stream=Slow()))
    with Client("http://a", transport=transport, deadline=0.6 * SLOWNESS) as client:
        assert 0.5 < fails(DeadlineExceeded, lambda: client.get("k")) < 0.6 + SLACK


def test_a_call_ends() -> None:
    for endless in (math.inf, math.nan):
        with pytest.raises(ValueError, match=r"finite|above 0"):
            Client(deadline=endless, stall_timeout=endless)
    Client(deadline=math.inf).close()
