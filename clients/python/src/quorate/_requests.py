"""Requests of the HTTP API, as data."""

from __future__ import annotations

import base64
import json
import re
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import Enum
from types import MappingProxyType
from urllib.parse import quote

from quorate._options import Options
from quorate._values import Delete, Encoded, ETags, Expiry, Get, Item, Put, Ttl, Value

ENTITY = "/v0/entity"
ENTITIES = "/v0/entities"
BATCH = "/v0/batch"
WATCH = "/v0/watch"

FIRST_KEY = "\0"
MOST_KEY_BYTES = 1024

_FIRST_SURROGATE, _BEHIND_SURROGATES = 0xD800, 0xE000

MOST_MEDIA_TYPE = 255

FIELD_VALUE = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")


class Effect(Enum):
    """The effect of a request, which decides on its repetition."""

    NONE = "changes nothing, or may be repeated without harm"
    WRITE = "is repeated only if it has certainly not happened"
    ONCE = "writes, and a repetition gets the answer of the first attempt by its key"
    # They never come back: if one attempt finds another version, none before it has happened, and none will.
    ONCE_ON_VERSIONS = "the same on versions that the caller names"

    @property
    def is_write(self) -> bool:
        """Whether an attempt may have changed something."""
        return self is not Effect.NONE

    @property
    def is_once(self) -> bool:
        """Whether a node does it once, however often it is sent."""
        return self in (Effect.ONCE, Effect.ONCE_ON_VERSIONS)


@dataclass(frozen=True, slots=True)
class Request:
    """A request that any node can answer."""

    method: str
    target: str
    """Path and query, percent-encoded."""
    headers: Mapping[str, str]
    body: bytes | None = None
    effect: Effect = Effect.NONE
    is_urgent: bool = False
    """Whether it waits for no place behind others."""


def put(item: Put, options: Options) -> Request:
    """Build a write."""
    content, media_type = encoded_value(item.value, item.content_type)
    parameters: dict[str, object] = {} if item.ttl is None else {"ttl": expiry(item.ttl)}
    headers = {} if media_type is None else {"Content-Type": media_type}
    target = _entity(item.key, parameters, options)
    return _write("PUT", target, headers, content, etags(item.if_match), etags(item.if_none_match))


def get(
    key: str,
    options: Options,
    *,
    method: str = "GET",
    if_match: ETags | None = None,
    if_none_match: ETags | None = None,
    byte_range: str | None = None,
    if_range: str | None = None,
    parameters: Mapping[str, object] = MappingProxyType({}),
) -> Request:
    """Build a read of one key."""
    fields = {
        "If-Match": etags(if_match),
        "If-None-Match": etags(if_none_match),
        "Range": byte_range,
        "If-Range": etags(if_range),
    }
    headers = {name: value for name, value in fields.items() if value is not None}
    return Request(method, _entity(key, parameters, options), headers)


def delete(item: Delete, options: Options) -> Request:
    """Build a deletion."""
    return _write("DELETE", _entity(item.key, {}, options), {}, None, etags(item.if_match), None)


def _write(
    method: str, target: str, headers: Mapping[str, str], body: bytes | None, match: str | None, none_match: str | None
) -> Request:
    fields = {"If-Match": match, "If-None-Match": none_match}
    given = {**headers, **{name: value for name, value in fields.items() if value is not None}}
    # What such a write does ends its condition, so that it can be repeated by its key.
    effect = Effect.WRITE
    if match not in (None, "*"):
        effect = Effect.ONCE_ON_VERSIONS
    elif none_match == "*":
        effect = Effect.ONCE
    if effect.is_once:
        given["Idempotency-Key"] = str(uuid.uuid4())
    return Request(method, target, given, body, effect)


def touch(key: str, ttl: Ttl, if_match: ETags | None, options: Options) -> Request:
    """Build a touch, which may be repeated like a read."""
    versions = etags(if_match)
    headers = {} if versions is None else {"If-Match": versions}
    return Request("PATCH", _entity(key, {"ttl": whole_seconds(ttl)}, options), headers)


def batch(items: Sequence[Item], lines: Sequence[bytes], options: Options) -> Request:
    """Build a batch of items with their lines."""
    return Request("POST", _target(BATCH, _consistency(options)), {}, b"".join(lines), effect(items))


def effect(items: Sequence[Item]) -> Effect:
    """Return the effect of items: they have no keys."""
    return Effect.NONE if all(isinstance(item, Get) for item in items) else Effect.WRITE


def watch(keys: str | RangeQuery, cursor: str | None, last_event: str | None, *, with_values: bool) -> Request:
    """Build the request for the changes of one key or of a range, from a cursor that the caller knows or has got."""
    parameters: dict[str, object] = {"key": keys} if isinstance(keys, str) else {}
    if isinstance(keys, RangeQuery) and keys.has_bounds:
        parameters = keys.bounds()
    if with_values:
        parameters["value"] = "true"
    headers = {"Accept": "text/event-stream"}
    if last_event is not None:
        headers["Last-Event-ID"] = last_event
    elif cursor is not None:
        parameters["cursor"] = cursor
    return Request("GET", _target(WATCH, parameters), headers)


def item_line(item: Item) -> bytes:
    """Return the line of an item."""
    return json.dumps(_members(item), ensure_ascii=False).encode() + b"\n"


def _entity(key: str, parameters: Mapping[str, object], options: Options) -> str:
    checked_key(key)
    query = {**parameters, **_consistency(options)}
    # Clients and proxies take such a segment for a place of the path.
    if key in (".", ".."):
        return _target(ENTITY, {"id": key, **query})
    return _target(f"{ENTITY}/{encoded(key)}", query)


def _target(path: str, parameters: Mapping[str, object]) -> str:
    query = "&".join(f"{name}={encoded(str(value))}" for name, value in parameters.items())
    return f"{path}?{query}" if query else path


def _consistency(options: Options) -> dict[str, object]:
    quorum = {"ack": options.ack, "from": options.from_}
    return {name: value for name, value in quorum.items() if value is not None}


def _members(item: Item) -> dict[str, object]:
    checked_key(item.key)
    if isinstance(item, Delete):
        return {"op": "delete", "id": item.key, **_conditions(item.if_match, None)}
    if isinstance(item, Get):
        return {"op": "get", "id": item.key, **_conditions(item.if_match, item.if_none_match)}
    content, media_type = encoded_value(item.value, item.content_type)
    members: dict[str, object] = {"op": "put", "id": item.key, "value": base64.b64encode(content).decode("ascii")}
    if media_type is not None:
        members["contentType"] = media_type
    if item.ttl is not None:
        members["ttl"] = expiry(item.ttl)
    return {**members, **_conditions(item.if_match, item.if_none_match)}


def _conditions(if_match: ETags | None, if_none_match: ETags | None) -> dict[str, object]:
    conditions = {"ifMatch": etags(if_match), "ifNoneMatch": etags(if_none_match)}
    return {name: value for name, value in conditions.items() if value is not None}


@dataclass(frozen=True, slots=True)
class RangeQuery:
    """A range of keys, or the rest of one."""

    start: str | None = None
    end: str | None = None
    prefix: str | None = None
    reverse: bool = False
    cursor: str | None = None
    limit: int | None = None
    page_size: int = 1_000

    def __post_init__(self) -> None:
        bounds = (self.start, self.end, self.prefix)
        if self.cursor is not None and any(bound is not None for bound in bounds):
            raise ValueError("a cursor has the bounds of its range: give no start, end and prefix")
        if self.prefix is not None and (self.start is not None or self.end is not None):
            raise ValueError("a prefix stands for start and end: give only one of them")
        if self.limit is not None and self.limit < 0:
            raise ValueError(f"limit must not be below 0, but is {self.limit}")
        if self.page_size < 1:
            raise ValueError(f"page_size must be at least 1, not {self.page_size}")
        if self.end == "":
            raise ValueError("end must not be empty: before it there is no key")
        if self.prefix:
            checked_key(self.prefix)
        for bound in (self.start, self.end):
            if bound:
                # A range can begin and end behind the longest key, too.
                checked_key(bound.removesuffix("\0") or bound)

    def request(self, cursor: str | None, records: int, options: Options, *, with_values: bool) -> Request:
        """Build the request for at most so many records, from a cursor or from the beginning."""
        place = cursor if cursor is not None else self.cursor
        parameters: dict[str, object] = {"cursor": place} if place is not None else self.bounds()
        if place is None and not with_values:
            parameters["keys"] = "true"
        query = {**parameters, "limit": records, **_consistency(options)}
        return Request("GET", _target(ENTITIES, query), {"Accept": "application/x-ndjson"})

    def behind(self, key: str) -> RangeQuery:
        """Return what is behind one of the keys of this range, in its direction. It must not begin with a cursor."""
        if self.reverse:
            return replace(self, start=self.prefix or self.start, end=key, prefix=None)
        end = behind_all_with(self.prefix) if self.prefix else self.end
        return replace(self, start=key + "\0", end=end, prefix=None)

    @property
    def has_bounds(self) -> bool:
        """Whether it is not all keys."""
        return bool(self.prefix or self.start or self.end)

    def bounds(self) -> dict[str, object]:
        """Return the parameters that say which keys it has, and in which direction."""
        parameters: dict[str, object] = {}
        if self.prefix:
            parameters["prefix"] = self.prefix
        else:
            if self.start or not self.reverse:
                parameters["start"] = self.start or FIRST_KEY
            if self.end is not None:
                parameters["end"] = self.end
        if self.reverse:
            parameters["reverse"] = "true"
        return parameters


def behind_all_with(prefix: str) -> str | None:
    """Return the end of all keys that begin with a prefix, `None` if no key is behind them."""
    if len(prefix.encode("utf-8")) == MOST_KEY_BYTES:
        # It is the only one. The next character could have more bytes.
        return prefix + "\0"
    begun = prefix.rstrip(chr(sys.maxunicode))
    if not begun:
        return None
    following = ord(begun[-1]) + 1
    return begun[:-1] + chr(_BEHIND_SURROGATES if following == _FIRST_SURROGATE else following)


def encoded(text: str) -> str:
    """Percent-encode all but letters, digits and `-._~`."""
    return quote(text, safe="")


def checked_key(key: str) -> None:
    """Refuse what is no key.

    Raises:
        ValueError: if the key has not 1 to 1,024 bytes of UTF-8
    """
    if not isinstance(key, str):
        raise TypeError(f"a key is a str, not {type(key).__name__}")
    size = len(key.encode("utf-8"))
    if not 1 <= size <= MOST_KEY_BYTES:
        raise ValueError(f"a key has 1 to {MOST_KEY_BYTES} bytes of UTF-8, this one has {size}")


def encoded_value(value: Value, content_type: str | None) -> tuple[bytes, str | None]:
    """Return the bytes of a value and its media type."""
    if content_type is not None and (len(content_type) > MOST_MEDIA_TYPE or not FIELD_VALUE.fullmatch(content_type)):
        raise ValueError(f"a content_type has 1 to {MOST_MEDIA_TYPE} visible ASCII characters, and spaces between them")
    if isinstance(value, Encoded):
        return encoded_value(value.value, content_type or value.content_type)
    if isinstance(value, str):
        return value.encode("utf-8"), content_type or "text/plain; charset=utf-8"
    if not isinstance(value, bytes | bytearray | memoryview):
        raise TypeError(f"a value is bytes or str, not {type(value).__name__}")
    return bytes(value), content_type


def expiry(ttl: Expiry) -> int | str:
    """Return a time to live in seconds, or that it is kept."""
    if isinstance(ttl, str):
        if ttl != "keep":
            raise ValueError(f'a ttl is a number of seconds, or "keep", not {ttl!r}')
        return ttl
    return whole_seconds(ttl)


def whole_seconds(ttl: Ttl) -> int:
    """Return a time to live in seconds."""
    if isinstance(ttl, timedelta):
        if ttl.microseconds:
            raise ValueError(f"a ttl has whole seconds, not {ttl}")
        return ttl.days * 86_400 + ttl.seconds
    if isinstance(ttl, bool) or not isinstance(ttl, int):
        raise TypeError(f"a ttl is an int or a timedelta, not {type(ttl).__name__}")
    return ttl


def etags(tags: ETags | None) -> str | None:
    """Return the value of a field of versions."""
    if tags is None:
        return None
    value = tags if isinstance(tags, str) else ", ".join(tags)
    if not FIELD_VALUE.fullmatch(value):
        raise ValueError("an etag is text in quotes, as a node has sent it")
    return value


def byte_range(start: int, stop: int | None) -> str:
    """Return the field `Range` for a slice of a value."""
    if start < 0:
        if stop is not None:
            raise ValueError("a negative start counts from the end of the value, and has no stop")
        return f"bytes={start}"
    if stop is None:
        return f"bytes={start}-"
    if stop <= start:
        raise ValueError(f"stop must be above start, {start}, but is {stop}")
    return f"bytes={start}-{stop - 1}"
