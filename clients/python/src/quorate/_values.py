"""Values that calls take and return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.message import Message
from typing import Generic, Literal, TypeAlias, TypeVar

from quorate.errors import QuorateError


@dataclass(frozen=True, slots=True)
class Encoded:
    """A value with its media type, as a codec makes it of an object."""

    value: bytes = field(repr=False)
    content_type: str


Value: TypeAlias = bytes | bytearray | memoryview | str | Encoded
"""A value to write. A `str` is written as UTF-8, with the type `text/plain; charset=utf-8`."""

ETags: TypeAlias = str | Sequence[str]
"""One version, or several, as `etag` names them; `*` stands for any."""

Ttl: TypeAlias = int | timedelta
"""Whole seconds after which a value reads as absent."""

OCTETS = "application/octet-stream"

Expiry: TypeAlias = Ttl | Literal["keep"]
"""A time to live, or `keep`: a write on a condition keeps the expiry of the value that it replaces."""

R = TypeVar("R", bound="Record | KeyRecord")


@dataclass(frozen=True, slots=True)
class Written:
    """An acknowledged write or deletion."""

    etag: str
    """The version that was written."""
    replayed: bool = False
    """Whether an earlier attempt of the call had done it. Others may have written the key since."""
    current: str | None = None
    """The version that the key has by now, if it was replayed; `None` for no value, and without a replay."""


@dataclass(frozen=True, slots=True)
class Touched:
    """A value that has been touched."""

    etag: str
    """Its version, which is the one before."""
    expires: datetime | None = None
    """The time from which it reads as absent, `None` for never."""


@dataclass(frozen=True, slots=True)
class NotModified:
    """The answer that the value is still of a version in `if_none_match`."""

    etag: str
    expires: datetime | None = None


@dataclass(frozen=True, slots=True)
class Metadata:
    """All of an entity but its value."""

    key: str
    etag: str
    """The version, an opaque text."""
    size: int
    """Number of bytes of the whole value."""
    content_type: str = OCTETS
    last_modified: datetime | None = None
    """The time of the write, in whole seconds."""
    expires: datetime | None = None
    """The time from which the value reads as absent, `None` for never."""


@dataclass(frozen=True, slots=True)
class Entity(Metadata):
    """A key with its value, or with a part of it."""

    value: bytes = field(default=b"", repr=False)
    offset: int = 0
    """The place of the first byte of `value` in the whole value."""

    @property
    def is_whole(self) -> bool:
        """Whether `value` is the whole value."""
        return len(self.value) == self.size

    @property
    def text(self) -> str:
        """The value as text, by the `charset` of its type, or else as UTF-8.

        Raises:
            UnicodeError: if the value is no such text
            LookupError: if Python does not know the charset
        """
        return decoded(self.value, self.content_type)


@dataclass(frozen=True, slots=True)
class Record:
    """A key and its value in a range."""

    key: str
    etag: str
    value: bytes = field(repr=False)
    content_type: str = OCTETS
    expires: datetime | None = None

    @property
    def text(self) -> str:
        """The value as text, by the `charset` of its type, or else as UTF-8.

        Raises:
            UnicodeError: if the value is no such text
            LookupError: if Python does not know the charset
        """
        return decoded(self.value, self.content_type)


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """A key in a range of keys."""

    key: str
    etag: str
    size: int
    """Number of bytes of the value."""
    expires: datetime | None = None


@dataclass(frozen=True, slots=True)
class Page(Generic[R]):
    """A part of a range, complete."""

    records: tuple[R, ...]
    cursor: str | None
    """The place of the rest, for the parameter `cursor`; `None` at the end of the range."""

    def __iter__(self) -> Iterator[R]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)


@dataclass(frozen=True, slots=True)
class Put:
    """A write in a batch."""

    key: str
    value: Value = field(repr=False)
    content_type: str | None = None
    ttl: Expiry | None = None
    if_match: ETags | None = None
    if_none_match: ETags | None = None


@dataclass(frozen=True, slots=True)
class Get:
    """A read in a batch."""

    key: str
    if_match: ETags | None = None
    if_none_match: ETags | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """A deletion in a batch."""

    key: str
    if_match: ETags | None = None


Item: TypeAlias = Put | Get | Delete

ItemResult: TypeAlias = Written | Entity | NotModified | QuorateError | None
"""The outcome of one item: `Written` of a put or a delete; an `Entity`, `NotModified` or `None` (no value) of a get;
an error, which is not raised."""


def decoded(value: bytes, content_type: str) -> str:
    """Return a value as text."""
    head = Message()
    head["content-type"] = content_type
    charset = head.get_content_charset()
    return value.decode(charset or "utf-8")
