package io.quorate.coordinator;

import java.time.Duration;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.CoordinatorMetrics.Operation;
import io.quorate.coordinator.QuorumNotReachedException.Fate;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.IdempotencyKey;
import io.quorate.entry.Lineage;
import io.quorate.replica.Handover;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/** Expiry in registers, which is judged and given by the agreement of the clocks. */
class AgreedExpiryTests extends RegisterFixture {

	private static final long TTL = 5000;

	private static final Entry EXPIRING = new Entry.Live(Timestamp.ofMillis(10), 3, NOW + 100, VALUE);

	private RegisterTerms put(Condition condition) {
		return new RegisterTerms(Operation.PUT, KEY, condition,
				(timestamp, from) -> new Entry.Live(timestamp, from, Entry.NEVER, VALUE), TTL,
				requestContext(2, 3, this.admission.admit(3)));
	}

	private RegisterTerms without(Operation operation, Condition condition) {
		return new RegisterTerms(operation, KEY, condition,
				(operation == Operation.DELETE) ? Entry.Tombstone::new : null, (operation == Operation.PUT) ? TTL : 0,
				requestContext(2, 3, this.admission.admit(0)));
	}

	/* Their clocks are far from each other, and from that of this node. */
	private void disagree() {
		this.trueTime.heard("b", NOW + 10_000, this.trueTime.nanos());
		this.trueTime.heard("c", NOW - 10_000, this.trueTime.nanos());
		assertThat(this.clusterView.trueMillis()).isNegative();
	}

	/* Two clocks that agree, and that of this node is behind them. */
	private void agreeOn(long millis) {
		for (int i = 0; i < 2; i++) {
			this.trueTime.heard("b", millis, this.trueTime.nanos());
			this.trueTime.heard("c", millis, this.trueTime.nanos());
		}
		assertThat(this.clusterView.trueMillis()).isEqualTo(millis);
	}

	private static void requireWithoutTime(Throwable failure) {
		assertThat(failure).isInstanceOfSatisfying(RefusedException.class,
				(refused) -> assertThat(refused.why()).isEqualTo(Why.CLOCK));
	}

	private void requireNothingWritten() {
		assertThat(this.a.applied()).isEmpty();
		this.c.answer(NOTHING_HELD);
		assertThat(this.a.released()).hasSize(1);
		assertThat(this.c.released()).as("late").hasSize(1);
		assertThat(this.admission.requests()).isZero();
	}

	@Test
	void theExpiryIsByTheClocksThatTheRoundHasRead() {
		StepVerifier.create(run(put(Condition.ABSENT))).then(() -> {
			agreeOn(NOW + 20_000);
			promise(NOTHING_HELD);
			assertThat(accepted().expiryMillis()).isEqualTo(NOW + 20_000 + TTL);
			this.a.answer(APPLIED);
			this.b.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 10)));
			this.c.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 10)));
			agreeOn(NOW + 21_000);
			nextRound();
			promise(NOTHING_HELD);
			assertThat(accepted().expiryMillis()).as("it is the same in each round").isEqualTo(NOW + 20_000 + TTL);
			accept();
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void anExpiryThatCannotBeToldIsRefused() {
		disagree();
		StepVerifier.create(run(put(Condition.NONE)))
			.then(() -> promise(NOTHING_HELD))
			.then(() -> this.time.pass(LIMIT))
			.expectErrorSatisfies(AgreedExpiryTests::requireWithoutTime)
			.verify();
		requireNothingWritten();
	}

	@ParameterizedTest
	@EnumSource(names = { "DELETE", "PUT" })
	void aValueWhoseExpiryCannotBeJudgedIsNotReplaced(Operation operation) {
		disagree();
		StepVerifier.create(run(without(operation, match(10))))
			.then(() -> promise(promised(EXPIRING)))
			.then(() -> this.time.pass(LIMIT))
			.expectErrorSatisfies(AgreedExpiryTests::requireWithoutTime)
			.verify();
		requireNothingWritten();
	}

	@Test
	void aConditionIsNotSaidToFailOnAValueWhoseExpiryCannotBeJudged() {
		disagree();
		StepVerifier.create(run(write(Condition.ABSENT)))
			.then(() -> promise(unmet(EXPIRING)))
			.then(() -> this.time.pass(LIMIT))
			.expectErrorSatisfies(AgreedExpiryTests::requireWithoutTime)
			.verify();
	}

	@Test
	void aRequestWithoutAnExpiryNeedsNoAgreement() {
		disagree();
		StepVerifier.create(run(write(match(10)))).then(() -> {
			promise(promised(live(10, 3)));
			accept();
		}).expectNextCount(1).verifyComplete();
		StepVerifier.create(run(write(Condition.NONE))).then(() -> {
			promise(promised(EXPIRING));
			accept();
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void aReadSettlesAValueWhoseExpiryCannotBeJudged() {
		disagree();
		StepVerifier.create(run(without(Operation.GET, Condition.NONE))).then(() -> {
			promise(promised(EXPIRING));
			this.a.answer(found(EXPIRING));
			assertThat(accepted()).isEqualTo(new Entry.Live(proposal().ballot(), 3, EXPIRING.expiryMillis(), VALUE,
					null, new Lineage(EXPIRING.version(), null)));
			accept();
		})
			.assertNext((settled) -> assertThat(settled.entry().expiryMillis()).isEqualTo(EXPIRING.expiryMillis()))
			.verifyComplete();
	}

	@Test
	void aWriteThatWasProposedWaitsForTheAgreement() {
		StepVerifier.create(run(write(match(10)))).then(() -> {
			promise(promised(EXPIRING));
			disagree();
			this.a.answer(APPLIED);
			this.b.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 10)));
			this.c.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 10)));
			nextRound();
			promise(promised(EXPIRING));
			this.outcome.requireNone();
			agreeOn(NOW + 50);
			nextRound();
			promise(promised(EXPIRING));
			accept();
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void aWriteThatWasProposedAndFindsNoAgreementIsUnknown() {
		StepVerifier.create(run(put(match(10)))).then(() -> {
			promise(promised(EXPIRING));
			disagree();
			this.a.answer(APPLIED);
			this.b.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 10)));
			this.c.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 10)));
			nextRound();
			promise(promised(EXPIRING));
			this.time.pass(LIMIT);
		})
			.expectErrorSatisfies((failure) -> assertThat(fate(failure))
				.isEqualTo(new Fate("unknown", this.a.proposals().getFirst().version())))
			.verify();
	}

	@Test
	void theOwnVersionThatIsFoundAgainNeedsNoAgreement() {
		StepVerifier.create(run(put(Condition.ABSENT))).then(() -> {
			promise(NOTHING_HELD);
			Entry own = accepted();
			disagree();
			this.a.answer(APPLIED);
			this.b.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 10)));
			this.c.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 10)));
			nextRound();
			promise(promised(own));
			accept();
		}).expectNextCount(1).verifyComplete();
	}

	private RegisterTerms keep(Condition condition) {
		return new RegisterTerms(Operation.PUT, KEY, condition,
				(timestamp, from) -> new Entry.Live(timestamp, from, Entry.NEVER, VALUE), Handover.KEEP,
				requestContext(2, 3, this.admission.admit(3)));
	}

	@Test
	void anExpiryThatIsKeptIsThatOfTheValueBefore() {
		disagree();
		StepVerifier.create(run(keep(match(10)))).then(() -> {
			promise(promised(live(10, 3)));
			assertThat(accepted().expiryMillis()).isEqualTo(Entry.NEVER);
			accept();
		}).expectNextCount(1).verifyComplete();
		agreeOn(NOW + 50);
		StepVerifier.create(run(keep(match(10)))).then(() -> {
			promise(promised(EXPIRING));
			assertThat(accepted().expiryMillis()).isEqualTo(EXPIRING.expiryMillis());
			this.a.answer(APPLIED);
			this.b.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 10)));
			this.c.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 10)));
			nextRound();
			promise(promised(new Entry.Live(Timestamp.ofMillis(NOW + 10), 3, NOW + 900, VALUE, null,
					new Lineage(EXPIRING.version(), null))));
			assertThat(accepted().expiryMillis()).as("it was touched meanwhile").isEqualTo(NOW + 900);
			accept();
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void anExpiryThatHasPassedIsNotKept() {
		agreeOn(NOW + 100);
		StepVerifier.create(run(keep(Condition.ABSENT))).then(() -> {
			promise(promised(EXPIRING));
			assertThat(accepted().expiryMillis()).isEqualTo(Entry.NEVER);
			accept();
		}).expectNextCount(1).verifyComplete();
	}

	private StepVerifier.Step<ReadOutcome> read(Entry held) {
		List<ScriptedReplica> replicas = List.of(this.a, this.b, this.c);
		List<Integer> before = replicas.stream().map(ScriptedReplica::reads).toList();
		return StepVerifier
			.create(this.coordinator.readLinearizable(KEY, requestContext(2, 3, this.admission.admit(0))))
			.then(() -> {
				for (int i = 0; i < 3; i++) {
					if (replicas.get(i).reads() > before.get(i)) {
						replicas.get(i).answer(found(held));
					}
				}
			});
	}

	@Test
	void aLinearizableReadJudgesByTheAgreement() {
		read(EXPIRING).expectNext(new ReadOutcome.Found((Entry.Live) EXPIRING)).verifyComplete();
		agreeOn(NOW + 100);
		read(EXPIRING).then(() -> {
			promise(promised(EXPIRING));
			assertThat(accepted())
				.isEqualTo(new Entry.Tombstone(proposal().ballot(), 3, new Lineage(EXPIRING.version(), null)));
			accept();
		}).expectNext(new ReadOutcome.Missing(EXPIRING.version())).verifyComplete();
	}

	@Test
	void aLinearizableReadOfAnExpiryIsRefusedWithoutAnAgreement() {
		disagree();
		read(EXPIRING).then(() -> this.time.pass(LIMIT))
			.expectErrorSatisfies(AgreedExpiryTests::requireWithoutTime)
			.verify();
	}

	@Test
	void aLinearizableReadOfAnExpiryWaitsForTheAgreement() {
		disagree();
		read(EXPIRING).then(() -> agreeOn(NOW + 50))
			.then(this::nextRound)
			.expectNext(new ReadOutcome.Found((Entry.Live) EXPIRING))
			.verifyComplete();
		read(live(10, 3)).expectNextCount(1).verifyComplete();
		assertThat(List.of(this.a.proposals().size(), this.b.proposals().size())).containsOnly(0);
	}

	@Test
	void aValueThatExpiresByTheOwnClockAloneIsFound() {
		agreeOn(NOW - 20_000);
		Entry expired = new Entry.Live(Timestamp.ofMillis(10), 3, NOW - Duration.ofSeconds(1).toMillis(), VALUE);
		read(expired).expectNext(new ReadOutcome.Found((Entry.Live) expired)).verifyComplete();
	}

	/* The replies to its prepares bring the clocks. */
	@Test
	void aRoundThatCouldNotJudgeIsFollowedByOneThatCan() {
		disagree();
		StepVerifier.create(run(put(match(10)))).then(() -> {
			promise(promised(EXPIRING));
			agreeOn(NOW + 50);
			nextRound();
			promise(promised(EXPIRING));
			assertThat(accepted().expiryMillis()).isEqualTo(NOW + 50 + TTL);
			accept();
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void aTouchThatCannotTellItsExpiryIsRefused() {
		StepVerifier.create(run(without(Operation.PUT, match(10)))).then(() -> {
			disagree();
			promise(promised(EXPIRING));
			this.time.pass(LIMIT);
		}).expectErrorSatisfies(AgreedExpiryTests::requireWithoutTime).verify();
		requireNothingWritten();
	}

	/* Plain reads judge by the clock of their coordinator. */
	@Test
	void aPlainReadThatSettlesNeedsNoAgreement() {
		disagree();
		StepVerifier.create(this.coordinator.read(KEY, requestContext(2, 2, this.admission.admit(0)))).then(() -> {
			this.a.answer(found(EXPIRING));
			this.b.answer(new ReadReply.Absent());
			this.b.answer(new WriteReply.Promised(Timestamp.ofMillis(30)));
			this.a.answer(promised(EXPIRING));
			this.b.answer(NOTHING_HELD);
			this.a.answer(found(EXPIRING));
			accept();
			Entry settled = this.a.applied().getLast();
			this.a.answer(found(settled));
			this.b.answer(found(settled));
		}).assertNext((outcome) -> assertThat(outcome).isInstanceOf(ReadOutcome.Found.class)).verifyComplete();
	}

	@Test
	void aRepeatedWriteIsAnsweredWhenTheExpiryOfItsValueCanBeJudged() {
		disagree();
		IdempotencyKey once = new IdempotencyKey(1, 2);
		Timestamp held = Timestamp.ofMillis(NOW - 500);
		Entry its = new Entry.Live(held, 3, NOW - 300, VALUE, null,
				new Lineage(held, Timestamp.ZERO, List.of(new Lineage.Repeatable(once, held))));
		StepVerifier.create(run(write(match(NOW - 600).once(once)))).then(() -> {
			promise(promised(its));
			agreeOn(NOW);
			nextRound();
			promise(promised(its));
			accept();
		})
			.assertNext((settled) -> assertThat(settled.replayed()).isEqualTo(new Written.Replayed(null)))
			.verifyComplete();
	}

}
