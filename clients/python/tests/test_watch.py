"""Watches: the form of their events, and where they go on."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest

from hostile import Clients, problem_document
from quorate import (
    AnswerTooLarge,
    BadRequest,
    Forbidden,
    InvalidAnswer,
    NotFound,
    NotSupported,
    QuorateError,
    TokenError,
    Unauthenticated,
)
from quorate._calls import Calls, Emit, Head, Open, Pause, Read, TransportFailure
from quorate._deadline import Timeout
from quorate._exchange import Run
from quorate._nodes import Nodes as NodeList
from quorate._options import Options
from quorate.watch import Delete, Event, Gap, Live, Message, Parser, Put, Stalled, Subscription

AS_OF = datetime(2026, 1, 31, 12, 0, 0, 250_000, tzinfo=timezone.utc)
EXPIRES = datetime(2027, 1, 31, 12, tzinfo=timezone.utc)


def event(kind: str, cursor: str | None = None, **members: object) -> bytes:
    """An event as nodes send it."""
    line = "" if cursor is None else f"id: {cursor}\n"
    return f"{line}event: {kind}\ndata: {json.dumps(members, ensure_ascii=False)}\n\n".encode()


def put(key: str, cursor: str | None = None, **members: object) -> bytes:
    return event("put", cursor, key=key, etag='"1"', **{"size": 3, "expires": None, **members})


def live(cursor: str | None = None) -> bytes:
    return event("live", cursor, asOf="2026-01-31T12:00:00.250Z")


def end(why: str, millis: int = 3000) -> bytes:
    return b"retry: %d\n" % millis + event("end", why=why)


PUT, LIVE = Put("a", '"1"', 3), Live(AS_OF)


# The form of server-sent events

STREAM = (
    b"\xef\xbb\xbf: quorate\n\n"
    b"id: c1\nevent: put\ndata: {}\n\n"
    b"data:one\rdata: two\r\ndata\n: between\nid\r\n\r\n"
    b"event: nothing\n\n"
    b"retry: 1500\nretry: soon\nid: c\0\ndata:  spaces \nunknown: x\n\r"
    + "event: put\ndata: {'key': 'grün 日本 🍎'}\n\n".encode()
    + b":\n\n:\n\nid: only\n\ndata: last\r\r"
    b"data: without an end\n"
)

MESSAGES = [
    Message("put", b"{}", "c1"),
    Message("message", b"one\ntwo\n", ""),
    Message("message", b" spaces ", None),
    Message("put", "{'key': 'grün 日本 🍎'}".encode(), None),
    Message("message", b"", "only"),
    Message("message", b"last", None),
]


def parsed(*pieces: bytes, largest: int = 100) -> list[Message]:
    parser = Parser("http://a", largest)
    return [each for piece in pieces for each in parser.feed(piece)]


def test_a_stream_that_is_cut_anywhere_has_the_same_events() -> None:
    assert parsed(STREAM) == MESSAGES
    assert parsed(*(bytes([byte]) for byte in STREAM)) == MESSAGES
    for seed in range(500):
        rest, pieces, chance = STREAM, [], random.Random(seed)
        while rest:
            size = chance.randint(1, 40)
            pieces.append(rest[:size])
            rest = rest[size:]
        assert parsed(*pieces) == MESSAGES, seed


@pytest.mark.parametrize("line_end", [b"\n", b"\r", b"\r\n"])
def test_each_end_of_a_line_is_one(line_end: bytes) -> None:
    data = line_end.join([b"id: 1", b"data: a", b"data: b", b"", b"data: c", b"", b""])
    for at in range(1, len(data)):
        assert parsed(data[:at], data[at:]) == [Message("message", b"a\nb", "1"), Message("message", b"c", None)]


def test_a_node_says_when_to_come_back() -> None:
    parser = Parser("http://a", 100)
    assert parser.retry is None
    assert list(parser.feed(b"retry: 1500\n")) == []
    assert parser.retry == 1.5


@pytest.mark.parametrize(
    "data",
    [b"x" * 101, b"data: " + b"x" * 95, b"data\n" * 21, b"data: x\n" * 10 + b":" + b"x" * 30],
    ids=["a line", "a line of data", "empty lines", "all lines"],
)
def test_an_event_has_a_largest_size(data: bytes) -> None:
    with pytest.raises(AnswerTooLarge, match="http://a"):
        parsed(data)
    with pytest.raises(AnswerTooLarge):
        parsed(*(bytes([byte]) for byte in data))


def test_what_is_no_data_has_no_size() -> None:
    assert parsed(b":\n" * 1000 + b"data: x\n\n" * 100) == [Message("message", b"x", None)] * 100


# Where a watch goes on: its steps, without I/O

Piece: TypeAlias = bytes | TransportFailure | QuorateError
# Functions are called at their place in it.
StepScript: TypeAlias = list[Piece | Head | Callable[[], None]]
LOST = TransportFailure("lost", was_sent=True)


class Connections:
    """The connections of a watch to three nodes, one after the other, as the test says; the last one stands still."""

    def __init__(self, *scripts: StepScript, defaults: Options | None = None, **options: Any) -> None:
        self.now = 0.0
        nodes = NodeList(["http://a", "http://b", "http://c"], shuffle=False)
        calls = Calls(nodes, defaults or Options(), lambda: self.now)
        self.subscription = Subscription(calls, options)  # type: ignore[arg-type]
        self._run: Run[None] | None = None
        self._scripts = list(scripts)
        self._script: StepScript = []
        self.opened: list[Open] = []
        self.pauses: list[float] = []
        self.reads = 0

    @property
    def cursor(self) -> str | None:
        return self.subscription.cursor

    @property
    def nodes(self) -> str:
        return "".join(each.node[-1] for each in self.opened)

    @property
    def targets(self) -> list[str]:
        return [each.request.target for each in self.opened]

    @property
    def sent(self) -> list[str | None]:
        """The cursors that were sent."""
        return [each.request.headers.get("Last-Event-ID") for each in self.opened]

    def next(self) -> Event | None:
        """Return the next event, `None` if the watch waits for one."""
        if self._run is None:
            self._run = Run(self.subscription.steps())
        elif isinstance(self._run.step, Emit):
            self._run.done(None)
        while True:
            step = self._run.step
            if isinstance(step, Emit):
                item: Event = step.item
                return item
            if isinstance(step, Open) and not self._scripts:
                return None
            if isinstance(step, Open):
                self.opened.append(step)
                self._script = self._scripts.pop(0)
            if isinstance(step, Pause):
                self.pauses.append(step.seconds)
                self._run.done(None)
                continue
            self.reads += isinstance(step, Read)
            reply = self._next_reply()
            if isinstance(reply, Exception):
                self._run.failed(reply)
            else:
                self._run.done(reply)

    def _next_reply(self) -> Piece | Head:
        while self._script:
            following = self._script.pop(0)
            if not callable(following):
                return following
            following()
        return b""

    def all(self) -> list[Event]:
        """Return all events, until the watch waits."""
        events = []
        while (event := self.next()) is not None:
            events.append(event)
        return events


def stream(*pieces: Piece | Callable[[], None]) -> StepScript:
    return [Head(200, {"content-type": "text/event-stream", "cache-control": "no-store"}), b": quorate\n\n", *pieces]


def lost(times: int) -> list[StepScript]:
    return [[LOST] for _ in range(times)]


def refusal(status: int, name: str, **headers: str) -> StepScript:
    fields = {"content-type": "application/problem+json", **headers}
    return [Head(status, fields), problem_document(status, name)]


def proxy(status: int) -> StepScript:
    return [Head(status, {"content-type": "text/html"}), b"<html>"]


@pytest.fixture
def longest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses have no chance in them: they are as long as they may be."""
    monkeypatch.setattr("quorate.watch.random", SimpleNamespace(uniform=max))


@pytest.mark.parametrize(
    ("options", "target"),
    [
        ({}, ""),
        ({"prefix": ""}, ""),
        ({"key": "ä+/"}, "?key=%C3%A4%2B%2F"),
        ({"prefix": "fruit: "}, "?prefix=fruit%3A%20"),
        ({"start": "a", "end": "b"}, "?start=a&end=b"),
        ({"end": "b"}, "?start=%00&end=b"),
        ({"state": True}, "?cursor=0"),
        ({"values": True, "prefix": "a"}, "?prefix=a&value=true"),
        ({"prefix": "a", "cursor": "AQ=="}, "?prefix=a&cursor=AQ%3D%3D"),
        ({"state": True, "cursor": "AQ"}, "?cursor=AQ"),
        ({"key": None, "cursor": None}, ""),
    ],
)
def test_what_is_asked_for(options: dict[str, Any], target: str) -> None:
    connections = Connections(stream(live()), **options)
    assert connections.cursor == options.get("cursor")
    assert connections.next() == LIVE
    assert connections.targets == [f"/v0/watch{target}"]
    assert dict(connections.opened[0].request.headers) == {"Accept": "text/event-stream"}


@pytest.mark.parametrize(
    "options",
    [
        {"key": "a", "prefix": "b"},
        {"key": "a", "end": "b"},
        {"key": ""},
        {"key": "x" * 1025},
        {"prefix": "a", "start": "b"},
        {"end": ""},
        {"cursor": ""},
        {"cursor": "a\nb"},
        {"stall_timeout": 0},
    ],
)
def test_what_contradicts_itself(clients: Clients, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"give|must|bytes|cursor"):
        clients.open("http://a").watch(**options)


@pytest.mark.parametrize("name", ["ack", "limit", "deadline", "repeat_unknown"])
def test_what_a_watch_has_not(clients: Clients, name: str) -> None:
    with pytest.raises(TypeError, match=f"no option '{name}'"):
        clients.open("http://a").watch(**{name: 1})


def test_options_of_the_client_for_calls_are_none_of_its_watches() -> None:
    connections = Connections(stream(live()), defaults=Options(ack=1, from_=1, node_timeout=60))
    assert connections.next() == LIVE
    assert connections.targets == ["/v0/watch"]
    assert dict(connections.opened[0].request.headers) == {"Accept": "text/event-stream"}


def test_events_have_all_that_the_node_says() -> None:
    value = {"value": base64.b64encode("grün".encode()).decode(), "contentType": "text/plain; charset=utf-8"}
    connections = Connections(
        stream(
            put("ä", expires="2027-01-31T12:00:00Z", new=1),
            put("a", size=5, **value),
            put("a", value="AP8="),
            put("a", size=1 << 20, value=None, contentType=None),
            event("delete", key="a", etag='"2"'),
            event("stalled", members=["n2", "n3"]),
            live(),
            event("reset"),
        )
    )
    events = connections.all()
    assert events == [
        Put("ä", '"1"', 3, EXPIRES),
        Put("a", '"1"', 5, None, "grün".encode(), "text/plain; charset=utf-8"),
        Put("a", '"1"', 3, None, b"\0\xff", "application/octet-stream"),
        Put("a", '"1"', 1 << 20),
        Delete("a", '"2"'),
        Stalled(("n2", "n3")),
        LIVE,
        Gap(),
    ]
    assert [each.text for each in events if isinstance(each, Put) and each.value != b"\0\xff"] == [None, "grün", None]


INVALID = {
    "no JSON": b"event: put\ndata: {\n\n",
    "no object": b"event: put\ndata: []\n\n",
    "no key": event("put", etag='"1"', size=1),
    "no etag": event("delete", key="a"),
    "no size": event("put", key="a", etag='"1"'),
    "no base64": put("a", value="#"),
    "no instant": put("a", expires="soon"),
    "no asOf": event("live"),
    "no UTF-8": b'event: delete\ndata: {"key":"\xff","etag":"1"}\n\n',
    "no cursor": live("a b\u00e4"),
}


@pytest.mark.parametrize("name", INVALID)
def test_what_is_no_event_fails(name: str) -> None:
    connections = Connections(stream(put("a"), INVALID[name]))
    assert connections.next() == PUT
    with pytest.raises(InvalidAnswer):
        connections.next()


def test_an_event_that_is_not_known_is_passed_over() -> None:
    connections = Connections(stream(b"id: c1\nevent: new\ndata: what\n\n", live()))
    assert connections.all() == [LIVE]
    assert connections.cursor == "c1"


def test_a_watch_that_is_cut_goes_on_behind_what_was_handed_over() -> None:
    connections = Connections(stream(put("a", "c1"), LOST), stream(put("b", "c2")), stream(live("c3")), prefix="p")
    assert connections.all() == [PUT, Put("b", '"1"', 3), LIVE]
    assert connections.nodes == "abc"
    assert connections.sent == [None, "c1", "c2"]
    assert connections.targets == ["/v0/watch?prefix=p"] * 3


def test_the_cursor_moves_when_an_event_is_handed_over() -> None:
    connections = Connections(stream(put("a", "c1") + put("b", "c2") + put("c", "c3"), live("c4")), cursor="c0")
    cursors = []
    while connections.next() is not None:
        cursors.append((connections.cursor, connections.reads))
    # One read for the comment, one for the three puts: no more is read than the caller takes.
    assert cursors == [("c1", 2), ("c2", 2), ("c3", 2), ("c4", 3)]


def test_a_batch_that_is_cut_comes_again() -> None:
    whole = put("a") + put("b") + put("c", "c2")
    connections = Connections(stream(live("c1"), whole[:-1], LOST), stream(whole))
    assert [each.key for each in connections.all() if isinstance(each, Put)] == ["a", "b", "a", "b", "c"]
    assert (connections.sent, connections.cursor) == ([None, "c1"], "c2")


def test_a_cursor_of_the_caller_stays_one_until_there_is_another() -> None:
    connections = Connections([LOST], stream(), stream(live("c1")), stream(live()), cursor="c0")
    assert connections.all() == [LIVE, LIVE]
    assert [each.partition("?")[2] for each in connections.targets] == ["cursor=c0"] * 3 + [""]
    assert connections.sent == [None, None, None, "c1"]


def test_a_cursor_that_is_gone_is_a_gap() -> None:
    connections = Connections(refusal(410, "cursor-lost"), stream(live("c1")), prefix="a", cursor="c0")
    assert connections.next() == Gap()
    assert connections.cursor is None
    assert connections.next() == LIVE
    assert connections.targets == ["/v0/watch?prefix=a&cursor=c0", "/v0/watch?prefix=a&cursor=0"]
    assert connections.cursor == "c1"


def test_a_cursor_of_a_watch_that_is_gone_is_a_gap() -> None:
    connections = Connections(stream(live("c1")), refusal(410, "cursor-lost"), stream(live("c2")))
    assert connections.all() == [LIVE, Gap(), LIVE]
    assert (connections.sent, connections.targets[2]) == ([None, "c1", None], "/v0/watch?cursor=0")


def test_a_watch_without_a_cursor_has_none_that_is_gone() -> None:
    with pytest.raises(QuorateError, match="410"):
        Connections(refusal(410, "cursor-lost"), state=True).next()


def test_a_reset_is_a_gap() -> None:
    connections = Connections(
        stream(live("c1")), stream(event("reset"), put("a"), LOST), stream(put("a", "c2"), LOST), stream(live())
    )
    assert [connections.next(), connections.cursor] == [LIVE, "c1"]
    assert [connections.next(), connections.cursor] == [Gap(), None]
    assert connections.next() == PUT
    # The state was cut before it had a cursor: it begins again.
    assert connections.all() == [Gap(), PUT, LIVE]
    assert connections.sent == [None, "c1", None, "c2"]
    assert connections.targets == ["/v0/watch", "/v0/watch", "/v0/watch?cursor=0", "/v0/watch"]


@pytest.mark.parametrize("is_state", [False, True])
def test_what_was_begun_without_a_cursor_begins_again_behind_a_gap(is_state: bool) -> None:
    connections = Connections(stream(put("a"), LOST), [LOST], stream(live("c1")), state=is_state)
    assert connections.all() == [PUT, Gap(), LIVE]
    assert connections.targets[1:] == ["/v0/watch?cursor=0"] * 2


def test_what_has_not_begun_has_no_gap() -> None:
    connections = Connections(stream(), refusal(503, "draining"), stream(live("c1")), key="k")
    assert connections.all() == [LIVE]
    assert connections.targets == ["/v0/watch?key=k"] * 3


@pytest.mark.usefixtures("longest")
def test_the_goodbye_of_a_node_is_no_event() -> None:
    connections = Connections(stream(live("c1"), end("time", 4500) + put("behind")), stream(live("c2")))
    assert connections.all() == [LIVE, LIVE]
    assert (connections.nodes, connections.sent, connections.pauses) == ("ab", [None, "c1"], [4.5, 1.0])


def test_a_node_that_asks_for_a_pause_gets_it() -> None:
    scripts = [
        stream(live(), b"retry: 4000\n", LOST),
        refusal(503, "overloaded", **{"retry-after": "7"}),
        stream(end("full", 3_600_000)),
        stream(live()),
    ]
    connections = Connections(*scripts, cursor="c")
    assert connections.all() == [LIVE, LIVE]
    assert connections.pauses[:3] == [4.0, 7.0, 30.0]
    # It is asked for once.
    assert connections.pauses[3] <= 1.0


@pytest.mark.usefixtures("longest")
def test_pauses_grow_until_an_event_comes() -> None:
    connections = Connections(*lost(7), stream(live("c1")), stream(), stream(live("c2")))
    assert [each for each in connections.all() if each == LIVE] == [LIVE, LIVE]
    assert connections.pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 1.0, 2.0, 1.0]
    assert connections.nodes == "abcabcabca"


def test_watches_do_not_all_come_back_at_once() -> None:
    pauses = []
    for _ in range(200):
        connections = Connections(stream(live("c")))
        connections.all()
        pauses += connections.pauses
    assert 0.1 <= min(pauses) < 0.4 < 0.7 < max(pauses) <= 1.0


RETRIED: dict[str, StepScript] = {
    "no connection": [LOST],
    "the answer is lost": stream(LOST),
    "the answer ends": stream(),
    "429": refusal(429, "too-many-requests"),
    "500": refusal(500, "internal-error"),
    "503": refusal(503, "draining"),
    "504": refusal(504, "not-enough-replicas"),
    "502 of a proxy": proxy(502),
    "the answer is encoded": [Head(503, {"content-encoding": "gzip"})],
}


@pytest.mark.parametrize("name", RETRIED)
def test_what_may_pass_is_tried_again(name: str) -> None:
    connections = Connections(*(list(RETRIED[name]) for _ in range(9)), stream(live("c")))
    first, second = connections.all()
    # Each node once, and the first one again. It is told once.
    assert isinstance(first, Stalled)
    assert [each.node[-1] for each in first.failures] == ["a", "b", "c", "a"]
    assert all(each.reason for each in first.failures)
    assert second == LIVE


def test_an_outage_is_told_each_time() -> None:
    connections = Connections(stream(live("c1")), *lost(5), stream(live("c2")), *lost(3))
    events = connections.all()
    assert [type(each) for each in events] == [Live, Stalled, Live, Stalled]
    told = events[1]
    assert isinstance(told, Stalled)
    assert [each.reason for each in told.failures] == ["the answer has ended", "lost", "lost", "lost"]


FINAL: dict[str, tuple[type[Exception], StepScript]] = {
    "400": (BadRequest, refusal(400, "bad-request")),
    "401": (Unauthenticated, refusal(401, "unauthenticated")),
    "403": (Forbidden, refusal(403, "forbidden")),
    "404": (NotFound, refusal(404, "not-found")),
    "501": (NotSupported, refusal(501, "not-supported")),
    "404 of a proxy": (InvalidAnswer, proxy(404)),
    "200 of a proxy": (InvalidAnswer, proxy(200)),
    "no token": (TokenError, [TokenError("no")]),
}


@pytest.mark.parametrize("name", FINAL)
def test_what_does_not_pass_is_an_error(name: str) -> None:
    error, script = FINAL[name]
    connections = Connections(stream(live("c1"), end("rights")), script)
    assert connections.next() == LIVE
    with pytest.raises(error):
        connections.next()
    assert connections.cursor == "c1"


def test_a_connection_without_a_byte_is_dead_after_45_seconds() -> None:
    waits: list[float] = []

    def wait() -> None:
        timeout = connections.opened[-1].deadline.timeouts()["read"]
        assert isinstance(timeout, Timeout)
        # The number is for transports that ask but once.
        assert timeout == 45.0
        waits.append(timeout.seconds())

    def later() -> None:
        connections.now += 27.0

    opening: StepScript = [wait, later, wait]
    silent = TransportFailure("silent", was_sent=True)
    connections = Connections(
        [*opening, *stream(wait, live("c1"), *[later] * 1000, wait, live("c2"), wait, silent)], stream(live())
    )
    assert connections.all() == [LIVE, LIVE, LIVE]
    # Until the head comes it has the time of a call.
    assert waits == [5.0, 3.0, 45.0, 45.0, 45.0]
    assert connections.sent == [None, "c2"]
