"""Answers to requests for one key: values, conditions, parts and errors."""

from __future__ import annotations

import pickle
from datetime import datetime, timedelta, timezone

import pytest

import quorate
from conftest import Nodes
from hostile import ABSENT, Clients, Script, answer, cut_after, head, problem, value, written
from quorate import (
    Entity,
    InvalidAnswer,
    Metadata,
    NotModified,
    ProblemError,
    ReplicaAnswer,
    Touched,
    Unavailable,
    Written,
)


def test_a_value_comes_with_all_that_the_node_says_of_it(clients: Clients, node: Nodes) -> None:
    dates = {"Last_Modified": "Mon, 23 Nov 2026 16:00:00 GMT", "Expires": "Mon, 23 Nov 2026 17:00:00 GMT"}
    client = clients.open(node(value("grün".encode("latin-1"), Content_Type="text/plain; charset=latin-1", **dates)))
    entity = client.get("k")
    assert entity == Entity(
        key="k",
        etag='"1"',
        size=4,
        content_type="text/plain; charset=latin-1",
        last_modified=datetime(2026, 11, 23, 16, tzinfo=timezone.utc),
        expires=datetime(2026, 11, 23, 17, tzinfo=timezone.utc),
        value=b"gr\xfcn",
    )
    assert (entity.text, entity.is_whole, entity.offset) == ("grün", True, 0)


def test_a_charset_that_nobody_knows(clients: Clients, node: Nodes) -> None:
    entity = clients.open(node(value(b"x", Content_Type="text/plain; charset=nobody"))).get("k")
    assert entity.value == b"x"
    with pytest.raises(LookupError):
        _ = entity.text


def test_no_bytes_are_a_value_too(clients: Clients, node: Nodes) -> None:
    assert clients.open(node(value(b""))).get("k").value == b""


def test_a_large_value_comes_whole(clients: Clients, node: Nodes) -> None:
    body = bytes(range(256)) * 4096
    assert clients.open(node(value(body))).get("k").value == body


def test_a_key_without_a_value_is_none(clients: Clients, node: Nodes) -> None:
    no_body = answer(404, Content_Type="application/problem+json", Cache_Control="no-store")
    client = clients.open(node(ABSENT, no_body))
    assert client.get("k") is None
    assert client.head("k") is None


@pytest.mark.parametrize(
    "page",
    [
        answer(404, b"<html>no such page</html>", Content_Type="text/html"),
        answer(404, b'{"status":404,"type":"about:blank"}', Content_Type="application/problem+json"),
        problem(404, "unknown-page"),
    ],
)
def test_a_404_of_anything_but_a_node_is_no_absence(clients: Clients, node: Nodes, page: Script) -> None:
    with pytest.raises((InvalidAnswer, quorate.NotFound)):
        clients.open(node(page)).get("k")


def test_the_head_of_a_404_of_a_proxy_is_no_absence(clients: Clients, node: Nodes) -> None:
    with pytest.raises(InvalidAnswer):
        clients.open(node(answer(404, Content_Type="text/html"))).head("k")


def test_a_head_has_the_size(clients: Clients, node: Nodes) -> None:
    server = node(lambda connection, _: connection.send(head(200, ETag='"1"', Content_Length="7", Content_Type="a/b")))
    assert clients.open(server).head("k") == Metadata("k", '"1"', 7, "a/b")
    assert server.received[0].method == "HEAD"


def test_writes_say_the_version(clients: Clients, node: Nodes) -> None:
    client = clients.open(node(written(), written(202)))
    assert client.put("k", b"") == Written('"1"')
    assert client.delete("k") == Written('"1"')


def test_a_touch_keeps_the_version_and_moves_the_expiry(clients: Clients, node: Nodes) -> None:
    server = node(answer(200, ETag='"1"', Expires="Mon, 23 Nov 2026 17:00:00 GMT"), answer(200, ETag='"1"'))
    client = clients.open(server)
    expires = datetime(2026, 11, 23, 17, tzinfo=timezone.utc)
    assert client.touch("k", 60, if_match=['"1"', '"2"']) == Touched('"1"', expires)
    assert client.touch("k", timedelta(minutes=2)) == Touched('"1"')
    assert [(each.method, each.target) for each in server.received] == [
        ("PATCH", "/v0/entity/k?ttl=60"),
        ("PATCH", "/v0/entity/k?ttl=120"),
    ]
    assert [each.headers.get("if-match") for each in server.received] == ['"1", "2"', None]


def test_a_touch_of_nothing_is_none_and_of_another_version_fails(clients: Clients, node: Nodes) -> None:
    client = clients.open(node(ABSENT, problem(412, "precondition-failed")))
    assert client.touch("k", 60) is None
    with pytest.raises(quorate.PreconditionFailed):
        client.touch("k", 60, if_match='"1"')


def test_a_touch_of_unknown_outcome_is_repeated_at_the_next_node(clients: Clients, node: Nodes) -> None:
    failing = node(problem(504, "not-enough-replicas"))
    assert clients.open(failing, node(answer(200, ETag='"1"'))).touch("k", 60) == Touched('"1"')
    assert len(failing.received) == 1


def test_conditions(clients: Clients, node: Nodes) -> None:
    server = node(answer(304, ETag='"1"'), answer(304, ETag='"1"'), problem(412, "precondition-failed"))
    client = clients.open(server)
    assert client.get("k", if_none_match='"1"') == NotModified('"1"')
    assert client.head("k", if_none_match=['"1"', '"2"']) == NotModified('"1"')
    with pytest.raises(quorate.PreconditionFailed):
        client.get("k", if_match='"3"')
    unmet = answer(412, Content_Type="application/problem+json", ETag='"9"')
    with pytest.raises(quorate.PreconditionFailed) as raised:
        clients.open(node(unmet)).head("k", if_match='"3"')
    assert raised.value.current == '"9"'
    assert [each.headers.get("if-none-match") for each in server.received] == ['"1"', '"1", "2"', None]
    assert server.received[2].headers["if-match"] == '"3"'


def test_a_304_that_was_not_asked_for_is_no_answer(clients: Clients, node: Nodes) -> None:
    with pytest.raises(InvalidAnswer):
        clients.open(node(answer(304, ETag='"1"'))).get("k")


@pytest.mark.parametrize(
    ("start", "stop", "field", "content_range", "offset"),
    [
        (0, 3, "bytes=0-2", "bytes 0-2/10", 0),
        (7, None, "bytes=7-", "bytes 7-9/10", 7),
        (-3, None, "bytes=-3", "bytes 7-9/10", 7),
        (7, 100, "bytes=7-99", "bytes 7-9/10", 7),
    ],
)
def test_a_part_of_a_value(
    clients: Clients, node: Nodes, start: int, stop: int | None, field: str, content_range: str, offset: int
) -> None:
    server = node(answer(206, b"abc", ETag='"1"', Content_Range=content_range))
    part = clients.open(server).get_part("k", start, stop, if_range='"1"')
    assert (part.value, part.offset, part.size, part.is_whole) == (b"abc", offset, 10, False)
    assert (server.received[0].headers["range"], server.received[0].headers["if-range"]) == (field, '"1"')


def test_the_value_of_another_version_comes_whole(clients: Clients, node: Nodes) -> None:
    part = clients.open(node(value(b"abcdef"))).get_part("k", 2, 4, if_range='"0"')
    assert (part.value, part.offset, part.is_whole) == (b"abcdef", 0, True)


def test_all_bytes_as_a_part(clients: Clients, node: Nodes) -> None:
    server = node(answer(206, b"abc", ETag='"1"', Content_Range="bytes 0-2/3"))
    assert clients.open(server).get_part("k", -10).is_whole


def test_no_part_of_nothing(clients: Clients, node: Nodes) -> None:
    client = clients.open(node(problem(416, "range-not-satisfiable"), ABSENT))
    with pytest.raises(quorate.RangeNotSatisfiable):
        client.get_part("k", 100)
    assert client.get_part("k", 100) is None


@pytest.mark.parametrize(
    "lie",
    [
        answer(206, b"abc", ETag='"1"'),
        answer(206, b"abc", ETag='"1"', Content_Range="bytes 0-9/10"),
        answer(206, b"abc", ETag='"1"', Content_Range="bytes 0-2/2"),
        answer(206, b"abc", ETag='"1"', Content_Range="lines 0-2/10"),
        answer(206, b"abc", ETag='"1"', Content_Range="bytes 5-7/10"),
        answer(206, b"abcd", ETag='"1"', Content_Range="bytes 0-3/10"),
        answer(206, b"ab", ETag='"1"', Content_Range="bytes 0-1/10"),
        answer(200, b"abc"),
        value(b"abc", Content_Encoding="gzip"),
        value(b"abc", Last_Modified="yesterday"),
        cut_after(head(200, ETag='"1"') + b"abc"),
        answer(302, Location="http://127.0.0.1:1/"),
        answer(400, b"[]", Content_Type="application/problem+json"),
        answer(400, b"[" * 50_000, Content_Type="application/problem+json"),
        answer(400, b" " * 100_000, Content_Type="application/problem+json"),
    ],
)
def test_what_no_node_would_say_is_no_value(clients: Clients, node: Nodes, lie: Script) -> None:
    with pytest.raises(InvalidAnswer):
        clients.open(node(lie)).get_part("k", 0, 3)


def test_an_answer_has_a_largest_size(clients: Clients, node: Nodes) -> None:
    server = node(value(b"abc" * 100))
    with pytest.raises(quorate.AnswerTooLarge):
        clients.open(server, max_answer_size=299).get("k")
    assert clients.open(server, max_answer_size=300).get("k").size == 300


PROBLEMS = {
    (400, "bad-request"): quorate.BadRequest,
    (400, "unknown-path"): quorate.BadRequest,
    (401, "unauthenticated"): quorate.Unauthenticated,
    (403, "forbidden"): quorate.Forbidden,
    (403, "cross-origin"): quorate.Forbidden,
    (404, "unknown-page"): quorate.NotFound,
    (405, "method-not-allowed"): ProblemError,
    (408, "body-slow"): ProblemError,
    (409, "contended"): quorate.Contended,
    (409, "of-the-future"): ProblemError,
    (412, "precondition-failed"): quorate.PreconditionFailed,
    (413, "value-too-large"): quorate.TooLarge,
    (413, "too-many-items"): quorate.TooLarge,
    (416, "range-not-satisfiable"): quorate.RangeNotSatisfiable,
    (421, "misdirected-request"): ProblemError,
    (422, "idempotency-key-reused"): quorate.IdempotencyKeyReused,
    (428, "condition-required"): quorate.ConditionRequired,
    (429, "too-many-requests"): quorate.TooManyRequests,
    (500, "internal-error"): quorate.InternalError,
    (501, "not-implemented"): quorate.NotSupported,
    (503, "overloaded"): quorate.Overloaded,
    (503, "draining"): quorate.Draining,
    (503, "late"): quorate.Late,
    (503, "clock"): quorate.ClockUncertain,
    (504, "not-enough-replicas"): quorate.NotEnoughReplicas,
    (507, "disk-full"): quorate.DiskFull,
    (418, "of-the-future"): ProblemError,
}


@pytest.mark.parametrize(("answered", "kind"), PROBLEMS.items())
def test_each_problem_has_its_type(
    clients: Clients, node: Nodes, answered: tuple[int, str], kind: type[ProblemError]
) -> None:
    status, name = answered
    with pytest.raises(ProblemError) as raised:
        clients.open(node(problem(status, name, more=7))).get("k")
    error = raised.value
    assert type(error) is kind
    assert (error.status, error.type) == (status, f"urn:quorate:problem:{name}")
    assert (error.title, error.detail, error.instance, error.members["more"]) == ("T", "D", "/v0/entity", 7)
    assert str(error).endswith(f": {status} T: D")
    assert isinstance(error, Unavailable) == (name == "contended" or status in (429, 500, 503, 504, 507))


def test_errors_keep_their_numbers(clients: Clients, node: Nodes) -> None:
    said = [{"node": "n0", "said": "ack"}, {"node": "n1", "said": "timeout"}]
    lost = problem(504, "not-enough-replicas", required=2, acknowledged=1, replicas=said)
    busy = problem(503, "overloaded", {"Retry_After": "7"})
    server = node(lost, lost, busy)
    client = clients.open(server, deadline=3)
    with pytest.raises(quorate.NotEnoughReplicas) as lost_error:
        client.get("k")
    assert (lost_error.value.required, lost_error.value.acknowledged, lost_error.value.outcome) == (2, 1, None)
    assert lost_error.value.replicas == (ReplicaAnswer("n0", "ack"), ReplicaAnswer("n1", "timeout"))
    assert lost_error.value.node == server.url
    assert len(lost_error.value.failures) == 2
    with pytest.raises(quorate.Overloaded) as busy_error:
        client.get("k")
    assert busy_error.value.retry_after == 7


def test_errors_survive_a_process_boundary(clients: Clients, node: Nodes) -> None:
    with pytest.raises(quorate.NotEnoughReplicas) as raised:
        clients.open(node(problem(504, "not-enough-replicas", required=2))).get("k")
    error = pickle.loads(pickle.dumps(raised.value))  # noqa: S301
    assert (type(error), str(error), error.required) == (quorate.NotEnoughReplicas, str(raised.value), 2)
    assert error.failures == raised.value.failures


def test_the_error_of_a_head_has_no_document(clients: Clients, node: Nodes) -> None:
    with pytest.raises(quorate.Forbidden) as raised:
        clients.open(node(answer(403, Content_Type="application/problem+json"))).head("k")
    assert (raised.value.status, raised.value.type) == (403, "")
