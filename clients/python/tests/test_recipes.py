"""Recipes on a store that loses requests and answers, with a clock that the test moves."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from quorate import (
    DeadlineExceeded,
    Delete,
    Encoded,
    Entity,
    Forbidden,
    Json,
    Locked,
    LockLost,
    NoNodeAnswered,
    OutcomeUnknown,
    Put,
    Unavailable,
)
from quorate._calls import Open
from quorate._pool import Pool
from quorate._recipes import Claim, Hold, Taking
from store import AFTER, BEFORE, Answer, Hand, refusal

LOCK = "lock:report"


@pytest.fixture
def hand() -> Hand:
    return Hand()


def once(method: str, fault: str | Answer) -> Callable[[str, str], str | Answer | None]:
    """The first request of a method has the fault."""
    left = [fault]
    return lambda asked, _: left.pop() if asked == method and left else None


def always(method: str, fault: str | Answer) -> Callable[[str, str], str | Answer | None]:
    return lambda asked, _: fault if asked == method else None


def lossy(seed: int) -> Callable[[str, str], str | None]:
    """Each third write is lost, or its answer."""
    chance = random.Random(seed)
    return lambda method, _: None if method == "GET" else chance.choice([None, None, None, None, BEFORE, AFTER])


def others(hand: Hand, write: Callable[[], object], when: Callable[[Open], bool]) -> None:
    """Others write while a request is on its way."""

    def meanwhile(step: Open) -> None:
        if when(step):
            write()

    hand.meanwhile = meanwhile


def update(hand: Hand, fn: Any) -> Any:
    return hand.run(hand.recipes.update("k", fn, hand.options))


def text(now: Entity | None) -> str:
    return "" if now is None else now.text


def test_an_update_creates_replaces_leaves_and_deletes(hand: Hand) -> None:
    assert update(hand, lambda now: text(now) + "a").etag == hand.store._values["k"].etag
    update(hand, lambda now: text(now) + "b")
    assert hand.store.text("k") == "ab"
    assert update(hand, lambda _: None) is None
    assert update(hand, lambda now: Delete("k") if now.text == "ab" else None)
    assert hand.store.text("k") is None
    assert update(hand, lambda _: Delete("k")) is None
    with pytest.raises(ValueError, match="other"):
        update(hand, lambda _: Put("other", b""))


def test_an_update_keeps_the_expiry(hand: Hand) -> None:
    update(hand, lambda _: Put("k", "a", ttl=100))
    hand.now += 10
    update(hand, lambda now: now.text + "b")
    stored = hand.store.get("k")
    assert stored is not None
    assert stored.expires == 1100
    update(hand, lambda now: Put("k", now.text, ttl=100))
    assert stored is not hand.store.get("k")
    assert hand.store._values["k"].expires == 1110


def test_a_function_is_called_again_for_what_others_wrote(hand: Hand) -> None:
    seen = []

    def change(now: Entity | None) -> str:
        seen.append(text(now))
        if len(seen) < 4:
            hand.store.put("k", f"other {len(seen)}")
        return text(now) + "!"

    update(hand, change)
    assert seen == ["", "other 1", "other 2", "other 3"]
    assert hand.store.text("k") == "other 3!"
    assert len(hand.pauses) == 3
    assert len(set(hand.pauses)) == 3


def test_others_that_are_always_faster_are_a_deadline(hand: Hand) -> None:
    def change(_: Entity | None) -> str:
        hand.store.put("k", "other")
        return "mine"

    with pytest.raises(DeadlineExceeded, match="faster"):
        update(hand, change)
    assert 1025 < hand.now < 1030
    assert hand.store.text("k") == "other"


def test_an_error_of_a_function_writes_nothing(hand: Hand) -> None:
    with pytest.raises(ZeroDivisionError):
        update(hand, lambda _: str(1 // 0))
    assert hand.store.keys() == []


def test_recipes_are_for_a_majority_of_all(hand: Hand) -> None:
    hand = Hand(ack=1, from_=1)
    hand.run(hand.recipes.increment("k", 1, None, hand.options))
    hand.run(hand.recipes.delete_prefix("k", hand.options))
    hold = Hold(hand.recipes, LOCK, 30, hand.options)
    hand.run(hold.acquire(0))
    hand.run(hold.renew(None))
    hand.run(hold.release())
    assert hand.store.asked
    assert not any("ack" in each or "from" in each for each in hand.store.asked)
    with pytest.raises(TypeError, match="ack"):
        hand.recipes.options({"ack": 1})  # type: ignore[typeddict-unknown-key]


@pytest.mark.parametrize("seed", range(10))
def test_an_increment_counts_once_whatever_is_lost(hand: Hand, seed: int) -> None:
    hand.store.fault = lossy(seed)
    counts = [hand.run(hand.recipes.increment("k", 3, 60 if i == 0 else None, hand.options)) for i in range(40)]
    assert counts == list(range(3, 123, 3))
    assert hand.store.text("k") == "120"
    assert hand.store._values["k"].expires is not None


def test_what_is_no_number_is_not_counted(hand: Hand) -> None:
    hand.store.put("k", "many")
    with pytest.raises(ValueError, match="'k' is no whole number"):
        hand.run(hand.recipes.increment("k", 1, None, hand.options))


@pytest.mark.parametrize("fault", [BEFORE, AFTER])
def test_a_value_is_created_once(hand: Hand, fault: str) -> None:
    hand.store.fault = once("PUT", fault)
    written = hand.run(hand.recipes.put_if_absent(Put("k", "mine"), hand.options))
    assert written is not None
    assert written.replayed is (fault == AFTER)
    assert hand.run(hand.recipes.put_if_absent(Put("k", "other"), hand.options)) is None
    assert hand.store.text("k") == "mine"


def test_a_value_that_is_there_is_asked_for_by_the_key_behind_a_read(hand: Hand) -> None:
    under_way = refusal(412, "precondition-failed", current='"9"')
    faults: list[str | Answer] = [AFTER, under_way]
    hand.store.fault = lambda method, _: faults.pop(0) if method == "PUT" and faults else None
    written = hand.run(hand.recipes.put_if_absent(Put("k", "mine"), hand.options))
    assert written is not None
    assert written.replayed
    assert hand.store.asked == ["PUT k", "PUT k", "HEAD k?consistency=linearizable", "PUT k"]


def test_a_value_of_another_one_is_certain_behind_a_read(hand: Hand) -> None:
    faults = [BEFORE]
    hand.store.fault = lambda method, _: faults.pop(0) if method == "PUT" and faults else None
    others(hand, lambda: hand.store.put("k", "other"), lambda _: hand.store.asked != [])
    assert hand.run(hand.recipes.put_if_absent(Put("k", "mine"), hand.options)) is None
    assert hand.store.asked == ["PUT k", "PUT k", "HEAD k?consistency=linearizable", "PUT k"]


def test_an_outcome_that_stays_unknown_is_said_at_the_deadline(hand: Hand) -> None:
    hand.store.fault = always("PUT", BEFORE)
    with pytest.raises(OutcomeUnknown):
        hand.run(hand.recipes.put_if_absent(Put("k", "mine"), hand.options))
    assert hand.now > 1028
    faults: list[str | Answer] = [BEFORE, refusal(412, "precondition-failed", current='"9"', outcome="unknown")]
    hand.store.fault = lambda *_: faults.pop(0)
    with pytest.raises(OutcomeUnknown):
        hand.run(hand.recipes.put_if_absent(Put("k", "mine"), hand.options))
    assert faults == []


def test_contended_writes_are_repeated_until_the_deadline(hand: Hand) -> None:
    left = [refusal(409, "contended")] * 20
    hand.store.fault = lambda *_: left.pop() if left else None
    assert hand.run(hand.recipes.put_if_absent(Put("k", "mine"), hand.options))
    assert left == []


def deletion(hand: Hand, prefix: str = "p:") -> int:
    return hand.run(hand.recipes.delete_prefix(prefix, hand.options))


def test_a_prefix_is_deleted_in_parts(hand: Hand) -> None:
    for i in range(600):
        hand.store.put(f"p:{i:03}")
    hand.store.put("p;")
    assert deletion(hand) == 600
    assert hand.store.keys() == ["p;"]
    assert len([each for each in hand.store.asked if "POST" in each]) == 3
    assert deletion(hand) == 0
    with pytest.raises(ValueError, match="prefix"):
        deletion(hand, "")


def test_what_others_write_meanwhile_stays(hand: Hand) -> None:
    hand.store.put("p:1")
    hand.store.put("p:2")
    others(hand, lambda: hand.store.put("p:2", "new"), lambda step: step.request.method == "POST")
    assert deletion(hand) == 1
    assert hand.store.text("p:2") == "new"


def test_lost_answers_delay_a_deletion(hand: Hand) -> None:
    for i in range(10):
        hand.store.put(f"p:{i}")
    faults = [BEFORE, AFTER]
    hand.store.fault = lambda method, _: faults.pop(0) if method == "POST" and faults else None
    assert deletion(hand) == 10
    assert hand.store.keys() == []
    hand.store.put("p:1")
    hand.store.fault = always("POST", refusal(403, "forbidden"))
    with pytest.raises(Forbidden):
        deletion(hand)


def hold_of(hand: Hand, ttl: int = 30, is_alive: Callable[[], bool] = lambda: True) -> Hold:
    return Hold(hand.recipes, LOCK, ttl, hand.options, is_alive)


def locked(hand: Hand, ttl: int = 30, is_alive: Callable[[], bool] = lambda: True) -> Hold:
    hold = hold_of(hand, ttl, is_alive)
    hand.run(hold.acquire(0))
    return hold


def test_a_lock_is_believed_in_less_a_margin(hand: Hand) -> None:
    hold = locked(hand)
    assert hand.store._values[LOCK].expires == 1030
    assert hand.store._values[LOCK].etag == hold.etag
    hand.now = 1025.9
    assert hold.is_held
    hand.now = 1026
    assert not hold.is_held
    with pytest.raises(ValueError, match="5 seconds"):
        hold_of(hand, 4)


def test_a_second_holder_waits(hand: Hand) -> None:
    first = locked(hand)
    with pytest.raises(Locked, match=LOCK):
        hand.run(hold_of(hand).acquire(0))
    assert hand.now == 1000
    others(hand, lambda: hand.store.drop(LOCK), lambda step: hand.now > 1003 and step.request.method == "HEAD")
    second = hold_of(hand)
    hand.run(second.acquire(60))
    assert second.etag > first.etag
    assert "HEAD lock:report?wait=4" in hand.store.asked
    hand.meanwhile = lambda _: None
    with pytest.raises(Locked):
        hand.run(hold_of(hand).acquire(5))


def test_a_second_holder_waits_at_a_node_beside_free_places(hand: Hand) -> None:
    hand.recipes.calls.places = places = Pool[Any, threading.Event](2, threading.Event)
    first = locked(hand)
    assert places.begin_wait()
    second = hold_of(hand)
    others(hand, lambda: hand.run(first.release()), lambda _: len(hand.pauses) == 3 and first.is_held)
    hand.run(second.acquire(60))
    assert second.is_held
    assert not any(each.startswith("HEAD") for each in hand.store.asked)
    assert all(0.2 <= each <= 1 for each in hand.pauses)
    places.end_wait()
    with pytest.raises(Locked):
        hand.run(hold_of(hand).acquire(5))
    assert "HEAD lock:report?wait=3" in hand.store.asked
    assert places.begin_wait()


def test_a_holder_that_waits_outlasts_nodes_that_do_not_answer(hand: Hand) -> None:
    hand.store.fault = lambda *_: refusal(503, "overloaded") if hand.now < 1005 else None
    hold = hold_of(hand)
    hand.run(hold.acquire(20))
    assert hold.is_held


@pytest.mark.parametrize("seed", range(10))
def test_a_lock_is_acquired_once_whatever_is_lost(hand: Hand, seed: int) -> None:
    hand.store.fault = lossy(seed)
    hold = locked(hand)
    assert hold.is_held
    assert hold.etag == hand.store._values[LOCK].etag
    hand.run(hold.release())
    assert hand.store.keys() == []
    assert not hold.is_held


def test_a_lock_that_is_over_since_it_was_created_is_not_held(hand: Hand) -> None:
    """The answer is lost, and the next attempt comes behind the expiry, and behind another holder."""
    hand = Hand(stall_timeout=100.0, deadline=200.0)
    hand.store.fault = once("PUT", AFTER)

    def other() -> None:
        hand.now += 40
        done = hand.store._values[LOCK].done
        hand.store.put(LOCK, "other", ttl=500)
        hand.store._values[LOCK].done = done

    others(hand, other, lambda _: len(hand.store.asked) == 1)
    hold = hold_of(hand)
    with pytest.raises(Locked):
        hand.run(hold.acquire(0))
    assert not hold.is_held
    assert not hold.may_exist
    assert hand.store.text(LOCK) == "other"


def test_a_lock_whose_answer_comes_too_late_is_given_back(hand: Hand) -> None:
    def meanwhile(step: Open) -> None:
        hand.now += 27 if step.request.method == "PUT" else 0

    hand.meanwhile = meanwhile
    hold = hold_of(hand)
    with pytest.raises(Locked):
        hand.run(hold.acquire(0))
    assert not hold.is_held
    assert hand.store.keys() == []


@pytest.mark.parametrize("fault", [BEFORE, AFTER])
def test_an_acquisition_of_unknown_outcome_leaves_no_lock(hand: Hand, fault: str) -> None:
    hand.store.fault = always("PUT", fault)
    hold = hold_of(hand, 60)
    with pytest.raises(OutcomeUnknown):
        hand.run(hold.acquire(0))
    assert not hold.is_held
    assert hold.may_exist
    hand.store.fault = lambda *_: None
    hand.run(hold.leave())
    assert hand.store.keys() == []
    # A request that arrives only now meets its own key.
    creation = hold._creation
    hand.store.answer("PUT", creation.target, creation.headers, creation.body or b"")
    assert hand.store.keys() == []


def test_the_lock_of_another_holder_is_not_given_back(hand: Hand) -> None:
    hand.store.fault = always("PUT", BEFORE)
    hold = hold_of(hand, 60)
    with pytest.raises(OutcomeUnknown):
        hand.run(hold.acquire(0))
    hand.store.put(LOCK, "other")
    hand.store.fault = lambda *_: None
    hand.run(hold.leave())
    assert hand.store.text(LOCK) == "other"


def test_a_lock_is_renewed_each_third_of_its_time(hand: Hand) -> None:
    hold = locked(hand)
    times: list[float] = []

    def meanwhile(step: Open) -> None:
        times.append(hand.now)
        assert step.request.headers["If-Match"] == hold.etag
        if len(times) == 5:
            hand.store.drop(LOCK)

    hand.meanwhile = meanwhile
    hand.run(hold.renewals())
    assert times == [1010, 1020, 1030, 1040, 1050]
    assert not hold.is_held


def test_a_holder_knows_of_its_loss_before_its_time_is_over(hand: Hand) -> None:
    hold = locked(hand)
    hand.store.fault = always("PATCH", refusal(503, "overloaded"))
    hand.run(hold.renewals())
    assert 1025 < hand.now <= 1026
    assert hand.store._values[LOCK].expires == 1030
    assert not hold.is_held


def test_touches_that_fail_for_a_while_lose_nothing(hand: Hand) -> None:
    hold = locked(hand)
    hand.store.fault = lambda method, _: BEFORE if method == "PATCH" and hand.now < 1020 else None
    others(hand, lambda: hand.store.drop(LOCK), lambda _: hand.now > 1200)
    hand.run(hold.renewals())
    assert hand.now > 1200


def test_a_renewal_ends_with_the_thread_of_its_holder(hand: Hand) -> None:
    hold = locked(hand, is_alive=lambda: hand.now < 1015)
    hand.run(hold.renewals())
    assert hand.now == 1020


def test_a_renewal_may_be_for_another_time(hand: Hand) -> None:
    hold = locked(hand)
    hand.run(hold.renew(300))
    hand.now = 1268
    assert hold.is_held
    hand.store.put(LOCK, "other")
    with pytest.raises(LockLost):
        hand.run(hold.renew(None))
    assert not hold.is_held


def test_a_touch_that_succeeds_behind_a_loss_brings_nothing_back(hand: Hand) -> None:
    hold = locked(hand)
    others(hand, hold.lost, lambda step: step.request.method == "PATCH")
    with pytest.raises(LockLost):
        hand.run(hold.renew(None))
    assert not hold.is_held


def test_a_late_renewal_is_believed_in_for_its_own_time(hand: Hand) -> None:
    hold = locked(hand)
    hand.now = 1010

    def meanwhile(step: Open) -> None:
        if step.request.target.endswith("?ttl=30"):
            hand.store.fault = always("PATCH", refusal(503, "overloaded"))
            with pytest.raises(Unavailable):
                hand.run(hold.renew(300))
            hand.store.fault = lambda *_: None

    hand.meanwhile = meanwhile
    hand.run(hold.renew(None))
    hand.now = 1035.9
    assert hold.is_held
    hand.now = 1036
    assert not hold.is_held


def test_a_release_leaves_the_lock_of_another_holder(hand: Hand) -> None:
    hold = locked(hand)
    hand.store.put(LOCK, "other")
    with pytest.raises(LockLost):
        hand.run(hold.release())
    assert hand.store.text(LOCK) == "other"


JOB = "jobs:mail:1"


def taking(hand: Hand, prefix: str = "jobs:mail:", attempts: int = 3) -> Taking:
    options = hand.options
    return Taking(hand.recipes, prefix, attempts, options, lambda key: Hold(hand.recipes, key, 30, options))


def take(hand: Hand, wait: float = 0) -> Claim | None:
    return hand.run(taking(hand).steps(wait))


def taken(hand: Hand) -> Claim:
    claim = take(hand)
    assert claim is not None
    return claim


def test_a_job_is_leased_counted_and_deleted(hand: Hand) -> None:
    hand.store.put(JOB, '{"to": "anna", "attempt": 0}', ttl=500)
    claim = taken(hand)
    assert (claim.entity.key, claim.value, claim.attempt) == (JOB, b'{"to": "anna"}', 1)
    assert json.loads(hand.store.text(JOB) or "") == {"attempt": 1, "to": "anna"}
    assert hand.store._values[JOB].expires == 1500
    assert hand.store._values[JOB].etag == claim.entity.etag
    assert hand.store.keys() == [JOB, "lease:mail:1"]
    assert take(hand) is None
    hand.run(claim.done())
    assert hand.store.keys() == []


@pytest.mark.parametrize("seed", range(10))
def test_each_job_is_begun_once_whatever_is_lost(hand: Hand, seed: int) -> None:
    for i in range(10):
        hand.store.put(f"jobs:mail:{i}", "{}")
    hand.store.fault = lossy(seed)
    claims = [taken(hand) for _ in range(10)]
    assert {claim.entity.key for claim in claims} == {f"jobs:mail:{i}" for i in range(10)}
    assert all(claim.attempt == 1 for claim in claims)
    for claim in claims:
        hand.run(claim.done())
    hand.store.fault = lambda *_: None
    assert take(hand) is None
    assert hand.store.keys() == []


def test_a_job_is_begun_again_when_its_lease_is_over(hand: Hand) -> None:
    hand.store.put(JOB, "{}")
    first = taken(hand)
    hand.now += 31
    second = taken(hand)
    assert second.attempt == 2
    assert second.entity.etag > first.entity.etag
    with pytest.raises(LockLost):
        hand.run(first.done())
    assert hand.store.keys() == [JOB, "lease:mail:1"]
    hand.run(second.done())
    assert hand.store.keys() == []


def test_a_job_that_fails_each_time_is_buried(hand: Hand) -> None:
    hand.store.put(JOB, '{"to": "anna"}')
    for attempt in (1, 2, 3):
        claim = taken(hand)
        assert claim.attempt == attempt
        hand.run(claim.hold.release())
    assert take(hand) is None
    assert hand.store.keys() == ["dead:mail:1"]
    assert json.loads(hand.store.text("dead:mail:1") or "") == {"attempt": 3, "to": "anna"}


def test_a_job_is_buried_over_an_earlier_one_of_its_key(hand: Hand) -> None:
    for name in ("anna", "berta"):
        value = json.dumps({"attempt": 3, "to": name})
        hand.store.put(JOB, value)
        assert take(hand) is None
        assert hand.store.keys() == ["dead:mail:1"]
        assert hand.store.text("dead:mail:1") == value


@pytest.mark.parametrize("value", ["\xff", "[]", '"text"', '{"attempt": "1"}', "", "{}x"])
def test_what_is_no_job_is_buried(hand: Hand, value: str) -> None:
    hand.store.put(JOB, value)
    assert take(hand) is None
    assert hand.store.keys() == ["dead:mail:1"]
    assert hand.store.text("dead:mail:1") == value


def test_a_job_that_is_gone_leaves_no_lease(hand: Hand) -> None:
    hand.store.put(JOB, "{}")
    others(hand, lambda: hand.store.drop(JOB), lambda step: "/entity/lease" in step.request.target)
    assert take(hand) is None
    assert hand.store.keys() == []


def test_a_job_that_another_worker_began_leaves_no_lease(hand: Hand) -> None:
    hand.store.put(JOB, "{}")
    begins = "/v0/entity/jobs%3Amail%3A1?ttl=keep"
    others(hand, lambda: hand.store.put(JOB, "{}"), lambda step: step.request.target == begins)
    assert take(hand) is None
    assert hand.store.keys() == [JOB]


def test_jobs_are_taken_behind_the_first_one_of_before(hand: Hand) -> None:
    for i in range(150):
        hand.store.put(f"jobs:mail:{i:03}", "{}")
    for _ in range(150):
        hand.run(taken(hand).done())
    first, second = [each for each in hand.store.asked if "entities" in each][:2]
    assert "prefix=jobs%3Amail%3A" in first
    assert "start=jobs%3Amail%3A000&end=jobs%3Amail%3B" in second
    hand.store.put("jobs:mail:!", "{}")
    assert take(hand) is None
    hand.now += 3600
    assert take(hand) is not None


def test_a_worker_finds_the_one_job_that_is_left(hand: Hand) -> None:
    for i in range(250):
        hand.store.put(f"jobs:mail:{i:03}", "{}")
        if i != 249:
            hand.store.put(f"lease:mail:{i:03}")
    assert taken(hand).entity.key == "jobs:mail:249"


def test_a_worker_waits_for_a_job(hand: Hand) -> None:
    assert take(hand, 10) is None
    assert hand.now == 1010
    others(hand, lambda: hand.store.put(JOB, "{}"), lambda _: hand.now > 1015 and hand.store.keys() == [])
    assert take(hand, 10) is not None


def test_a_queue_may_be_below_other_keys(hand: Hand) -> None:
    hand.store.put("shop:jobs:mail:1", "{}")
    claim = hand.run(taking(hand, "shop:jobs:").steps(0))
    assert claim is not None
    assert claim.hold.key == "shop:lease:mail:1"
    for prefix in ("mail:", "myjobs:", "jobs"):
        with pytest.raises(ValueError, match="jobs:"):
            taking(hand, prefix)
    with pytest.raises(ValueError, match="attempts"):
        taking(hand, attempts=0)


def test_a_lease_of_unknown_outcome_is_given_back(hand: Hand) -> None:
    hand.store.put(JOB, "{}")
    hand.store.fault = lambda method, key: AFTER if method == "PUT" and "lease" in key else None
    search = taking(hand)
    with pytest.raises(OutcomeUnknown):
        hand.run(search.steps(0))
    hand.store.fault = lambda *_: None
    hand.run(search.hold.leave())
    assert hand.store.keys() == [JOB]


def test_a_read_that_no_node_answers_is_an_error(hand: Hand) -> None:
    hand.store.fault = always("GET", BEFORE)
    with pytest.raises(NoNodeAnswered):
        update(hand, text)


@dataclass
class Line:
    name: str
    count: int = 1
    price: float | None = None


@dataclass(frozen=True)
class Cart:
    lines: tuple[Line, ...] = ()
    notes: dict[str, list[str]] | None = None


CART = Json(Cart)


def test_dataclasses_are_json() -> None:
    cart = Cart((Line("Äpfel", 2, 1.5), Line("pears")), {"a": ["b"]})
    encoded = CART.encode(cart)
    assert encoded == Encoded(
        '{"lines": [{"name": "Äpfel", "count": 2, "price": 1.5}, {"name": "pears", "count": 1, "price": null}],'
        ' "notes": {"a": ["b"]}}'.encode(),
        "application/json",
    )
    assert CART.decode(encoded.value) == cart
    assert CART.decode(b"{}") == Cart()
    assert Json(list[Line]).decode(b'[{"name": "a", "price": 1}]') == [Line("a", 1, 1.0)]
    assert Json(tuple[int, str]).decode(b'[1, "a"]') == (1, "a")


WRONG = {
    "": "Expecting value",
    "{": "Expecting property",
    "[]": "Cart is .*, not list",
    '{"lines": {}}': "Cart.lines is .*, not dict",
    '{"lines": [{}]}': r"Cart.lines\[0\]: .*name",
    '{"lines": [{"name": 1}]}': r"Cart.lines\[0\].name is .*, not int",
    '{"lines": [{"name": "a", "count": true}]}': "count is .*, not bool",
    '{"lines": [{"name": "a", "count": 1.5}]}': "count is .*, not float",
    '{"other": 1}': "Cart has no other",
    '{"notes": []}': "Cart.notes is .*, not list",
}


@pytest.mark.parametrize("value", WRONG)
def test_what_is_no_object_of_the_type_is_an_error(value: str) -> None:
    with pytest.raises(ValueError, match=WRONG[value]):
        CART.decode(value.encode())


def test_what_json_has_not_is_an_error() -> None:
    with pytest.raises(TypeError, match="JSON has no set"):
        Json(dict[str, object]).encode({"a": {1}})
    with pytest.raises(ValueError, match="not JSON compliant"):
        Json(float).encode(float("nan"))


def test_an_update_of_objects_has_their_type(hand: Hand) -> None:
    def add(now: Entity | None) -> Encoded:
        cart = Cart() if now is None else CART.decode(now.value)
        return CART.encode(Cart((*cart.lines, Line("plums"))))

    update(hand, add)
    update(hand, add)
    assert hand.store._values["k"].content_type == "application/json"
    assert len(CART.decode(hand.store._values["k"].value).lines) == 2
