"""A node with values of its own, which may lose requests and answers."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

from hostile import Connection, Received, head, problem_document
from quorate._calls import Calls, Head, Open, Pause, Read, Step, Steps, TransportFailure
from quorate._exchange import Run
from quorate._nodes import Nodes
from quorate._options import Options
from quorate._recipes import Recipes
from quorate.errors import QuorateError

T = TypeVar("T")

Answer: TypeAlias = tuple[int, dict[str, str], bytes]

BEFORE, AFTER = "the request is lost", "the answer is lost"


def refusal(status: int, name: str, **members: object) -> Answer:
    told = {"Content-Type": "application/problem+json", "Cache-Control": "no-store"}
    return status, told, problem_document(status, name, **members)


@dataclass
class Stored:
    value: bytes
    etag: str
    content_type: str
    expires: float | None
    # The outcomes of keyed writes, as long as conditional writes alone change the key.
    done: dict[str, str]


class Store:
    """Values, by the rules of conditional writes. Called as a script it answers requests of a socket."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.asked: list[str] = []
        # Whether a request or its answer is lost, or another answer.
        self.fault: Callable[[str, str], str | Answer | None] = lambda *_: None
        self._lock = threading.Lock()
        self._values: dict[str, Stored] = {}
        self._versions = itertools.count(1)

    def get(self, key: str) -> Stored | None:
        stored = self._values.get(key)
        return None if stored is None or (stored.expires is not None and stored.expires <= self.clock()) else stored

    def text(self, key: str) -> str | None:
        stored = self.get(key)
        return None if stored is None else stored.value.decode()

    def keys(self) -> list[str]:
        return sorted(key for key in self._values if self.get(key) is not None)

    def put(self, key: str, value: str = "", ttl: float | None = None) -> str:
        expires = None if ttl is None else self.clock() + ttl
        self._values[key] = Stored(value.encode(), self._next(), "text/plain", expires, {})
        return self._values[key].etag

    def drop(self, key: str) -> None:
        self._values.pop(key, None)

    def _next(self) -> str:
        return f'"{next(self._versions):016x}-00000001"'

    def __call__(self, connection: Connection, request: Received) -> None:
        with self._lock:
            try:
                status, headers, body = self.answer(request.method, request.target, request.headers, request.body)
            except TransportFailure:
                connection.cut()
                return
        body_there = b"" if request.method == "HEAD" else body
        connection.send(head(status, **{"Content-Length": str(len(body)), **headers}) + body_there)

    def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        fields = {name.lower(): value for name, value in headers.items()}
        url = urlsplit(target)
        query = dict(parse_qsl(url.query))
        key = unquote(url.path).removeprefix("/v0/entity/")
        self.asked.append(f"{method} {key}" + (f"?{url.query}" if url.query else ""))
        fault = self.fault(method, key)
        if isinstance(fault, tuple):
            return fault
        if fault == BEFORE:
            raise TransportFailure(BEFORE, was_sent=True)
        if url.path == "/v0/entities":
            answer = self._range(query)
        elif url.path == "/v0/batch":
            lines = [self._item(json.loads(line)) for line in body.splitlines()]
            answer = 200, {}, b"".join(lines)
        else:
            answer = self._one(method, key, query, fields, body)
        if fault == AFTER:
            raise TransportFailure(AFTER, was_sent=True)
        return answer

    def _range(self, query: dict[str, str]) -> Answer:
        start = query.get("prefix", query.get("start", ""))
        inside = [each for each in self.keys() if each >= start]
        if "prefix" in query:
            inside = [each for each in inside if each.startswith(start)]
        if "end" in query:
            inside = [each for each in inside if each < query["end"]]
        shown = inside[: int(query["limit"])]
        records: list[dict[str, object]] = []
        for each in shown:
            stored = self._values[each]
            records.append({"key": each, "size": len(stored.value), "etag": stored.etag})
        last: dict[str, object] = {"last": True, "records": len(shown)}
        if len(shown) < len(inside):
            last["next"] = "/v0/entities?cursor=c"
        return 200, {}, b"".join(json.dumps(each).encode() + b"\n" for each in [*records, last])

    def _item(self, item: dict[str, str]) -> bytes:
        status, headers, body = self._one("DELETE", item["id"], {}, {"if-match": item["ifMatch"]}, b"")
        told: dict[str, object] = {"status": status}
        told.update({"etag": headers["ETag"]} if status < 400 else {"problem": json.loads(body)})
        return json.dumps(told).encode() + b"\n"

    def _one(self, method: str, key: str, query: dict[str, str], fields: dict[str, str], body: bytes) -> Answer:
        stored = self.get(key)
        if method in ("GET", "HEAD"):
            return self._read(stored, fields)
        repeated = fields.get("idempotency-key")
        last = self._values.get(key)
        if repeated is not None and last is not None and repeated in last.done:
            now = "none" if stored is None else stored.etag
            told = {"ETag": last.done[repeated], "Idempotency-Replayed": "true", "Quorate-Current": now}
            return 201 if method == "PUT" else 202, told, b""
        match, none_match = fields.get("if-match"), fields.get("if-none-match")
        if (match is not None and (stored is None or stored.etag != match)) or (none_match and stored is not None):
            return refusal(412, "precondition-failed", current=None if stored is None else stored.etag)
        if method == "PATCH":
            if stored is None:
                return refusal(404, "not-found")
            stored.expires = max(stored.expires or 0, self.clock() + int(query["ttl"]))
            return 200, {"ETag": stored.etag}, b""
        ttl = query.get("ttl")
        expires = None if ttl is None or ttl == "keep" else self.clock() + int(ttl)
        if ttl == "keep" and stored is not None:
            expires = stored.expires
        etag = self._next()
        done = {} if last is None else dict(last.done)
        if repeated is not None:
            done[repeated] = etag
        kind = fields.get("content-type", "application/octet-stream")
        if method == "DELETE":
            expires = self.clock()
        self._values[key] = Stored(body, etag, kind, expires, done)
        return 201 if method == "PUT" else 202, {"ETag": etag}, b""

    def _read(self, stored: Stored | None, fields: dict[str, str]) -> Answer:
        if stored is None:
            return refusal(404, "not-found")
        told = {"ETag": stored.etag, "Content-Type": stored.content_type, "Content-Length": str(len(stored.value))}
        return (304, told, b"") if fields.get("if-none-match") == "*" else (200, told, stored.value)


class Hand:
    """A client without sockets, whose clock the steps themselves move."""

    def __init__(self, **options: Any) -> None:
        self.now = 1000.0
        self.store = Store(lambda: self.now)
        # What others do while a request is on its way.
        self.meanwhile: Callable[[Open], None] = lambda _: None
        self.pauses: list[float] = []
        self.recipes = Recipes(Calls(Nodes("http://a,http://b", shuffle=False), Options(**options), lambda: self.now))

    @property
    def options(self) -> Options:
        return self.recipes.options({})

    def run(self, steps: Steps[T]) -> T:
        run = Run(steps)
        body = b""
        while run.step is not None:
            try:
                reply, body = self._perform(run.step, body)
            except (TransportFailure, QuorateError) as failure:
                run.failed(failure)
            else:
                run.done(reply)
        return run.result

    def _perform(self, step: Step, body: bytes) -> tuple[Head | bytes | None, bytes]:
        if isinstance(step, Pause):
            self.pauses.append(step.seconds)
            self.now += step.seconds
            return None, body
        if isinstance(step, Read):
            return body, b""
        assert isinstance(step, Open)
        self.meanwhile(step)
        request = step.request
        status, headers, body = self.store.answer(request.method, request.target, request.headers, request.body or b"")
        headers = {"content-length": str(len(body)), **{name.lower(): value for name, value in headers.items()}}
        return Head(status, headers), b"" if request.method == "HEAD" else body
