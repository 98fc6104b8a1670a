"""The errors of this package.

Two questions decide what a program does about an error: whether a write may have happened, and whether it makes sense
to try again later.

- `OutcomeUnknown`: the write may have happened, may still happen, or may never happen.
- Every other error of a write: the node has written nothing.
- `Unavailable`: no node can do it for now; later one may.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

PROBLEM = "urn:quorate:problem:"


@dataclass(frozen=True)
class Failure:
    """The failure of one attempt at one node."""

    node: str
    reason: str

    def __str__(self) -> str:
        return f"{self.node}: {self.reason}"


class QuorateError(Exception):
    """The base of all errors of this package."""

    def __init__(self, message: str, *, failures: tuple[Failure, ...] = ()) -> None:
        super().__init__(message)
        self.failures = failures
        """The attempts that failed, in their order, if the call has asked several nodes."""


class Unavailable(QuorateError):
    """No node could answer for now. If it was a write, nothing was written."""


class NoNodeAnswered(Unavailable):
    """There was no answer from any node."""


class DeadlineExceeded(Unavailable):
    """The deadline of the call passed. If it was a write, no node has got it."""


class IncompleteRange(Unavailable):
    r"""A range broke off before its last line, and no node could continue it.

    The records that were read are correct. A later call continues with `start=last_key + "\0"`, or with
    `end=last_key` if the range is reverse. Without a `last_key` it begins anew.
    """

    def __init__(
        self,
        message: str,
        *,
        records: int = 0,
        last_key: str | None = None,
        failures: tuple[Failure, ...] = (),
    ) -> None:
        super().__init__(message, failures=failures)
        self.records = records
        """Number of records before the end."""
        self.last_key = last_key
        """The key of the last record, `None` if there was none."""


class OutcomeUnknown(QuorateError):
    """A write that may have happened, may still happen, or may never happen.

    It was not repeated, unless the caller has asked for that by `repeat_unknown`, or its condition allows it. The
    caller may repeat it as a new write, which is harmless if no other client writes the key meanwhile.
    """

    def __init__(
        self,
        message: str,
        *,
        problem: ProblemError | None = None,
        failures: tuple[Failure, ...] = (),
    ) -> None:
        super().__init__(message, failures=failures)
        self.problem = problem
        """The answer of the node, such as `NotEnoughReplicas`; `None` if there was none."""


class Locked(Unavailable):
    """Another holder had the lock for as long as the caller would wait."""


class LockLost(QuorateError):
    """The lock, or the lease of a job, is not, or not surely, that of its holder any more.

    Another one may have it by now. Only the token keeps out what the holder has begun.
    """


class TokenError(QuorateError):
    """The token cannot be read, or is none. Nothing was sent."""


class AnswerTooLarge(QuorateError):
    """The answer of a node is larger than `max_answer_size`."""


class InvalidAnswer(QuorateError):
    """An answer that is none of this API, such as the page of a proxy."""

    def __init__(
        self,
        message: str,
        *,
        node: str = "",
        status: int = 0,
        failures: tuple[Failure, ...] = (),
    ) -> None:
        super().__init__(message, failures=failures)
        self.node = node
        self.status = status


class ProblemError(QuorateError):
    """A problem document (RFC 9457) with which a node has answered.

    The answer to `HEAD` has no document: then `type` is empty.
    """

    def __init__(
        self,
        message: str,
        *,
        node: str = "",
        status: int = 0,
        members: Mapping[str, object] = MappingProxyType({}),
        retry_after: float | None = None,
        failures: tuple[Failure, ...] = (),
    ) -> None:
        super().__init__(message, failures=failures)
        self.node = node
        """The URL of the node."""
        self.status = status
        self.members = dict(members)
        """All members of the document, also those that have no attribute of their own."""
        self.retry_after = retry_after
        """Seconds after which the node asks to try again."""

    @property
    def type(self) -> str:
        """The kind of problem, such as `urn:quorate:problem:overloaded`."""
        return self._text("type")

    @property
    def title(self) -> str:
        """The kind of problem in words."""
        return self._text("title")

    @property
    def detail(self) -> str:
        """The fault and its remedy, for people."""
        return self._text("detail")

    @property
    def instance(self) -> str:
        """The path of the request, without its query and key."""
        return self._text("instance")

    def _text(self, member: str) -> str:
        value = self.members.get(member)
        return value if isinstance(value, str) else ""

    def _number(self, member: str) -> int | None:
        value = self.members.get(member)
        return value if isinstance(value, int) and not isinstance(value, bool) else None


class BadRequest(ProblemError):
    """A parameter or a header is wrong; `detail` says what would be right."""


class Unauthenticated(ProblemError):
    """The node asks for a token, or does not accept the one that it got."""


class Forbidden(ProblemError):
    """The principal of the token has not the right to the key, or to the range."""


class NotFound(ProblemError):
    """There is nothing under the path. A key without a value is no error: `get` returns `None` for it."""


class PreconditionFailed(ProblemError):
    """The condition does not hold.

    Read the value and decide anew before you name `current`: else you overwrite what you have not seen.
    """

    @property
    def current(self) -> str | None:
        """The version of the value; `None` if there is no value."""
        return self._text("current") or None

    @property
    def absent_version(self) -> str | None:
        """The version of a key without a value: that of its deletion, or of the value that has expired."""
        return self._text("version") or None


class TooLarge(ProblemError):
    """The value is too large for the node, or the batch has too many items."""


class RangeNotSatisfiable(ProblemError):
    """The value has none of the bytes that were asked for."""


class NotSupported(ProblemError):
    """The node, or a proxy before it, does not do that."""


class IdempotencyKeyReused(ProblemError):
    """The idempotency key of the write is that of another one."""


class ConditionRequired(ProblemError):
    """The cluster keeps the key for conditional writes, and the write has no condition."""


class Contended(ProblemError, Unavailable):
    """Other writes of the key were faster until the deadline of the node; repeated after random pauses."""


class TooManyRequests(ProblemError, Unavailable):
    """The principal has reached its limits; `retry_after` says when to try again."""


class InternalError(ProblemError, Unavailable):
    """The node failed to answer a read; its log says why."""


class Overloaded(ProblemError, Unavailable):
    """A bound of the node was reached. Also the base of its other refusals for now."""


class Draining(Overloaded):
    """The node is about to stop."""


class Late(Overloaded):
    """The node stood still, or an item of a batch began after the deadline."""


class ClockUncertain(Overloaded):
    """The clock of the node cannot give a timestamp."""


class DiskFull(ProblemError, Unavailable):
    """The node has too little free space for writes."""


@dataclass(frozen=True)
class ReplicaAnswer:
    """The answer of one replica, in one word: `ack`, `timeout`, `disconnected` and so on."""

    node: str
    said: str


class NotEnoughReplicas(ProblemError, Unavailable):
    """Fewer replicas than `ack` answered a read in time, or a write that has certainly not happened."""

    UNKNOWN: ClassVar[str] = "unknown"

    @property
    def required(self) -> int | None:
        """Number of replicas that had to answer."""
        return self._number("required")

    @property
    def acknowledged(self) -> int | None:
        """Number of replicas that did."""
        return self._number("acknowledged")

    @property
    def outcome(self) -> str | None:
        """Of a write: `unknown`, `not-written`, or `written` by fewer replicas than `ack`."""
        return self._text("outcome") or None

    @property
    def replicas(self) -> tuple[ReplicaAnswer, ...]:
        """Each replica of the request."""
        listed = self.members.get("replicas")
        if not isinstance(listed, list):
            return ()
        return tuple(
            ReplicaAnswer(str(each.get("node", "")), str(each.get("said", "")))
            for each in listed
            if isinstance(each, dict)
        )


_BY_TYPE: Mapping[str, type[ProblemError]] = {
    "draining": Draining,
    "late": Late,
    "clock": ClockUncertain,
    "contended": Contended,
}

_BY_STATUS: Mapping[int, type[ProblemError]] = {
    400: BadRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    412: PreconditionFailed,
    413: TooLarge,
    416: RangeNotSatisfiable,
    422: IdempotencyKeyReused,
    428: ConditionRequired,
    429: TooManyRequests,
    500: InternalError,
    501: NotSupported,
    503: Overloaded,
    504: NotEnoughReplicas,
    507: DiskFull,
}


def problem_class(status: int, kind: str) -> type[ProblemError]:
    """Return the class of a problem, by its type and else by its status."""
    return _BY_TYPE.get(kind.removeprefix(PROBLEM)) or _BY_STATUS.get(status) or ProblemError
