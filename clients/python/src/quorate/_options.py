"""Options of calls."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields, replace
from typing import TypedDict


class RecipeOptions(TypedDict, total=False):
    """Options of calls of several steps, which are for a majority of all replicas."""

    node_timeout: float | None
    """Seconds that a node may take for the request, sent as `Quorate-Timeout`. The node has its own by default."""

    stall_timeout: float
    """Seconds for which a node may send, and take, nothing (5)."""

    deadline: float
    """Seconds that the whole call may take, with all nodes that it asks and with the body of the answer (30). Of a
    range: seconds until its next record."""

    max_answer_size: int
    """Number of bytes of the largest answer that the client takes, of a range: of its largest record, of a watch: of
    its largest event (256 MiB)."""


class RequestOptions(RecipeOptions, total=False):
    """Options that every other call has, and that a client has as its own for all of its calls."""

    ack: int | None
    """Number of replicas that must answer; a majority of `from_` by default."""

    from_: int | None
    """Number of nodes that hold copies; the replication factor by default."""

    repeat_unknown: bool
    """Whether to repeat a write whose outcome is unknown at the next node. Harmless only if no other client writes
    the key meanwhile."""


class RangeOptions(RequestOptions, total=False):
    """Bounds of a range, and the options of its requests."""

    start: str | None
    r"""The first key of the range. `key + "\0"` begins behind a key."""

    end: str | None
    """The key behind the last one."""

    prefix: str | None
    """The beginning of all keys, instead of `start` and `end`."""

    reverse: bool
    """Whether the range goes from its last key to its first."""

    cursor: str | None
    """The rest of a range, instead of the bounds. Its direction, `reverse`, is to be given again."""

    limit: int | None
    """The most records of all."""

    page_size: int
    """The most records of one request (1,000)."""


class WatchOptions(TypedDict, total=False):
    """The keys of a watch, where it begins, and the options of its connections."""

    key: str | None
    """The only key."""

    prefix: str | None
    """The beginning of all keys. Without `key`, `prefix`, `start` and `end` it is all keys."""

    start: str | None
    """The first key, inclusive."""

    end: str | None
    """The key behind the last one."""

    state: bool
    """Whether to begin with the present state, up to the first `Live`. Without it, and without a cursor, the watch
    begins now."""

    values: bool
    """Whether a `Put` has its value, up to 64 KiB."""

    cursor: str | None
    """The place from which to go on, instead of `state`: the `cursor` of an earlier watch of the same keys."""

    stall_timeout: float
    """Seconds for which a node may let a new connection wait (5)."""

    max_answer_size: int
    """Number of bytes of the largest event that the client takes (256 MiB)."""


@dataclass(frozen=True, slots=True)
class Options:
    """Checked options of a call."""

    ack: int | None = None
    from_: int | None = None
    node_timeout: float | None = None
    stall_timeout: float = 5.0
    deadline: float = 30.0
    repeat_unknown: bool = False
    max_answer_size: int = 256 * 1024 * 1024

    def __post_init__(self) -> None:
        for name in ("node_timeout", "stall_timeout", "deadline", "max_answer_size"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} must be above 0, not {value!r}")
        if self.stall_timeout == math.inf == self.deadline:
            raise ValueError("deadline or stall_timeout must be finite")

    def with_(self, changes: RecipeOptions) -> Options:
        """Return the same options with changes.

        Raises:
            TypeError: if there is no such option
        """
        if not changes:
            return self
        check_names(changes, OPTION_NAMES)
        return replace(self, **changes)


OPTION_NAMES = frozenset(each.name for each in fields(Options))

RECIPE_NAMES = frozenset(RecipeOptions.__annotations__)

RANGE_NAMES = frozenset(RangeOptions.__annotations__)

WATCH_NAMES = frozenset(WatchOptions.__annotations__)


def check_names(given: Iterable[str], known: Collection[str]) -> None:
    """Refuse what is no option.

    Raises:
        TypeError: if it is none
    """
    for name in given:
        if name not in known:
            raise TypeError(f"there is no option {name!r}; there are {', '.join(sorted(known))}")
