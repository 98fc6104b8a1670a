"""The recipes of the handbook, as calls that consist of others. They do no I/O."""

from __future__ import annotations

import json
import math
import os
import random
import socket
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TypeAlias, cast

from quorate import _answers, _requests
from quorate._answers import Answer, End
from quorate._calls import Calls, Doubt, Pause, Steps, log
from quorate._deadline import Deadline
from quorate._options import RECIPE_NAMES, Options, RecipeOptions, RequestOptions, check_names
from quorate._requests import RangeQuery, Request
from quorate._values import (
    Delete,
    Entity,
    Item,
    ItemResult,
    KeyRecord,
    Metadata,
    NotModified,
    Put,
    Ttl,
    Value,
    Written,
)
from quorate.errors import (
    Contended,
    DeadlineExceeded,
    Locked,
    LockLost,
    OutcomeUnknown,
    PreconditionFailed,
    QuorateError,
    Unavailable,
)

Change: TypeAlias = Callable[[Entity | None], Value | Put | Delete | None]
"""A function from the present value of a key to the next one."""

HOLDER = f"{socket.gethostname()} {os.getpid()}"

_LEAST_TTL = 5

_LONGEST_PAUSE = 0.3

_LINEARIZABLE = {"consistency": "linearizable"}

_KEYS_AT_ONCE = 250

_JOBS_AT_ONCE = 100

# The clock of a producer may be late: its jobs come before those that were first.
_HEADS_LAST = 3600.0

_MOST_HEADS = 1000


class Pauses:
    """Random pauses, longer ones as they become more, until a deadline."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._count = 0

    def after(self, failure: QuorateError) -> Steps[None]:
        """Pause, or raise the failure where the deadline comes first."""
        longest = min(_LONGEST_PAUSE, 0.02 * 2 ** min(self._count, 10))
        pause = random.uniform(0.1, 1) * longest  # noqa: S311
        if pause >= self._deadline.left():
            raise failure
        self._count += 1
        yield Pause(pause)


class Recipes:
    """The recipes of one client."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        # The first job of a prefix, and when its place was found: tombstones of done ones are before it.
        self._heads: dict[str, tuple[str, float]] = {}

    def options(self, changes: RecipeOptions) -> Options:
        """Return the options of the client, with changes, for a majority of all replicas."""
        check_names(changes, RECIPE_NAMES)
        return replace(self.calls.options.with_(changes), ack=None, from_=None, repeat_unknown=False)

    def begin(self, options: Options) -> Deadline:
        """Return the deadline of a recipe that begins now."""
        self.calls.check_open()
        return Deadline(options, self.calls.clock)

    def update(self, key: str, fn: Change, options: Options) -> Steps[Written | None]:
        """Read, change, and write on the version that was read."""
        deadline = self.begin(options)
        pauses = Pauses(deadline)
        while True:
            now = yield from self.read(key, options, deadline, is_linearizable=False)
            item = _changed(key, now, fn(now))
            if item is None:
                return None
            try:
                return (yield from self.write(item, options, deadline))
            except PreconditionFailed as unmet:
                faster = DeadlineExceeded("others were faster until the deadline", failures=unmet.failures)
                yield from pauses.after(faster)

    def increment(self, key: str, by: int, ttl: Ttl | None, options: Options) -> Steps[int]:
        """Add to a number."""
        count = 0

        def added(now: Entity | None) -> Put:
            nonlocal count
            count = by + (0 if now is None else _number(now))
            return Put(key, str(count), ttl=ttl if now is None else "keep")

        yield from self.update(key, added, options)
        return count

    def put_if_absent(self, item: Put, options: Options) -> Steps[Written | None]:
        """Create a value once."""
        try:
            return (yield from self.write(replace(item, if_none_match="*"), options, self.begin(options)))
        except PreconditionFailed:
            return None

    def delete_prefix(self, prefix: str, options: Options) -> Steps[int]:
        """Delete the versions that a range of keys shows."""
        if not prefix:
            raise ValueError("a prefix has at least one character: all keys are deleted by their first characters")
        deadline = self.begin(options)
        query: RangeQuery | None = RangeQuery(prefix=prefix)
        count = 0
        while query is not None:
            records, query = yield from self._keys(query, _KEYS_AT_ONCE, options, deadline)
            count += yield from self._delete([Delete(each.key, each.etag) for each in records], options, deadline)
            deadline.restart()
        return count

    def _delete(self, items: Sequence[Item], options: Options, deadline: Deadline) -> Steps[int]:
        count = 0
        pauses = Pauses(deadline)
        while items:
            left, last = [], None
            changes = cast(RequestOptions, asdict(_until(options, deadline)))
            results: Sequence[ItemResult]
            try:
                results = yield from self.calls.batch(items, changes)
            except OutcomeUnknown as unknown:
                results = [unknown] * len(items)
            for item, result in zip(items, results, strict=True):
                if isinstance(result, OutcomeUnknown | Unavailable):
                    left.append(item)
                    last = result
                elif isinstance(result, PreconditionFailed):
                    # Another version was written later than all of this; none is left by an attempt of unknown outcome.
                    count += result.current is None
                elif isinstance(result, QuorateError):
                    raise result
                else:
                    count += 1
            if last is not None:
                if len(left) < len(items):
                    deadline.restart()
                yield from pauses.after(last)
            items = left
        return count

    def write(self, item: Put | Delete, options: Options, deadline: Deadline) -> Steps[Written]:
        """Write on a condition by which it is done once."""
        request = _requests.put(item, options) if isinstance(item, Put) else _requests.delete(item, options)
        return self.once(item.key, request, options, deadline)

    def once(
        self, key: str, request: Request, options: Options, deadline: Deadline, doubt: Doubt | None = None
    ) -> Steps[Written]:
        """Repeat a write, with the same idempotency key, until its outcome is known.

        Raises:
            PreconditionFailed: if it has not happened, as its condition did not hold
            OutcomeUnknown: if the deadline has passed before that, or the nodes have forgotten it
        """
        pauses = Pauses(deadline)
        while True:
            try:
                return (yield from self.calls.ask(request, _until(options, deadline), _answers.written, doubt))
            except OutcomeUnknown as unknown:
                found = unknown.problem
                if isinstance(found, PreconditionFailed) and _answers.outcome_is_unknown(found):
                    raise
                # The value that is there may be that of an earlier attempt: behind a read that has settled it, the
                # nodes say so by the key.
                is_settled = isinstance(found, PreconditionFailed) and (yield from self._settle(key, options, deadline))
                doubt = Doubt(found or unknown, is_settled)
                yield from pauses.after(unknown)
            except Contended as contended:
                yield from pauses.after(contended)

    def _settle(self, key: str, options: Options, deadline: Deadline) -> Steps[bool]:
        request = _requests.get(key, options, method="HEAD", parameters=_LINEARIZABLE)
        try:
            yield from self.calls.ask(
                request, _until(options, deadline), lambda answer: _answers.metadata(request, key, answer)
            )
        except QuorateError as failure:
            log.debug("an outcome stays unknown for now: %s", failure)
            return False
        return True

    def read(
        self, key: str, options: Options, deadline: Deadline, *, is_linearizable: bool = True
    ) -> Steps[Entity | None]:
        """Read a value."""
        request = _requests.get(key, options, parameters=_LINEARIZABLE if is_linearizable else {})
        return self.calls.ask(
            request,
            _until(options, deadline),
            lambda answer: cast(Entity | None, _answers.entity(request, key, answer)),
        )

    def await_absence(self, key: str, seconds: int, options: Options) -> Steps[Metadata | NotModified | None]:
        """Have a node answer when there is no value, or after so many seconds."""
        request = _requests.get(key, options, method="HEAD", if_none_match="*", parameters={"wait": seconds})
        return self.calls.ask(request, options, lambda answer: _answers.metadata(request, key, answer))

    def jobs(
        self, prefix: str, rest: RangeQuery | None, options: Options
    ) -> Steps[tuple[list[KeyRecord], RangeQuery | None]]:
        """Return the first jobs, or the first ones of a rest, and the rest behind them."""
        deadline = self.begin(options)
        if rest is not None:
            return (yield from self._keys(rest, _JOBS_AT_ONCE, options, deadline))
        head, since = self._heads.get(prefix, ("", -math.inf))
        is_known = self.calls.clock() - since < _HEADS_LAST
        query = RangeQuery(start=head, end=_requests.behind_all_with(prefix)) if is_known else RangeQuery(prefix=prefix)
        records, rest = yield from self._keys(query, _JOBS_AT_ONCE, options, deadline)
        if records:
            if len(self._heads) == _MOST_HEADS:
                self._heads.clear()
            self._heads[prefix] = (records[0].key, since if is_known else self.calls.clock())
        return records, rest

    def _keys(
        self, query: RangeQuery, records: int, options: Options, deadline: Deadline
    ) -> Steps[tuple[list[KeyRecord], RangeQuery | None]]:
        request = query.request(None, records, options, with_values=False)
        return self.calls.ask(request, _until(options, deadline), lambda answer: _page(answer, query))


def _until(options: Options, deadline: Deadline) -> Options:
    return replace(options, deadline=max(0.001, deadline.left()))


def _page(answer: Answer, query: RangeQuery) -> tuple[list[KeyRecord], RangeQuery | None]:
    if answer.status != _answers.OK:
        raise _answers.error_of(answer)
    lines = [_answers.key_record(answer, line) for line in answer.body.splitlines()]
    end = lines.pop() if lines else None
    records = [each for each in lines if isinstance(each, KeyRecord)]
    if not isinstance(end, End) or len(lines) != end.records or len(records) != end.records:
        raise answer.invalid("with an end that is none")
    return records, None if end.cursor is None else query.behind(records[-1].key)


def _changed(key: str, now: Entity | None, wanted: Value | Put | Delete | None) -> Put | Delete | None:
    """Return the write of what a function has returned, on the version that it was given."""
    if wanted is None:
        return None
    item = wanted if isinstance(wanted, Put | Delete) else Put(key, wanted)
    if item.key != key:
        raise ValueError(f"the function is to change {key!r}, not {item.key!r}")
    if isinstance(item, Delete):
        return None if now is None else replace(item, if_match=now.etag)
    if now is None:
        return replace(item, if_match=None, if_none_match="*")
    return replace(item, ttl="keep" if item.ttl is None else item.ttl, if_match=now.etag, if_none_match=None)


class Hold:
    """A key that this client has created with an expiry, or may have, and for how long it believes in it.

    That is the time to live less a margin, from when the request was sent that succeeded last.
    """

    def __init__(
        self, recipes: Recipes, key: str, ttl: Ttl, options: Options, is_alive: Callable[[], bool] = lambda: True
    ) -> None:
        self.key = key
        self.etag = ""
        self.may_exist = False
        self.is_released = False
        self.recipes = recipes
        self._clock = recipes.calls.clock
        self._ttl = _lease(ttl)
        self.options = options
        self._is_alive = is_alive
        self._until = -math.inf
        self._creation = self._request()

    def _request(self) -> Request:
        return _requests.put(Put(self.key, HOLDER, ttl=self._ttl, if_none_match="*"), self.options)

    @property
    def is_held(self) -> bool:
        """Whether its holder may believe in it."""
        return self._clock() < self._until

    def acquire(self, wait: float | None) -> Steps[None]:
        """Create the key as soon as it is absent.

        Raises:
            Locked: if it never was within the time
        """
        end = self._clock() + (self.options.deadline if wait is None else wait)
        while True:
            failure: Unavailable = Locked(f"{self.key} is locked by another holder")
            try:
                if (yield from self.create()):
                    return
            except Unavailable as unavailable:
                failure = unavailable
            left = end - self._clock()
            if left <= 0:
                raise failure
            yield from self._await_absence(left)

    def _await_absence(self, left: float) -> Steps[None]:
        seconds = int(min(left, self.options.stall_timeout, self.options.deadline)) - 1
        places = self.recipes.calls.places
        # The holder may be one of this client, and needs a place to release it.
        if seconds > 0 and places is not None and not places.begin_wait():
            yield Pause(min(left, random.uniform(0.2, 1)))  # noqa: S311
            return
        if seconds > 0:
            try:
                yield from self.recipes.await_absence(self.key, seconds, self.options)
            except Unavailable as failure:
                log.debug("%s is asked for without a wait: %s", self.key, failure)
            finally:
                if places is not None:
                    places.end_wait()
        # Those who wait come back at once.
        yield Pause(min(left, random.uniform(0.02, 0.2)))  # noqa: S311

    def create(self) -> Steps[bool]:
        """Create the key; whether it was absent, and this client may believe in it."""
        self._creation = self._request()
        self.etag, self.may_exist, self.is_released = "", True, False
        sent = self._clock()
        try:
            written = yield from self._once(self._creation, self.options)
        except PreconditionFailed:
            self.may_exist = False
            return False
        except QuorateError as failure:
            self.may_exist = isinstance(failure, OutcomeUnknown)
            raise
        self.etag = written.etag
        # It may be over since an earlier attempt has created it.
        if written.replayed and written.current != written.etag:
            self.may_exist = False
            return False
        self._believe(sent, self._ttl)
        if not self.is_held:
            yield from self.give_up()
        return self.is_held

    def _believe(self, sent: float, ttl: int) -> None:
        self._until = max(self._until, sent + ttl - (1 + ttl / 10))

    def _once(self, request: Request, options: Options, doubt: Doubt | None = None) -> Steps[Written]:
        return self.recipes.once(self.key, request, options, self.recipes.begin(options), doubt)

    def renew(self, ttl: Ttl | None) -> Steps[None]:
        """Touch the key, if need be for another time, which its renewals have, too, if that succeeds.

        Raises:
            LockLost: if it is not that of this holder any more
        """
        asked = self._ttl if ttl is None else _lease(ttl)
        if not self.is_held:
            raise self.lost()
        sent = self._clock()
        options = replace(self.options, deadline=max(0.001, self._until - sent))
        request = replace(_requests.touch(self.key, asked, self.etag, options), is_urgent=True)
        try:
            touched = yield from self.recipes.calls.ask(
                request, options, lambda answer: _answers.touched(request, answer)
            )
        except PreconditionFailed:
            touched = None
        # Its holder may know meanwhile that it is lost, or have released it.
        if touched is None or self._until == -math.inf:
            raise self.lost()
        self._believe(sent, asked)
        if ttl is not None:
            self._ttl = asked

    def lost(self) -> LockLost:
        """Believe no more, and return the error that says so."""
        self._until = -math.inf
        return LockLost(f"{self.key} may be that of another holder than {self.etag}")

    def renewals(self) -> Steps[None]:
        """Touch the key each third of its time, and end when it is lost."""
        pause = self._ttl / 3
        while True:
            yield Pause(min(pause, max(0, self._until - self._clock())))
            if self.is_released or not self._is_alive():
                return
            try:
                yield from self.renew(None)
                pause = self._ttl / 3
            except LockLost:
                return
            except (QuorateError, RuntimeError) as failure:
                log.debug("%s is touched again: %s", self.key, failure)
                pause = self._ttl / 10

    def release(self) -> Steps[None]:
        """Believe no more, and delete the key if it is still that of this holder.

        Raises:
            LockLost: if it is not
        """
        self._until = -math.inf
        self.is_released = True
        request = replace(_requests.delete(Delete(self.key, self.etag), self.options), is_urgent=True)
        try:
            yield from self._once(request, self.options)
        except PreconditionFailed:
            raise self.lost() from None
        self.may_exist = False

    def give_up(self) -> Steps[None]:
        """Leave no key behind, also if it is not known whether there is one."""
        try:
            if not self.etag:
                options = replace(self.options, deadline=self._ttl)
                doubt = Doubt(OutcomeUnknown("the creation had no answer"), is_settled=False)
                self.etag = (yield from self._once(self._creation, options, doubt)).etag
            yield from self.release()
        except (PreconditionFailed, LockLost):
            self.may_exist = False

    def leave(self) -> Steps[None]:
        """Leave no key behind, or one that ends by its time."""
        try:
            yield from self.give_up()
        except (QuorateError, RuntimeError) as failure:
            log.debug("%s ends by its time: %s", self.key, failure)


def _number(entity: Entity) -> int:
    try:
        return int(entity.text)
    except ValueError as fault:
        raise ValueError(f"the value of {entity.key!r} is no whole number") from fault


def _lease(ttl: Ttl) -> int:
    seconds = _requests.whole_seconds(ttl)
    if seconds < _LEAST_TTL:
        raise ValueError(f"the ttl of a lock is at least {_LEAST_TTL} seconds, not {seconds}")
    return seconds


@dataclass(frozen=True, slots=True)
class Claim:
    """A job whose lease this client has, and whose attempt it has counted."""

    hold: Hold
    entity: Entity
    """The job with the number of attempts, and the version of this one."""
    value: bytes
    attempt: int

    def done(self) -> Steps[None]:
        """Delete the job and its lease.

        Raises:
            LockLost: if another worker has begun it
        """
        recipes, options = self.hold.recipes, self.hold.options
        try:
            yield from recipes.write(Delete(self.entity.key, self.entity.etag), options, recipes.begin(options))
        except PreconditionFailed:
            yield from self.hold.leave()
            raise self.hold.lost() from None
        yield from self.hold.leave()


class Taking:
    """The search for a job."""

    def __init__(self, recipes: Recipes, prefix: str, attempts: int, options: Options, lease: Callable[[str], Hold]):
        if attempts < 1:
            raise ValueError(f"attempts must be at least 1, not {attempts}")
        # What is wrong is so also while there is no job.
        self.hold = lease(beside(prefix, "lease"))
        self._recipes = recipes
        self._prefix = prefix
        self._attempts = attempts
        self._options = options
        self._lease = lease

    def steps(self, wait: float) -> Steps[Claim | None]:
        """Return the first of the jobs, in random order, that no other worker has."""
        clock = self._recipes.calls.clock
        end = clock() + wait
        while True:
            jobs, rest = yield from self._recipes.jobs(self._prefix, None, self._options)
            while jobs:
                random.shuffle(jobs)
                for job in jobs:
                    claim = yield from self._claim(job.key)
                    if claim is not None:
                        return claim
                jobs = []
                if rest is not None:
                    jobs, rest = yield from self._recipes.jobs(self._prefix, rest, self._options)
            left = end - clock()
            if left <= 0:
                return None
            yield Pause(min(left, random.uniform(0.5, 1.5)))  # noqa: S311

    def _claim(self, key: str) -> Steps[Claim | None]:
        hold = self.hold = self._lease(beside(key, "lease"))
        if not (yield from hold.create()):
            return None
        claim = yield from self._begin(key, hold)
        if claim is None:
            yield from hold.give_up()
        return claim

    def _begin(self, key: str, hold: Hold) -> Steps[Claim | None]:
        deadline = self._recipes.begin(self._options)
        job = yield from self._recipes.read(key, self._options, deadline)
        if job is None:
            return None
        members, attempt = _attempt(job.value)
        if attempt is None or attempt >= self._attempts:
            yield from self._bury(job, deadline)
            return None
        value = json.dumps({"attempt": attempt + 1, **members}, ensure_ascii=False).encode()
        put = Put(key, value, job.content_type, ttl="keep", if_match=job.etag)
        try:
            written = yield from self._recipes.write(put, self._options, deadline)
        except PreconditionFailed:
            return None
        if not hold.is_held:
            return None
        counted = replace(job, etag=written.etag, value=value, size=len(value))
        return Claim(hold, counted, json.dumps(members, ensure_ascii=False).encode(), attempt + 1)

    def _bury(self, job: Entity, deadline: Deadline) -> Steps[None]:
        # Over the grave of an earlier job of the same key.
        dead = Put(beside(job.key, "dead"), job.value, job.content_type)
        options = replace(_until(self._options, deadline), repeat_unknown=True)
        yield from self._recipes.calls.ask(_requests.put(dead, options), options, _answers.written)
        try:
            yield from self._recipes.write(Delete(job.key, job.etag), self._options, deadline)
        except PreconditionFailed:
            log.debug("%s was buried by another worker", job.key)


def beside(job: str, kind: str) -> str:
    """Return the key of what belongs to a job, its lease or its grave.

    Raises:
        ValueError: if the key is none of a job
    """
    before, part, rest = f":{job}".partition(":jobs:")
    if not part:
        raise ValueError(f"the keys of jobs begin with 'jobs:', or have ':jobs:' in them, unlike {job!r}")
    return f"{before}:{kind}:{rest}".removeprefix(":")


def _attempt(value: bytes) -> tuple[dict[str, object], int | None]:
    """Return the members of a job but `attempt`, and that; `None` if it is no job."""
    try:
        members = json.loads(value)
    except ValueError:
        return {}, None
    if not isinstance(members, dict):
        return {}, None
    attempt = members.pop("attempt", 0)
    return members, attempt if isinstance(attempt, int) else None
