package io.quorate.internode.context;

import java.time.Duration;

import io.quorate.clock.NoCeiling;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The clock of a node as messages from and to its peers carry it. */
class JudgedClockTests {

	private static final long NOW = 1_800_000_000_000L;

	private static final Duration MAX_SKEW = Duration.ofSeconds(60);

	private final SkewJudge judge = new SkewJudge(() -> NOW, () -> 0, MAX_SKEW);

	private final HybridClock hybrid = new HybridClock(() -> NOW, 7, new NoCeiling(), 0);

	private final JudgedClock clock = new JudgedClock(this.hybrid, this.judge, () -> NOW);

	@Test
	void aReceivedTimestampIsBelowTheNextOneOfTheReceiver() {
		Timestamp carried = Timestamp.ofMillis(NOW + 5_000);
		this.clock.observe(carried);
		assertThat(this.hybrid.tryNow()).isGreaterThan(carried);
		assertThat(this.clock.current()).isGreaterThanOrEqualTo(carried);
	}

	@Test
	void aTimestampTooFarInTheFutureMovesNoClock() {
		this.clock.observe(Timestamp.ofMillis(NOW + MAX_SKEW.toMillis() + 1));
		assertThat(this.clock.current()).isEqualTo(Timestamp.ofMillis(NOW));
	}

	@Test
	void aMessageCarriesWhatItsSenderHasGivenOutLast() {
		Timestamp given = this.hybrid.tryNow();
		assertThat(given).isNotNull();
		Timestamp later = this.hybrid.tryNow();
		assertThat(later).isNotNull();
		assertThat(this.clock.current().hybrid()).isEqualTo(later.hybrid()).isGreaterThan(given.hybrid());
	}

	@Test
	void thePhysicalClockIsTheOwnOneWhateverWasSeen() {
		this.clock.observe(Timestamp.ofMillis(NOW + 5_000));
		assertThat(this.clock.physicalMillis()).isEqualTo(NOW);
	}

}
