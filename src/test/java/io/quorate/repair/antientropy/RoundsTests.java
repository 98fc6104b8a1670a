package io.quorate.repair.antientropy;

import java.util.UUID;

import io.quorate.clock.Timestamp;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.Round;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The rounds that are open, and the entries that are taken of them. */
class RoundsTests {

	private static final ComparisonStart THEIRS = comparisonStart(1);

	private final Rounds rounds = new Rounds(0);

	private long sequence = 100;

	@Test
	void entriesAreTakenOfOpenRoundsOnly() {
		assertThat(reason(1)).isEqualTo(Reason.STALE_ROUND);
		begin("n1", 1);
		assertThat(reason(1)).isNull();
		assertThat(this.rounds.complete("n1", round(1))).isNotNull();
		assertThat(reason(1)).isEqualTo(Reason.STALE_ROUND);
	}

	@Test
	void otherOriginsAreNoneOfItsBusiness() {
		assertThat(this.rounds.refuses(Origin.CLIENT)).isNull();
		assertThat(this.rounds.refuses(Origin.HINT)).isNull();
	}

	@Test
	void aRoundThatGoesOnKeepsWhatWasNoted() {
		Agreement begun = begin("n1", 1);
		this.sequence = 200;
		assertThat(begin("n1", 1)).isEqualTo(begun);
		assertThat(this.rounds.complete("n1", round(1))).isEqualTo(begun);
	}

	/* What it holds now has not been compared from the beginning. */
	@Test
	void aRoundOfAPeerWithOtherDataBeginsAnew() {
		begin("n1", 1);
		this.sequence = 200;
		Agreement anew = this.rounds.begin("n1", round(1), this::ours, comparisonStart(2));
		assertThat(anew).isNotNull();
		assertThat(anew.ours().durableSequence()).isEqualTo(200);
	}

	@Test
	void aRoundThatIsCompletedEndsAllOthers() {
		begin("n1", 1);
		begin("n1", 2);
		begin("n1", 3);
		assertThat(this.rounds.complete("n1", round(2))).isNotNull();
		assertThat(reason(1)).isEqualTo(Reason.STALE_ROUND);
		assertThat(reason(3)).as("what it fetched before may be purged soon").isEqualTo(Reason.STALE_ROUND);
		assertThat(this.rounds.complete("n1", round(1))).isNull();
		for (int over = 1; over <= 3; over++) {
			assertThat(this.rounds.complete("n1", round(over)) != null).isEqualTo(over == 2);
			assertThat(begin("n1", over)).isNull();
		}
		assertThat(begin("n1", 4)).isNotNull();
	}

	@Test
	void aPeersRoundsAreNoneOfAnothers() {
		begin("n1", 1);
		begin("n2", 2);
		assertThat(this.rounds.complete("n2", round(2))).isNotNull();
		assertThat(reason(1)).isNull();
		assertThat(this.rounds.complete("n2", round(1))).isNull();
	}

	/* The answer to the first may be lost. */
	@Test
	void completingTwiceIsTheSame() {
		begin("n1", 1);
		assertThat(this.rounds.complete("n1", round(1))).isNotNull().isEqualTo(this.rounds.complete("n1", round(1)));
	}

	@Test
	void roundsThatNobodyEndsAreForgotten() {
		for (int number = 1; number <= 10; number++) {
			begin("n1", number);
		}
		assertThat(reason(1)).isEqualTo(Reason.STALE_ROUND);
		assertThat(reason(10)).isNull();
	}

	/*
	 * What it was sent before its start, and was not forced, may be gone, and what it
	 * notes now may be the same as then.
	 */
	@Test
	void aRoundThatIsOlderThanTheProcessMustBeginAnew() {
		Rounds restarted = new Rounds(5);
		assertThat(restarted.begin("n1", round(5), this::ours, THEIRS)).isNull();
		assertThat(restarted.refuses(new Origin.Stream(5))).isNotNull();
		assertThat(restarted.begin("n1", round(6), this::ours, THEIRS)).isNotNull();
	}

	private @Nullable Agreement begin(String peer, long number) {
		return this.rounds.begin(peer, round(number), this::ours, THEIRS);
	}

	private ComparisonStart ours() {
		return new ComparisonStart(new UUID(0, 0), this.sequence, Timestamp.ZERO);
	}

	private @Nullable Reason reason(long round) {
		Failure failure = this.rounds.refuses(new Origin.Stream(round));
		return (failure != null) ? failure.reason() : null;
	}

	private static Round round(long number) {
		return new Round(number, 0);
	}

	private static ComparisonStart comparisonStart(long id) {
		return new ComparisonStart(new UUID(id, id), 7, Timestamp.ZERO);
	}

}
