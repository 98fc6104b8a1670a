package io.quorate.coordinator;

import java.util.List;
import java.util.stream.IntStream;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.Written.Replayed;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.IdempotencyKey;
import io.quorate.entry.Lineage.Repeatable;
import io.quorate.entry.Lineage;
import io.quorate.entry.Summary;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.WriteReply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/** Conditional writes that clients may repeat, by their idempotency keys. */
class RepeatedWriteTests extends RegisterFixture {

	private static final IdempotencyKey ONCE = new IdempotencyKey(1, 2);

	private static final Repeatable DONE = new Repeatable(ONCE, Timestamp.ofMillis(NOW - 20));

	private static final Timestamp HELD = Timestamp.ofMillis(NOW - 10);

	private static Condition once(long named) {
		return match(named).once(ONCE);
	}

	private static Entry held(Repeatable... repeatable) {
		return new Entry.Live(HELD, 3, Entry.NEVER, VALUE, null,
				new Lineage(HELD, Timestamp.ZERO, List.of(repeatable)));
	}

	private static Repeatable other(long millis) {
		return new Repeatable(new IdempotencyKey(millis, 0), Timestamp.ofMillis(millis));
	}

	private void settle(Entry held) {
		this.a.answer(found(held));
		assertThat(this.a.applied().getLast().lineage()).isEqualTo(held.lineage());
		this.a.answer(APPLIED);
		this.b.answer(APPLIED);
	}

	@Test
	void theHistoryOfAKeyNamesTheWriteThatMayBeRepeated() {
		StepVerifier.create(run(write(once(NOW - 10)))).then(() -> {
			promise(held(other(NOW - 10)));
			Timestamp version = proposal().version();
			assertThat(this.a.applied().getLast().lineage())
				.isEqualTo(new Lineage(version, HELD, List.of(new Repeatable(ONCE, version), other(NOW - 10))));
			this.a.answer(APPLIED);
			this.b.answer(APPLIED);
		}).assertNext((settled) -> assertThat(settled.replayed()).isNull()).verifyComplete();
	}

	@Test
	void aWriteWithoutAKeyKeepsTheHistoryAndEightAreRemembered() {
		Repeatable[] eight = IntStream.range(10, 18).mapToObj(RepeatedWriteTests::other).toArray(Repeatable[]::new);
		StepVerifier.create(run(write(match(NOW - 10)))).then(() -> {
			promise(held(eight));
			assertThat(this.a.applied().getLast().repeatable()).containsExactly(eight);
		}).thenCancel().verify();
		StepVerifier.create(run(write(once(NOW - 10)))).then(() -> {
			promise(held(eight));
			assertThat(this.a.applied().getLast().repeatable()).hasSize(8)
				.startsWith(new Repeatable(ONCE, proposal().version()), eight[0])
				.doesNotContain(eight[7]);
		}).thenCancel().verify();
	}

	/* Though its condition fails by now. */
	@Test
	void aWriteThatWasDoneIsAnsweredAgain() {
		Entry held = held(other(5), DONE);
		StepVerifier.create(run(write(once(NOW - 30)))).then(() -> {
			this.a.answer(unmet(held));
			this.b.answer(unmet(held));
			this.outcome.requireNone();
			nextRound();
			assertThat(proposal().condition()).as("of a round that settles").isEqualTo(Condition.NONE);
			promise(held);
			settle(held);
		}).assertNext((settled) -> {
			assertThat(settled.version()).isEqualTo(DONE.version());
			assertThat(settled.replayed()).isEqualTo(new Replayed(HELD));
		}).verifyComplete();
		assertThat(this.a.applied()).as("nothing but what was held").hasSize(1);
	}

	private void requireUnmet(Condition condition, Entry held, boolean isForgotten) {
		StepVerifier.create(run(write(condition))).then(() -> {
			this.a.answer(unmet(held));
			this.b.answer(unmet(held));
		}).expectErrorSatisfies((failure) -> {
			assertThat(failure).isInstanceOf(ConditionFailedException.class);
			assertThat(((ConditionFailedException) failure).isForgotten()).isEqualTo(isForgotten);
		}).verify();
	}

	@ParameterizedTest
	@CsvSource({ "59999, true", "60000, false" })
	void aCreationMayBeForgottenForAMinute(long oldest, boolean isForgotten) {
		Entry held = held(
				IntStream.range(0, 8).mapToObj((i) -> other(NOW - oldest + 7 - i)).toArray(Repeatable[]::new));
		requireUnmet(Condition.ABSENT.once(ONCE), held, isForgotten);
	}

	/* As many replicas hold it as the client asks for. */
	@Test
	void aRepeatedWriteIsAnsweredOnceItsAcksAreThere() {
		Repeatable last = new Repeatable(ONCE, HELD);
		Entry held = held(last);
		StepVerifier.create(run(write(once(NOW - 30), 3))).then(() -> {
			promise(held);
			settle(held);
			this.outcome.requireNone();
			this.c.answer(APPLIED);
		}).assertNext((settled) -> {
			assertThat(settled.version()).isEqualTo(HELD);
			assertThat(settled.replayed()).isEqualTo(new Replayed(HELD));
		}).verifyComplete();
	}

	@Test
	void theAnswerSaysThatTheValueIsGoneByNow() {
		Lineage lineage = new Lineage(HELD, DONE.version(), List.of(DONE));
		Entry deleted = new Entry.Tombstone(HELD, 3, lineage);
		StepVerifier.create(run(write(Condition.ABSENT.once(ONCE)))).then(() -> {
			promise(deleted);
			assertThat(this.a.applied().getLast().lineage()).isEqualTo(lineage);
			this.a.answer(APPLIED);
			this.b.answer(APPLIED);
		}).assertNext((settled) -> assertThat(settled.replayed()).isEqualTo(new Replayed(null))).verifyComplete();
	}

	@Test
	void theKeyOfAnotherRequestIsRefused() {
		Entry held = held(new Repeatable(new IdempotencyKey(ONCE.key(), 3), DONE.version()));
		StepVerifier.create(run(write(once(NOW - 10)))).then(() -> {
			promise(held);
			settle(held);
		}).verifyError(IdempotencyKeyReusedException.class);
	}

	/*
	 * Of eight others the first has replaced a version after the one that it names,
	 * within the last minute.
	 */
	@ParameterizedTest
	@CsvSource({ "8, 100, 101, true", "8, 100, 100, false", "8, 100, 99, false", "7, 100, 101, false",
			"8, 60000, 60001, true" })
	void aWriteThatMayBeForgottenIsNotSaidToBeUndone(int remembered, long oldest, long named, boolean isForgotten) {
		Entry held = held(IntStream.range(0, remembered)
			.mapToObj((i) -> other(NOW - oldest + remembered - 1 - i))
			.toArray(Repeatable[]::new));
		requireUnmet(once(NOW - named), held, isForgotten);
	}

	@Test
	void aRequestThatIsCarriedOnFindsItsOwnWriteInTheHistory() {
		StepVerifier.create(run(write(once(NOW - 10)))).then(() -> {
			promise(held());
			Timestamp version = proposal().version();
			this.a.answer(APPLIED);
			this.b.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 9)));
			this.c.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 9)));
			nextRound();
			Timestamp later = Timestamp.ofMillis(NOW + 8);
			Entry replaced = new Entry.Live(later, 3, Entry.NEVER, VALUE, null, new Lineage(later,
					Timestamp.ofMillis(NOW + 7), List.of(other(NOW + 7), new Repeatable(ONCE, version))));
			this.a.answer(new PrepareReply.Promised(Summary.of(replaced)));
			this.b.answer(new PrepareReply.Promised(Summary.of(replaced)));
			settle(replaced);
		}).assertNext((settled) -> assertThat(settled.replayed()).isNull()).verifyComplete();
	}

}
