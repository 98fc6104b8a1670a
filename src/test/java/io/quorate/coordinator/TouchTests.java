package io.quorate.coordinator;

import java.time.Duration;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.QuorumNotReachedException.Fate;
import io.quorate.coordinator.RegisterRequest.Settled;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.IdempotencyKey;
import io.quorate.entry.Lineage.Repeatable;
import io.quorate.entry.Lineage;
import io.quorate.replica.WriteReply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/** Touches: they renew the time to live of a value, and change nothing else. */
class TouchTests extends RegisterFixture {

	private static final Condition THERE = new Condition(Condition.Versions.ANY, null);

	private static final Duration TTL = Duration.ofSeconds(60);

	private static final Timestamp VERSION = Timestamp.ofMillis(NOW - 10);

	private static final Lineage LINEAGE = new Lineage(VERSION, Timestamp.ofMillis(5),
			List.of(new Repeatable(new IdempotencyKey(1, 2), VERSION)));

	private static Entry held(long expiryMillis) {
		return new Entry.Live(VERSION, 3, expiryMillis, VALUE, null, LINEAGE);
	}

	private Mono<Settled> touch(Condition condition) {
		RequestContext context = requestContext(2, 3, this.admission.admit(0));
		return run(new RegisterTerms(KEY, condition, TTL, context));
	}

	@Override
	void accept() {
		super.accept();
		this.c.answer(APPLIED);
	}

	/* From the instant of the round on, which is that of the test. */
	@ParameterizedTest
	@CsvSource({ "1, 60000", "59999, 60000", "60001, 60001" })
	void aTouchNeverShortens(long left, long after) {
		Entry held = held(NOW + left);
		StepVerifier.create(touch(THERE)).then(() -> {
			promise(held);
			this.a.answer(found(held));
			accept();
		}).assertNext((settled) -> {
			assertThat(settled.version()).isEqualTo(VERSION);
			assertThat(settled.entry())
				.isEqualTo(new Entry.Live(proposal().ballot(), 3, NOW + after, VALUE, null, LINEAGE));
		}).verifyComplete();
		assertThat(this.a.applied()).containsExactlyElementsOf(this.b.applied()).hasSize(1);
		assertThat(this.admission.requests()).isZero();
	}

	@Test
	void aValueThatLivesForEverStaysSo() {
		Entry held = held(Entry.NEVER);
		StepVerifier.create(touch(THERE)).then(() -> {
			promise(held);
			this.a.answer(found(held));
			accept();
		}).assertNext((settled) -> assertThat(settled.entry().expiryMillis()).isEqualTo(Entry.NEVER)).verifyComplete();
	}

	@Test
	void anExpiredValueIsSettledAndStaysSo() {
		Entry expired = held(NOW);
		StepVerifier.create(touch(THERE)).then(() -> {
			promise(expired);
			assertThat(this.a.applied()).containsExactly(new Entry.Tombstone(proposal().ballot(), 3, LINEAGE));
			accept();
		}).expectErrorSatisfies((failure) -> {
			assertThat(failure).isInstanceOf(ConditionFailedException.class);
			assertThat(((ConditionFailedException) failure).current()).isNull();
			assertThat(((ConditionFailedException) failure).absent()).isEqualTo(VERSION);
		}).verify();
	}

	@Test
	void aTouchOfAnotherVersionChangesNothing() {
		Entry held = held(NOW + 1);
		StepVerifier.create(touch(match(5))).then(() -> {
			this.a.answer(unmet(held));
			this.b.answer(unmet(held));
		})
			.expectErrorSatisfies(
					(failure) -> assertThat(((ConditionFailedException) failure).current()).isEqualTo(VERSION))
			.verify();
		assertThat(this.a.applied()).isEmpty();
	}

	/** A round that one replica has taken part in to its end, before the next one. */
	private void outbid(Entry held) {
		promise(held);
		this.a.answer(found(held));
		this.a.answer(APPLIED);
		this.b.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 9)));
		this.c.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 9)));
		nextRound();
	}

	/* Whether the first round has had its effect does not matter. */
	@Test
	void aTouchThatIsOutbidIsDoneAgain() {
		Entry held = held(NOW + 1);
		StepVerifier.create(touch(match(NOW - 10))).then(() -> {
			outbid(held);
			Entry touched = this.a.applied().getLast();
			promise(touched);
			this.a.answer(found(touched));
			accept();
		}).assertNext((settled) -> assertThat(settled.version()).isEqualTo(VERSION)).verifyComplete();
		assertThat(this.a.applied()).extracting(Entry::version).containsExactly(VERSION, VERSION);
	}

	/* It may have renewed the version before, and a client may have seen that. */
	@Test
	void theFateOfATouchWhoseValueWasReplacedIsUnknown() {
		Entry held = held(NOW + 1);
		StepVerifier.create(touch(match(NOW - 10))).then(() -> {
			outbid(held);
			Timestamp later = Timestamp.ofMillis(NOW + 8);
			Entry replaced = new Entry.Live(later, 3, Entry.NEVER, VALUE, null, new Lineage(later, VERSION));
			promise(replaced);
			this.a.answer(found(replaced));
			this.a.answer(APPLIED);
			this.b.answer(APPLIED);
		})
			.expectErrorSatisfies(
					(failure) -> assertThat(((QuorumNotReachedException) failure).fate()).isEqualTo(Fate.UNKNOWN))
			.verify();
	}

	@Test
	void theFateOfATouchThatIsSilentIsUnknown() {
		Entry held = held(NOW + 1);
		StepVerifier.create(touch(THERE)).then(() -> {
			promise(held);
			this.a.answer(found(held));
			this.time.pass(LIMIT);
		})
			.expectErrorSatisfies(
					(failure) -> assertThat(((QuorumNotReachedException) failure).fate()).isEqualTo(Fate.UNKNOWN))
			.verify();
	}

}
