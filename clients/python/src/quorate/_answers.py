"""Answers of nodes, as values and errors."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from urllib.parse import parse_qs, urlsplit

from quorate._requests import ENTITIES, Request
from quorate._values import (
    OCTETS,
    Delete,
    Entity,
    Get,
    Item,
    ItemResult,
    KeyRecord,
    Metadata,
    NotModified,
    Record,
    Touched,
    Written,
)
from quorate.errors import (
    PROBLEM,
    Failure,
    InvalidAnswer,
    OutcomeUnknown,
    ProblemError,
    problem_class,
)

OK, CREATED, ACCEPTED, PARTIAL, NOT_MODIFIED, ABSENT = 200, 201, 202, 206, 304, 404

# A problem document is small; the page of a proxy need not be.
MOST_PROBLEM_BYTES = 64 * 1024

_PROBLEM_TYPE = "application/problem+json"
_NOT_FOUND = PROBLEM + "not-found"
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z")


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, header fields and body of an answer."""

    node: str
    status: int
    headers: Mapping[str, str]
    """The fields by their names in lower case."""
    body: bytes = b""

    def header(self, name: str) -> str:
        """Return a field that has to be there."""
        value = self.headers.get(name)
        if value is None:
            raise self.invalid(f"without {name}")
        return value

    def invalid(self, reason: str) -> InvalidAnswer:
        """Return an error about this answer."""
        return InvalidAnswer(f"{self.node}: an answer {self.status} {reason}", node=self.node, status=self.status)


def outcome_is_unknown(problem: ProblemError) -> bool:
    """Whether a write may have happened that a node has answered so."""
    outcome = problem.members.get("outcome")
    if outcome in ("unknown", "not-written"):
        return outcome == "unknown"
    return not (400 <= problem.status < 500 or problem.status in (501, 503, 507))


def written(answer: Answer) -> Written:
    """Interpret the answer to a write."""
    if answer.status not in (CREATED, ACCEPTED):
        raise error_of(answer)
    if "idempotency-replayed" not in answer.headers:
        return Written(answer.header("etag"))
    current = answer.header("quorate-current")
    return Written(answer.header("etag"), replayed=True, current=None if current == "none" else current)


def touched(request: Request, answer: Answer) -> Touched | None:
    """Interpret the answer to a touch."""
    if answer.status != OK:
        _no_value(request, answer)
        return None
    return Touched(answer.header("etag"), _date(answer, "expires"))


def entity(request: Request, key: str, answer: Answer) -> Entity | NotModified | None:
    """Interpret the answer to a `GET`."""
    if answer.status not in (OK, PARTIAL):
        return _no_value(request, answer)
    size = _delimited(answer)
    if size is not None and size != len(answer.body):
        raise answer.invalid(f"with {len(answer.body)} bytes of {size}")
    offset, total = 0, len(answer.body)
    if answer.status == PARTIAL:
        offset, total = _part(answer)
    return Entity(
        key,
        answer.header("etag"),
        total,
        answer.headers.get("content-type", OCTETS),
        _date(answer, "last-modified"),
        _date(answer, "expires"),
        answer.body,
        offset,
    )


def part(request: Request, key: str, answer: Answer, start: int, stop: int | None) -> Entity | None:
    """Interpret the answer to a `GET` of the bytes from `start` to `stop`."""
    found = entity(request, key, answer)
    if isinstance(found, NotModified):
        raise answer.invalid("is unexpected")
    if found is not None and answer.status == PARTIAL:
        first = start if start >= 0 else max(0, found.size + start)
        end = found.size if stop is None else min(stop, found.size)
        if (found.offset, found.offset + len(found.value)) != (first, end):
            raise answer.invalid("with another part")
    return found


def metadata(request: Request, key: str, answer: Answer) -> Metadata | NotModified | None:
    """Interpret the answer to a `HEAD`."""
    if answer.status != OK:
        return _no_value(request, answer)
    return Metadata(
        key,
        answer.header("etag"),
        _number(answer, "content-length"),
        answer.headers.get("content-type", OCTETS),
        _date(answer, "last-modified"),
        _date(answer, "expires"),
    )


def _no_value(request: Request, answer: Answer) -> NotModified | None:
    if answer.status == NOT_MODIFIED and "If-None-Match" in request.headers:
        return NotModified(answer.header("etag"), _date(answer, "expires"))
    error = error_of(answer, is_head=request.method == "HEAD")
    # Only a node can say that there is no value. A proxy that knows no such path says 404, too.
    is_of_node = (
        error.type == _NOT_FOUND if request.method == "GET" else answer.headers.get("cache-control") == "no-store"
    )
    if answer.status == ABSENT and is_of_node:
        return None
    raise error


def _delimited(answer: Answer) -> int | None:
    # The end of a connection is no end of an answer.
    if "content-length" in answer.headers:
        return _number(answer, "content-length")
    if "transfer-encoding" not in answer.headers:
        raise answer.invalid("whose end cannot be told from a lost connection")
    return None


def _part(answer: Answer) -> tuple[int, int]:
    match = _CONTENT_RANGE.fullmatch(answer.header("content-range"))
    if not match:
        raise answer.invalid("with a Content-Range that is none")
    first, last, total = (int(number) for number in match.groups())
    if last - first + 1 != len(answer.body) or last >= total:
        raise answer.invalid(f"with {len(answer.body)} bytes of the part {match[0]}")
    return first, total


def error_of(answer: Answer, *, is_head: bool = False) -> ProblemError:
    """Return the error that an answer is. The answer to `HEAD` has no document.

    Raises:
        InvalidAnswer: if it is no answer of a node
    """
    if not answer.headers.get("content-type", "").startswith(_PROBLEM_TYPE):
        raise answer.invalid(
            "that is no problem document" if answer.status >= HTTPStatus.BAD_REQUEST else "is unexpected"
        )
    members: dict[str, object] = {}
    if is_head:
        # It names the present version by a field alone.
        if "etag" in answer.headers:
            members["current"] = answer.headers["etag"]
    else:
        members.update(json_object(answer, answer.body))
        if members.get("status") != answer.status or not str(members.get("type")).startswith(PROBLEM):
            raise answer.invalid("with a problem document of another kind")
    if "quorate-version" in answer.headers:
        members["version"] = answer.headers["quorate-version"]
    return _problem(answer.node, answer.status, members, _seconds(answer.headers.get("retry-after")))


def _problem(node: str, status: int, members: Mapping[str, object], retry_after: float | None) -> ProblemError:
    texts = [str(members[name]) for name in ("title", "detail") if name in members]
    message = f"{node}: {status} {': '.join(texts) or _phrase(status)}"
    kind = problem_class(status, str(members.get("type", "")))
    return kind(message, node=node, status=status, members=members, retry_after=retry_after)


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else ""


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isascii() and text.isdigit() else None


@dataclass(frozen=True, slots=True)
class End:
    """The last line of a range."""

    records: int
    cursor: str | None


def record(answer: Answer, line: bytes) -> Record | End:
    """Interpret a line of a range with values."""
    members = json_object(answer, line)
    if "last" in members:
        return _end(answer, members)
    if "value" not in members:
        raise answer.invalid("with a record without a value, as ranges of keys have them")
    return Record(
        text_of(answer, members, "key"),
        text_of(answer, members, "etag"),
        value_of(answer, members),
        text_of(answer, members, "contentType", OCTETS),
        instant(answer, members),
    )


def key_record(answer: Answer, line: bytes) -> KeyRecord | End:
    """Interpret a line of a range of keys."""
    members = json_object(answer, line)
    if "last" in members:
        return _end(answer, members)
    size = members.get("size")
    if not isinstance(size, int):
        raise answer.invalid("with a record without a size, as ranges of values have them")
    return KeyRecord(text_of(answer, members, "key"), text_of(answer, members, "etag"), size, instant(answer, members))


def _end(answer: Answer, members: Mapping[str, object]) -> End:
    records = members.get("records")
    if members["last"] is not True or not isinstance(records, int):
        raise answer.invalid("with a last line that is none")
    if "next" not in members:
        return End(records, None)
    target = text_of(answer, members, "next")
    try:
        rest = urlsplit(target)
        cursors = parse_qs(rest.query, errors="strict").get("cursor", [])
    except ValueError as fault:
        raise answer.invalid("whose rest is no URL") from fault
    if rest.path != ENTITIES or len(cursors) != 1:
        raise answer.invalid("whose rest is no cursor")
    return End(records, cursors[0])


def item_result(answer: Answer, item: Item, line: bytes) -> ItemResult:
    """Interpret the answer to an item of a batch."""
    members = json_object(answer, line)
    status = members.get("status")
    if not isinstance(status, int):
        raise answer.invalid("with an item without a status")
    if isinstance(item, Get):
        return _read_item(answer, item, status, members)
    if status == (ACCEPTED if isinstance(item, Delete) else CREATED):
        return Written(text_of(answer, members, "etag"))
    error = _item_problem(answer, status, members)
    if outcome_is_unknown(error):
        return unknown(str(error), error)
    return error


def _read_item(answer: Answer, item: Get, status: int, members: Mapping[str, object]) -> ItemResult:
    if status == OK:
        value = value_of(answer, members)
        content_type = text_of(answer, members, "contentType", OCTETS)
        etag = text_of(answer, members, "etag")
        return Entity(item.key, etag, len(value), content_type, None, instant(answer, members), value)
    if status == NOT_MODIFIED:
        return NotModified(text_of(answer, members, "etag"), instant(answer, members))
    error = _item_problem(answer, status, members)
    return None if error.type == _NOT_FOUND else error


def _item_problem(answer: Answer, status: int, members: Mapping[str, object]) -> ProblemError:
    problem = members.get("problem")
    if status < HTTPStatus.BAD_REQUEST or not isinstance(problem, dict):
        raise answer.invalid(f"with an item of the unexpected status {status}")
    if "version" in members:
        problem = {**problem, "version": text_of(answer, members, "version")}
    return _problem(answer.node, status, problem, None)


def unknown(
    told: str,
    problem: ProblemError | None,
    *,
    was_repeated: bool = False,
    failures: tuple[Failure, ...] = (),
) -> OutcomeUnknown:
    """Return the error of a write that may have happened."""
    what = "it was repeated" if was_repeated else "it was not repeated"
    message = f"{told}. The write may have happened or not; {what}."
    return OutcomeUnknown(message, problem=problem, failures=failures)


def json_object(answer: Answer, text: bytes) -> Mapping[str, object]:
    """Return the members of an object."""
    try:
        # The function would take other encodings of bytes, and half of a character.
        value = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as fault:
        raise answer.invalid("that is no JSON") from fault
    if not isinstance(value, dict):
        raise answer.invalid("that is no JSON object")
    return value


def text_of(answer: Answer, members: Mapping[str, object], name: str, default: str | None = None) -> str:
    """Return a text that has to be there."""
    value = members.get(name, default)
    if not isinstance(value, str):
        raise answer.invalid(f"without the text {name}")
    if not _is_text(value):
        raise answer.invalid(f"with half of a character in {name}")
    return value


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def value_of(answer: Answer, members: Mapping[str, object]) -> bytes:
    """Return the bytes of a value."""
    try:
        return base64.b64decode(text_of(answer, members, "value"), validate=True)
    # Of characters beyond ASCII it is no binascii.Error.
    except ValueError as fault:
        raise answer.invalid("with a value that is no base64") from fault


def _number(answer: Answer, name: str) -> int:
    text = answer.header(name)
    if not (text.isascii() and text.isdigit()):
        raise answer.invalid(f"with a wrong {name}")
    return int(text)


def _date(answer: Answer, name: str) -> datetime | None:
    text = answer.headers.get(name)
    if text is None:
        return None
    try:
        return parsedate_to_datetime(text).astimezone(timezone.utc)
    except (TypeError, ValueError, OverflowError) as fault:
        raise answer.invalid(f"with a wrong {name}") from fault


def instant(answer: Answer, members: Mapping[str, object], name: str = "expires") -> datetime | None:
    """Return an instant, if there is one."""
    if name not in members:
        return None
    match = _INSTANT.fullmatch(text_of(answer, members, name))
    if not match:
        raise answer.invalid(f"with a wrong instant in {name}")
    seconds, fraction = match.groups()
    try:
        return datetime.fromisoformat(f"{seconds}.{(fraction or '').ljust(6, '0')[:6]}+00:00")
    except ValueError as fault:
        raise answer.invalid(f"with a wrong instant in {name}") from fault
