"""Ranges: bounds, pages, and the last line without which a range is no range."""

from __future__ import annotations

import base64
import json
from datetime import datetime, timezone
from typing import Any
from urllib.parse import unquote

import pytest

from conftest import Nodes
from hostile import (
    Clients,
    Connection,
    Received,
    Script,
    Server,
    answer,
    chunked,
    cut,
    head,
    lines,
    problem,
    sends,
    stand_still_after,
)
from quorate import (
    AnswerTooLarge,
    Forbidden,
    IncompleteRange,
    InvalidAnswer,
    KeyRecord,
    NoNodeAnswered,
    NotEnoughReplicas,
    QuorateError,
    Record,
    Unavailable,
)


def record(key: str, value: bytes = b"x") -> dict[str, object]:
    return {"key": key, "etag": '"1"', "value": base64.b64encode(value).decode()}


def last(records: int, cursor: str | None = None) -> dict[str, object]:
    rest = {} if cursor is None else {"next": f"/v0/entities?cursor={cursor}&limit=2"}
    return {"last": True, "records": records, **rest}


def parameters(request: Received) -> dict[str, str]:
    query = request.target.partition("?")[2]
    return {name: unquote(value) for name, _, value in (each.partition("=") for each in query.split("&"))}


def cut_range(*records: object) -> Script:
    def script(connection: Connection, _: Received) -> None:
        connection.send(lines(*records, is_whole=False))
        connection.close()

    return script


def whole(*records: object) -> Script:
    return sends(lines(*records))


class Store:
    """A node with keys, which answers ranges as nodes do, and breaks off as the test says."""

    def __init__(self, *keys: str, breaks: list[int] | None = None) -> None:
        self.keys = sorted(keys)
        self.breaks = breaks or []

    def __call__(self, connection: Connection, request: Received) -> None:
        asked = parameters(request)
        is_reverse = "reverse" in asked or asked.get("cursor", "").startswith("-")
        keys = self.keys[::-1] if is_reverse else self.keys
        if "cursor" in asked:
            place = asked["cursor"][1:]
            keys = [key for key in keys if (key < place if is_reverse else key > place)]
        keys = [key for key in keys if asked.get("start", "") <= key < asked.get("end", "~")]
        keys = [key for key in keys if key.startswith(asked.get("prefix", ""))]
        page = keys[: int(asked["limit"])]
        is_cut = len(page) < len(keys)
        end = last(len(page), ("-" if is_reverse else "+") + page[-1] if is_cut else None)
        if "next" in end:
            end["next"] = str(end["next"]).replace("+", "%2B")
        records = [record(key) for key in page]
        if self.breaks:
            connection.send(lines(*records[: self.breaks.pop(0)], is_whole=False))
            connection.cut()
            return
        connection.send(lines(*records, end))


KEYS = [f"k{i:02}" for i in range(10)]


def test_records_have_all_that_the_node_says(clients: Clients, node: Nodes) -> None:
    extended = {**record("a", b"\0\xff"), "contentType": "image/png", "expires": "2026-01-31T12:00:00.250Z", "new": 1}
    server = node(whole(extended, record("b", "grün".encode()), last(2)))
    first, second = clients.open(server).range(prefix="fruit: +")
    expires = datetime(2026, 1, 31, 12, 0, 0, 250_000, tzinfo=timezone.utc)
    assert first == Record("a", '"1"', b"\0\xff", "image/png", expires)
    assert (second.text, second.content_type, second.expires) == ("grün", "application/octet-stream", None)
    assert server.received[0].headers["accept"] == "application/x-ndjson"
    assert server.received[0].target == "/v0/entities?prefix=fruit%3A%20%2B&limit=1000"


def test_keys_come_without_values(clients: Clients, node: Nodes) -> None:
    server = node(whole({"key": "a", "etag": '"1"', "size": 7, "expires": "2026-01-31T12:00:00Z"}, last(1)))
    assert list(clients.open(server).keys(start="a", end="b")) == [
        KeyRecord("a", '"1"', 7, datetime(2026, 1, 31, 12, tzinfo=timezone.utc))
    ]
    assert parameters(server.received[0]) == {"start": "a", "end": "b", "keys": "true", "limit": "1000"}


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({}, {"start": "\0"}),
        ({"prefix": ""}, {"start": "\0"}),
        ({"start": "a/b", "end": "ä"}, {"start": "a/b", "end": "ä"}),
        (
            {"start": "x" * 1024 + "\0", "end": "y" * 1024 + "\0"},
            {"start": "x" * 1024 + "\0", "end": "y" * 1024 + "\0"},
        ),
        ({"reverse": True}, {"reverse": "true"}),
        ({"reverse": True, "start": "a", "end": "b"}, {"reverse": "true", "start": "a", "end": "b"}),
        ({"reverse": True, "prefix": "a"}, {"reverse": "true", "prefix": "a"}),
        ({"cursor": "AQ=="}, {"cursor": "AQ=="}),
        ({"cursor": "AQ==", "reverse": True}, {"cursor": "AQ=="}),
        ({"ack": 1, "from_": 3}, {"start": "\0", "ack": "1", "from": "3"}),
        ({"page_size": 7}, {"start": "\0", "limit": "7"}),
        ({"page_size": 7, "limit": 3}, {"start": "\0", "limit": "3"}),
    ],
)
def test_bounds(clients: Clients, node: Nodes, options: dict[str, Any], sent: dict[str, str]) -> None:
    server = node(whole(last(0)))
    client = clients.open(server)
    assert list(client.range(**options)) == []
    assert [list(page) for page in client.pages(**options)] == [[]]
    assert [parameters(each) for each in server.received] == [{"limit": "1000", **sent}] * 2


@pytest.mark.parametrize(
    "options",
    [
        {"prefix": "a", "start": "b"},
        {"prefix": "a", "end": "b"},
        {"cursor": "A", "prefix": "b"},
        {"cursor": "A", "start": "b"},
        {"limit": -1},
        {"page_size": 0},
        {"start": "x" * 1025},
        {"start": "x" * 1025 + "\0"},
        {"prefix": "x" * 1024 + "\0"},
        {"end": ""},
    ],
)
def test_bounds_that_contradict_each_other(clients: Clients, node: Nodes, options: dict[str, Any]) -> None:
    server = node(whole(last(0)))
    with pytest.raises(ValueError, match=r"give|must|bytes"):
        list(clients.open(server).range(**options))
    assert server.received == []


@pytest.mark.parametrize("is_reverse", [False, True])
@pytest.mark.parametrize("page_size", [1, 3, 5, 9, 10, 11])
def test_a_range_is_read_in_pages(clients: Clients, node: Nodes, page_size: int, is_reverse: bool) -> None:
    server = node(Store(*KEYS))
    client = clients.open(server)
    expected = KEYS[::-1] if is_reverse else KEYS
    read = [each.key for each in client.range(page_size=page_size, reverse=is_reverse)]
    assert read == expected
    requests = len(server.received)
    pages = list(client.pages(page_size=page_size, reverse=is_reverse))
    assert [each.key for page in pages for each in page] == expected
    assert [len(page) for page in pages[:-1]] == [page_size] * (len(pages) - 1)
    assert requests == len(pages) == -(-len(KEYS) // page_size)


@pytest.mark.parametrize("limit", [0, 1, 3, 4, 9, 10, 11])
def test_a_limit_has_all_pages(clients: Clients, node: Nodes, limit: int) -> None:
    server = node(Store(*KEYS))
    client = clients.open(server)
    assert [each.key for each in client.range(page_size=3, limit=limit)] == KEYS[:limit]
    assert len(server.received) == -(-min(limit, 10) // 3)
    assert [each.key for page in client.pages(page_size=3, limit=limit) for each in page] == KEYS[:limit]


def test_a_cursor_leads_to_the_rest(clients: Clients, node: Nodes) -> None:
    client = clients.open(node(Store(*KEYS)))
    page = next(client.pages(page_size=4, reverse=True))
    assert [each.key for each in page] == ["k09", "k08", "k07", "k06"]
    rest = client.range(cursor=page.cursor, reverse=True, page_size=4)
    assert [each.key for each in rest] == ["k05", "k04", "k03", "k02", "k01", "k00"]
    with pytest.raises(InvalidAnswer, match="other direction"):
        list(client.range(cursor=page.cursor))


LOST = {
    "the last line is missing": lines(record("a"), record("b")),
    "the last chunk is missing": lines(record("a"), record("b"), is_whole=False),
    "a line is cut": head(200, Transfer_Encoding="chunked") + chunked(b'{"key":"a","etag":"1","val', is_whole=False),
    "the last line has no end": head(200, Transfer_Encoding="chunked") + chunked(b'{"last":true,"records":0}'),
    "there is nothing": lines(),
}


@pytest.mark.parametrize("name", LOST)
@pytest.mark.parametrize("method", ["range", "pages"])
def test_a_range_without_its_last_line_fails(clients: Clients, node: Nodes, name: str, method: str) -> None:
    def script(connection: Connection, _: Received) -> None:
        connection.send(LOST[name])
        connection.close()

    client = clients.open(node(script, cut_range()))
    with pytest.raises(IncompleteRange) as raised:
        list(getattr(client, method)())
    # A page that is not complete is not handed over.
    expected = (2, "b") if b'"b"' in LOST[name] and method == "range" else (0, None)
    assert (raised.value.records, raised.value.last_key) == expected
    assert isinstance(raised.value, Unavailable)
    assert len(raised.value.failures) == 2


def test_the_records_before_the_end_are_handed_over(clients: Clients, node: Nodes) -> None:
    range_ = clients.open(node(cut_range(record("a"), record("b")), cut)).range()
    assert [next(range_).key, next(range_).key] == ["a", "b"]
    with pytest.raises(IncompleteRange) as raised:
        next(range_)
    assert (raised.value.records, raised.value.last_key) == (2, "b")


@pytest.mark.parametrize("is_reverse", [False, True])
@pytest.mark.parametrize("method", ["range", "pages"])
@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_a_range_goes_on_at_the_next_node(
    clients: Clients, node: Nodes, method: str, is_reverse: bool, at: int
) -> None:
    stores = [node(Store(*KEYS, breaks=[at])), node(Store(*KEYS, breaks=[at])), node(Store(*KEYS))]
    client = clients.open(*stores)
    read = list(getattr(client, method)(page_size=3, reverse=is_reverse))
    records = read if method == "range" else [each for page in read for each in page]
    assert [each.key for each in records] == (KEYS[::-1] if is_reverse else KEYS)
    # A page that is not complete was not handed over, and is read again.
    left = len(KEYS) - (2 * at if method == "range" else 0)
    assert [len(each.received) for each in stores] == [1, 1, -(-left // 3)]


@pytest.mark.parametrize("is_reverse", [False, True])
@pytest.mark.parametrize(
    "options",
    [{}, {"prefix": "k0"}, {"start": "k00"}, {"end": "k09\0"}, {"start": "k00", "end": "k09\0"}, {"limit": 10}],
)
def test_each_record_of_a_broken_answer_is_progress(
    clients: Clients, node: Nodes, options: dict[str, Any], is_reverse: bool
) -> None:
    stores = [node(Store(*KEYS, breaks=[1] * 4)), node(Store(*KEYS, breaks=[1] * 4))]
    read = [each.key for each in clients.open(*stores).range(reverse=is_reverse, **options)]
    assert read == (KEYS[::-1] if is_reverse else KEYS)
    assert sum(len(each.received) for each in stores) == 9


def test_the_rest_of_a_broken_range_is_asked_for_alone(clients: Clients, node: Nodes) -> None:
    server = node(Store(*KEYS, breaks=[3, 2]))
    assert [each.key for each in clients.open(server).range(prefix="k0", limit=6)] == KEYS[:6]
    assert [parameters(each) for each in server.received] == [
        {"prefix": "k0", "limit": "6"},
        {"start": "k02\0", "end": "k1", "limit": "3"},
        {"start": "k04\0", "end": "k1", "limit": "1"},
    ]


@pytest.mark.parametrize(
    ("prefix", "end"),
    [
        ("a\ud7ff", "a\ue000"),
        ("a\U0010ffff", "b"),
        ("\U0010ffff", None),
        ("\x7f" * 1024, "\x7f" * 1024 + "\0"),
        ("", None),
    ],
    ids=["before surrogates", "the last character", "only the last character", "the longest key", "no prefix"],
)
def test_the_rest_of_a_prefix_ends_behind_its_keys(clients: Clients, node: Nodes, prefix: str, end: str | None) -> None:
    server = node(cut_range(record(prefix or "a")), whole(last(0)))
    assert [each.key for each in clients.open(server).range(prefix=prefix)] == [prefix or "a"]
    assert parameters(server.received[1]).get("end") == end


def test_a_broken_range_that_has_its_most_records_is_whole(clients: Clients, node: Nodes) -> None:
    server = node(Store(*KEYS, breaks=[6]))
    assert [each.key for each in clients.open(server).range(limit=6)] == KEYS[:6]
    assert len(server.received) == 1


def test_a_broken_page_of_a_cursor_is_read_again(clients: Clients, node: Nodes) -> None:
    server = node(Store(*KEYS, breaks=[2]))
    assert [each.key for each in clients.open(server).range(cursor="+k05")] == KEYS[6:]
    assert [parameters(each)["cursor"] for each in server.received] == ["+k05", "+k05"]


def test_keys_that_come_and_go_meanwhile_change_nothing_that_was_read(clients: Clients, node: Nodes) -> None:
    broken = node(Store("a", "c", "e", breaks=[2]))
    other = node(Store("a", "b", "d", "e"))
    assert [each.key for each in clients.open(broken, other).range()] == ["a", "c", "d", "e"]


@pytest.mark.parametrize(("options", "expected"), [({"limit": 3}, "acd"), ({"page_size": 3}, "acde")])
def test_a_range_that_breaks_off_has_no_more_records_than_asked_for(
    clients: Clients, node: Nodes, options: dict[str, int], expected: str
) -> None:
    def client() -> Any:
        return clients.open(node(Store("a", "c", breaks=[2])), node(Store("b", "d", "e")))

    assert [each.key for each in client().range(**options)] == list(expected)
    assert [[each.key for each in page] for page in client().pages(**options)] == [["b", "d", "e"]]


def test_a_page_that_breaks_off_is_dropped(clients: Clients, node: Nodes) -> None:
    store = Store(*KEYS, breaks=[3, 1])
    pages = clients.open(node(store, store, cut), node(cut)).pages(page_size=3)
    with pytest.raises(IncompleteRange) as raised:
        next(pages)
    assert (raised.value.records, raised.value.last_key) == (0, None)
    pages = clients.open(node(Store(*KEYS), cut)).pages(page_size=3)
    assert [each.key for each in next(pages)] == KEYS[:3]
    with pytest.raises(IncompleteRange) as raised:
        next(pages)
    assert (raised.value.records, raised.value.last_key) == (3, "k02")


@pytest.mark.parametrize("is_reverse", [False, True])
def test_a_later_call_continues_a_range(clients: Clients, node: Nodes, is_reverse: bool) -> None:
    longest = ["k" * 1023 + letter for letter in "abcd"]
    client = clients.open(node(Store(*longest, breaks=[2]), cut, cut, Store(*longest)))
    with pytest.raises(IncompleteRange) as raised:
        list(client.range(reverse=is_reverse))
    last_key = raised.value.last_key
    rest = {"end": last_key} if is_reverse else {"start": f"{last_key}\0"}
    assert [each.key for each in client.range(reverse=is_reverse, **rest)] == sorted(longest, reverse=is_reverse)[2:]


def test_no_node_goes_on(clients: Clients, node: Nodes, unused_url: str) -> None:
    client = clients.open(node(cut_range(record("a")), cut), unused_url)
    with pytest.raises(IncompleteRange, match="broke off after 1 records"):
        list(client.range())


@pytest.mark.parametrize(
    "end", [answer(502, b"Bad Gateway"), problem(401, "unauthenticated"), problem(503, "draining"), cut]
)
def test_whatever_ends_a_range_that_has_begun(clients: Clients, node: Nodes, end: Script) -> None:
    range_ = clients.open(node(cut_range(record("a"), record("b")), end), node(end)).range()
    assert [next(range_).key, next(range_).key] == ["a", "b"]
    with pytest.raises(IncompleteRange) as raised:
        next(range_)
    assert (raised.value.records, raised.value.last_key) == (2, "b")
    assert isinstance(raised.value.__cause__, QuorateError)


def test_a_range_that_has_not_begun_fails_as_other_reads(clients: Clients, node: Nodes, unused_url: str) -> None:
    lost = problem(504, "not-enough-replicas", required=2, acknowledged=1)
    with pytest.raises(NotEnoughReplicas) as raised:
        list(clients.open(node(lost)).range())
    assert raised.value.required == 2
    with pytest.raises(NoNodeAnswered):
        list(clients.open(unused_url).range())
    with pytest.raises(Forbidden):
        list(clients.open(node(problem(403, "forbidden"))).range())


LIES: dict[str, list[object]] = {
    "out of order": [record("b"), record("a"), last(2)],
    "twice": [record("a"), record("a"), last(2)],
    "too few": [record("a"), last(2)],
    "too many": [record("a"), record("b"), last(1)],
    "behind the last": [record("a"), last(1), record("b")],
    "no key": [{"etag": '"1"', "value": ""}, last(1)],
    "half of a character in the key": [record("a\ud83d"), last(1)],
    "half of a character in the type": [{**record("a"), "contentType": "text/\ud83d"}, last(1)],
    "no etag": [{"key": "a", "value": ""}, last(1)],
    "no value": [{"key": "a", "etag": '"1"', "size": 3}, last(1)],
    "no base64": [{"key": "a", "etag": '"1"', "value": "#"}, last(1)],
    "no base64 at all": [{"key": "a", "etag": '"1"', "value": "é"}, last(1)],
    "no object": [["a"], last(1)],
    "not last": [{"last": False, "records": 0}],
    "no number": [{"last": True}],
    "no URL": [{"last": True, "records": 0, "next": "//[x/v0/entities?cursor=c"}],
    "no cursor": [{"last": True, "records": 0, "next": "/v0/entities?start=a"}],
    "another place": [record("a"), {"last": True, "records": 1, "next": "http://127.0.0.1:1/?cursor=a"}],
    "no progress": [last(0, "same")],
    "no instant": [{**record("a"), "expires": "soon"}, last(1)],
    "no month": [{**record("a"), "expires": "2026-13-01T00:00:00Z"}, last(1)],
}


@pytest.mark.parametrize("name", LIES)
@pytest.mark.parametrize("method", ["range", "pages"])
def test_what_is_no_range_fails(clients: Clients, node: Nodes, name: str, method: str) -> None:
    with pytest.raises(InvalidAnswer):
        list(getattr(clients.open(node(whole(*LIES[name]))), method)())


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16-le"])
def test_a_line_in_another_encoding_fails(clients: Clients, node: Nodes, encoding: str) -> None:
    text = json.dumps(record("ä"), ensure_ascii=False).encode(encoding) + b"\n" + json.dumps(last(1)).encode() + b"\n"
    server = node(answer(200, text, Content_Type="application/x-ndjson"))
    with pytest.raises(InvalidAnswer):
        list(clients.open(server).range())


def test_a_page_that_begins_again_fails(clients: Clients, node: Nodes) -> None:
    with pytest.raises(InvalidAnswer, match="out of order"):
        list(clients.open(node(whole(record("a"), last(1, "x")))).range())


def test_a_record_has_a_largest_size(clients: Clients, node: Nodes) -> None:
    records = [record(key, b"x" * 300) for key in KEYS]
    client = clients.open(node(whole(*records, last(10))))
    assert len(list(client.range(max_answer_size=1000))) == 10
    with pytest.raises(AnswerTooLarge):
        list(client.range(max_answer_size=400))
    with pytest.raises(AnswerTooLarge):
        list(client.pages(max_answer_size=1000))


def test_an_iterator_that_is_closed_early_closes_its_connection(clients: Clients, node: Nodes) -> None:
    server = node(stand_still_after(lines(record("a"), is_whole=False)))
    range_ = clients.open(server).range()
    assert next(range_).key == "a"
    range_.close()
    assert server.wait_for_end_of_connections(5)


def test_lines_and_chunks_are_not_the_same(clients: Clients, node: Nodes) -> None:
    data = b"".join(b'{"key":"%s","etag":"\\"1\\"","value":"eA=="}\n' % key.encode() for key in KEYS)
    data += b'{"last":true,"records":10}\n'
    server: Server = node(sends(head(200, Transfer_Encoding="chunked") + chunked(*(bytes([each]) for each in data))))
    assert [each.key for each in clients.open(server).range()] == KEYS
