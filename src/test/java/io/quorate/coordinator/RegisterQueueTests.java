package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.IdempotencyKey;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Failure.Reason;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests for one key that wait for each other. */
class RegisterQueueTests extends RegisterFixture {

	private RegisterQueue queue;

	private final Admission wide = new Admission(10_000, 100_000, this.meters);

	@BeforeEach
	void create() {
		this.queue = new RegisterQueue(services());
	}

	/** A request whose outcome is there when the call that has brought it returns. */
	private final class Request {

		private @Nullable Timestamp written;

		private @Nullable Throwable failure;

		private Request(Condition condition) {
			this(write(condition));
		}

		private Request(RegisterTerms terms) {
			RegisterQueueTests.this.queue.run(terms)
				.subscribe((settled) -> this.written = settled.version(), (ending) -> this.failure = ending);
		}

		private boolean isOpen() {
			return this.written == null && this.failure == null;
		}

		private void requireUnmet(@Nullable Timestamp current) {
			assertThat(this.failure).isInstanceOfSatisfying(ConditionFailedException.class,
					(unmet) -> assertThat(unmet.current()).isEqualTo(current));
		}

	}

	@Override
	void promise(PrepareReply reply) {
		super.promise(reply);
		this.c.answer(reply);
	}

	@Override
	void accept() {
		super.accept();
		this.c.answer(APPLIED);
	}

	private void succeed(@Nullable Entry base) {
		promise((base != null) ? promised(base) : NOTHING_HELD);
		accept();
	}

	private void fail(Entry held) {
		this.a.answer(unmet(held));
		this.b.answer(unmet(held));
	}

	private int rounds() {
		return this.a.proposals().size();
	}

	private void requireNothingLeft() {
		assertThat(this.queue.keys()).isZero();
		assertThat(this.admission.requests()).isZero();
		assertThat(this.admission.bytes()).isZero();
		this.time.pass(Duration.ZERO);
		assertThat(this.coordinator.pending()).isZero();
	}

	@Test
	void requestsRunOneAfterAnotherInTheOrderOfTheirArrival() {
		Request first = new Request(Condition.NONE);
		Request second = new Request(Condition.ABSENT);
		Request third = new Request(Condition.NONE);
		assertThat(rounds()).isOne();
		succeed(null);
		assertThat(first.written).isNotNull();
		assertThat(rounds()).isEqualTo(2);
		assertThat(proposal().condition()).isEqualTo(Condition.ABSENT);
		assertThat(second.isOpen()).as("it came when the first had begun").isTrue();
		succeed(null);
		assertThat(second.written).isNotNull();
		assertThat(third.isOpen()).isTrue();
		succeed(this.a.applied().getLast());
		assertThat(third.written).isNotNull();
		requireNothingLeft();
	}

	@Test
	void aConditionThatFailsEndsThoseThatWaitedWhenItsRoundBegan() {
		Request first = new Request(Condition.NONE);
		Request failing = new Request(match(10));
		Request same = new Request(match(10));
		Request other = new Request(match(20));
		succeed(null);
		Request later = new Request(match(10));
		assertThat(rounds()).isEqualTo(2);
		fail(live(20, 3));
		assertThat(first.written).isNotNull();
		failing.requireUnmet(Timestamp.ofMillis(20));
		same.requireUnmet(Timestamp.ofMillis(20));
		assertThat(other.isOpen()).as("its condition would hold").isTrue();
		assertThat(later.isOpen()).as("it came when the round had begun").isTrue();
		assertThat(rounds()).isEqualTo(3);
		assertThat(proposal().condition()).isEqualTo(match(20));
		fail(live(30, 3));
		other.requireUnmet(Timestamp.ofMillis(30));
		later.requireUnmet(Timestamp.ofMillis(30));
		assertThat(rounds()).isEqualTo(3);
		requireNothingLeft();
	}

	@Test
	void aWriteThatSucceedsEndsThoseWhoseConditionFailsByIt() {
		new Request(Condition.NONE);
		Request written = new Request(match(10));
		Request failing = new Request(match(10));
		Request present = new Request(new Condition(Condition.Versions.ANY, null));
		succeed(null);
		succeed(live(10, 3));
		assertThat(written.written).isNotNull();
		failing.requireUnmet(written.written);
		assertThat(present.isOpen()).isTrue();
		succeed(this.a.applied().getLast());
		assertThat(present.written).isNotNull();
		requireNothingLeft();
	}

	/* An earlier request may have done it. */
	@Test
	void aWriteThatMayBeRepeatedHasARoundOfItsOwn() {
		Request first = new Request(Condition.NONE);
		Request second = new Request(Condition.NONE);
		Request keyed = new Request(Condition.ABSENT.once(new IdempotencyKey(1, 2)));
		Request plain = new Request(Condition.ABSENT);
		succeed(null);
		succeed(this.a.applied().getLast());
		plain.requireUnmet(second.written);
		assertThat(keyed.isOpen()).as("it waited when the second had begun, too").isTrue();
		fail(this.a.applied().getLast());
		keyed.requireUnmet(second.written);
		assertThat(first.written).isNotNull();
		requireNothingLeft();
	}

	@Test
	void aDeletionEndsThoseThatWantAValue() {
		new Request(Condition.NONE);
		RequestContext context = requestContext(2, 3, this.admission.admit(0));
		Request deleted = new Request(new RegisterTerms(CoordinatorMetrics.Operation.DELETE, KEY, Condition.NONE,
				Entry.Tombstone::new, context));
		Request failing = new Request(new Condition(Condition.Versions.ANY, null));
		Request creating = new Request(Condition.ABSENT);
		succeed(null);
		succeed(this.a.applied().getLast());
		assertThat(failing.failure).isInstanceOfSatisfying(ConditionFailedException.class, (unmet) -> {
			assertThat(unmet.current()).isNull();
			assertThat(unmet.absent()).isEqualTo(deleted.written);
		});
		succeed(this.a.applied().getLast());
		assertThat(creating.written).isNotNull();
		requireNothingLeft();
	}

	@Test
	void aFailureEndsNobodyElse() {
		Request lost = new Request(Condition.NONE);
		Request next = new Request(Condition.NONE);
		this.a.answer(unprepared(Reason.FAILED));
		this.b.answer(unprepared(Reason.FAILED));
		assertThat(lost.failure).isInstanceOf(QuorumNotReachedException.class);
		succeed(null);
		assertThat(next.written).isNotNull();
		requireNothingLeft();
	}

	@Test
	void aRequestThatWaitsEndsAtItsDeadlineAndItsTurnIsPassedOver() {
		Request first = new Request(Condition.NONE);
		Request late = new Request(write(match(10), Deadline.after(Duration.ofSeconds(10))));
		Request last = new Request(match(30));
		assertThat(this.admission.requests()).isEqualTo(3);
		this.time.pass(Duration.ofSeconds(20));
		assertThat(late.failure).isInstanceOfSatisfying(ContendedException.class,
				(ended) -> assertThat(ended.rounds()).isZero());
		assertThat(this.admission.requests()).as("its permit is closed").isEqualTo(2);
		succeed(null);
		assertThat(first.written).isNotNull();
		assertThat(rounds()).isEqualTo(2);
		assertThat(proposal().condition()).isEqualTo(match(30));
		succeed(live(30, 3));
		assertThat(last.written).isNotNull();
		requireNothingLeft();
	}

	@Test
	void whereAllThatWaitedHaveEndedTheLineEndsWithTheFirst() {
		new Request(Condition.NONE);
		new Request(write(Condition.NONE, Deadline.after(Duration.ofSeconds(10))));
		this.time.pass(Duration.ofSeconds(20));
		succeed(null);
		assertThat(rounds()).isOne();
		requireNothingLeft();
	}

	private RegisterTerms read(Deadline deadline) {
		return new RegisterTerms(CoordinatorMetrics.Operation.GET, KEY, Condition.NONE, null, new RequestContext(
				new Consistency(2, 3), deadline, this.wide.admit(0), new RequestTimeline(System.nanoTime())));
	}

	private Request read() {
		return new Request(read(Deadline.after(LIMIT)));
	}

	@Test
	void aRoundAnswersTheReadsThatWaitedWhenItBegan() {
		new Request(Condition.NONE);
		Request written = new Request(Condition.NONE);
		Request waited = read();
		succeed(null);
		Request later = read();
		assertThat(waited.isOpen()).as("it came when the first had begun").isTrue();
		succeed(this.a.applied().getLast());
		assertThat(waited.written).isNotNull().isEqualTo(written.written);
		assertThat(later.isOpen()).as("it came when the round had begun").isTrue();
		assertThat(rounds()).isEqualTo(3);
		promise(live(30, 3));
		this.a.answer(found(live(30, 3)));
		accept();
		assertThat(later.written).isEqualTo(Timestamp.ofMillis(30));
		requireNothingLeft();
	}

	@Test
	void aReadThatWaitsUntilItsDeadlineIsNotContended() {
		new Request(Condition.NONE);
		Request late = new Request(read(Deadline.after(Duration.ofSeconds(10))));
		this.time.pass(Duration.ofSeconds(20));
		assertThat(late.failure).isInstanceOf(QuorumNotReachedException.class);
		succeed(null);
		requireNothingLeft();
	}

	@Test
	void whereNothingWasEverWrittenNoVersionIsNamed() {
		Request lost = new Request(Condition.NONE);
		Request nothing = read();
		Request failing = new Request(match(10));
		this.a.answer(unprepared(Reason.FAILED));
		this.b.answer(unprepared(Reason.FAILED));
		assertThat(lost.failure).isInstanceOf(QuorumNotReachedException.class);
		succeed(null);
		assertThat(nothing.written).isEqualTo(Timestamp.ZERO);
		assertThat(failing.failure).isInstanceOfSatisfying(ConditionFailedException.class, (unmet) -> {
			assertThat(unmet.current()).isNull();
			assertThat(unmet.absent()).isNull();
		});
		requireNothingLeft();
	}

	private RegisterTerms wide() {
		return write(match(10), new RequestContext(new Consistency(2, 3), Deadline.after(LIMIT), this.wide.admit(3),
				new RequestTimeline(System.nanoTime())));
	}

	private List<Request> fill() {
		List<Request> waiting = new ArrayList<>();
		for (int i = 0; i <= RegisterQueue.MOST_OF_A_KEY; i++) {
			waiting.add(new Request(wide()));
		}
		return waiting;
	}

	@Test
	void aRequestBeyondTheBoundIsRefused() {
		List<Request> waiting = fill();
		assertThat(waiting).allMatch(Request::isOpen);
		Request refused = new Request(wide());
		assertThat(refused.failure).isInstanceOfSatisfying(RefusedException.class,
				(refusal) -> assertThat(refusal.why()).isEqualTo(Why.REQUESTS));
		assertThat(this.wide.requests()).as("its permit is closed").isEqualTo(waiting.size());
		this.time.pass(LIMIT);
		assertThat(this.wide.requests()).isZero();
		requireNothingLeft();
	}

	@Test
	void requestsThatHaveEndedDoNotFillTheLine() {
		Request first = new Request(wide());
		Deadline soon = Deadline.after(Duration.ofSeconds(10));
		for (int i = 0; i < RegisterQueue.MOST_OF_A_KEY; i++) {
			new Request(read(soon));
		}
		assertThat(new Request(wide()).failure).isInstanceOf(RefusedException.class);
		this.time.pass(Duration.ofSeconds(20));
		assertThat(first.isOpen()).isTrue();
		Request next = new Request(wide());
		assertThat(next.isOpen()).isTrue();
		fail(live(20, 3));
		assertThat(first.isOpen()).isFalse();
		fail(live(20, 3));
		next.requireUnmet(Timestamp.ofMillis(20));
		requireNothingLeft();
	}

	/* The peers are disconnected, and say so before a call returns. */
	@Test
	void aLongLineOfRequestsThatFailAtOnceEnds() {
		List<Request> waiting = fill();
		for (ScriptedReplica replica : List.of(this.a, this.b, this.c)) {
			replica.preparingAtOnce(unprepared(Reason.DISCONNECTED));
		}
		this.a.answer(unprepared(Reason.DISCONNECTED));
		this.b.answer(unprepared(Reason.DISCONNECTED));
		assertThat(waiting).allMatch((each) -> each.failure instanceof QuorumNotReachedException);
		assertThat(this.wide.requests()).isZero();
		requireNothingLeft();
	}

}
