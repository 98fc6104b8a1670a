package io.quorate.clock;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SkewJudgeTests {

	private static final long NOW = 1_000_000_000;

	private static final long MAX_SKEW = 60_000;

	private final AtomicLong own = new AtomicLong(NOW);

	private final AtomicLong nanos = new AtomicLong(77_000_000_000L);

	private final SkewJudge judge = new SkewJudge(this.own::get, this.nanos::get, Duration.ofMillis(MAX_SKEW));

	@Test
	void aloneTheOwnClockJudges() {
		assertThat(this.judge.medianMillis()).isEqualTo(NOW);
		assertThat(this.judge.refuses(Timestamp.ofMillis(NOW + MAX_SKEW))).isFalse();
		assertThat(this.judge.refuses(Timestamp.ofMillis(NOW + MAX_SKEW + 1))).isTrue();
		assertThat(this.judge.refuses(Timestamp.ofMillis(0))).isFalse();
		assertThat(this.judge.refusesOwnClock()).isFalse();
	}

	@Test
	void theEarlierOfTwoClocksJudges() {
		this.judge.heard("b", NOW + 500);
		assertThat(this.judge.medianMillis()).isEqualTo(NOW);
		this.judge.heard("b", NOW - 500);
		assertThat(this.judge.medianMillis()).isEqualTo(NOW - 500);
	}

	@Test
	void neitherOfTwoClocksIsBelievedWhenTheyAreTooFarApart() {
		for (long apart : new long[] { MAX_SKEW + 1, -MAX_SKEW - 1 }) {
			this.judge.heard("b", NOW + apart);
			assertThat(this.judge.isDisputed()).isTrue();
			assertThat(this.judge.refusesOwnClock()).isTrue();
			this.judge.heard("b", NOW + apart - Long.signum(apart));
			assertThat(this.judge.refusesOwnClock()).isFalse();
		}
		this.judge.heard("b", NOW - MAX_SKEW - 1);
		this.judge.heard("c", NOW);
		assertThat(this.judge.refusesOwnClock()).as("a third clock decides").isFalse();
	}

	@Test
	void medianIsTheMiddleWhereverTheOwnClockStands() {
		this.judge.heard("b", NOW + 100);
		this.judge.heard("c", NOW + 300);
		assertThat(this.judge.medianMillis()).isEqualTo(NOW + 100);
		this.own.set(NOW + 200);
		assertThat(this.judge.medianMillis()).isEqualTo(NOW + 200);
		this.own.set(NOW + 900);
		assertThat(this.judge.medianMillis()).isEqualTo(NOW + 300);
		this.judge.heard("d", NOW + 100);
		assertThat(this.judge.medianMillis()).as("lower middle of 100 100 300 900").isEqualTo(NOW + 100);
		this.judge.heard("e", NOW + 901);
		assertThat(this.judge.medianMillis()).as("middle of 100 100 300 900 901").isEqualTo(NOW + 300);
	}

	@Test
	void oneClockInTheFarFutureIsRefusedByTheOthersAndByItself() {
		this.judge.heard("b", NOW + 2_000_000_000);
		this.judge.heard("c", NOW);
		assertThat(this.judge.refuses(Timestamp.ofMillis(NOW + 2_000_000_000))).isTrue();
		this.own.set(NOW + 2_000_000_000);
		this.judge.heard("b", NOW);
		assertThat(this.judge.refusesOwnClock()).isTrue();
	}

	@Test
	void oneClockInThePastMovesNothing() {
		this.judge.heard("b", 0);
		this.judge.heard("c", NOW);
		assertThat(this.judge.medianMillis()).isEqualTo(NOW);
		this.own.set(0);
		this.judge.heard("b", NOW);
		assertThat(this.judge.refusesOwnClock()).isFalse();
		assertThat(this.judge.refuses(Timestamp.ofMillis(NOW + MAX_SKEW))).isFalse();
	}

	@Test
	void theOwnClockIsGoneByUntilItIsTooFarAhead() {
		this.judge.heard("b", NOW);
		this.judge.heard("c", NOW + 10);
		this.own.set(NOW + MAX_SKEW);
		assertThat(this.judge.believedMillis()).isEqualTo(NOW + MAX_SKEW);
		this.own.set(NOW + 10 + MAX_SKEW + 1);
		assertThat(this.judge.believedMillis()).isEqualTo(NOW + 10);
		this.own.set(NOW - 1_000_000);
		assertThat(this.judge.believedMillis()).isEqualTo(NOW - 1_000_000);
	}

	@Test
	void aTimestampTakenBeforeIsBoundedByTwiceTheSkew() {
		Duration ago = Duration.ofSeconds(5);
		this.judge.heard("b", NOW);
		this.judge.heard("c", NOW);
		assertThat(this.judge.mayHaveBeenTaken(Timestamp.ofMillis(NOW - 5000 + 2 * MAX_SKEW), ago)).isTrue();
		assertThat(this.judge.mayHaveBeenTaken(Timestamp.ofMillis(NOW - 5000 + 2 * MAX_SKEW + 1), ago)).isFalse();
	}

	@Test
	void aHeardClockAdvancesWithTheMonotonicClock() {
		this.judge.heard("b", NOW);
		this.judge.heard("c", NOW);
		this.nanos.addAndGet(Duration.ofSeconds(90).toNanos());
		assertThat(this.judge.medianMillis()).isEqualTo(NOW + 90_000);
		assertThat(this.judge.refuses(Timestamp.ofMillis(NOW + 90_000 + MAX_SKEW))).isFalse();
	}

}
