package io.quorate.coordinator;

import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HedgingTests {

	private final Hedging hedging = new Hedging();

	@Test
	void atMostOneReadInTwentyIsHedged() {
		int hedges = 0;
		while (this.hedging.tryTake()) {
			hedges++;
		}
		assertThat(hedges).as("burst").isEqualTo(10);
		hedges = 0;
		for (int i = 0; i < 10_000; i++) {
			this.hedging.earn();
			hedges += this.hedging.tryTake() ? 1 : 0;
		}
		assertThat(hedges).isEqualTo(10_000 / Hedging.READS_PER_HEDGE);
	}

	@Test
	void creditIsNotSavedUpWithoutBound() {
		for (int i = 0; i < 100_000; i++) {
			this.hedging.earn();
		}
		int hedges = 0;
		while (this.hedging.tryTake()) {
			hedges++;
		}
		assertThat(hedges).isEqualTo(10);
	}

	@Test
	void delayFollowsTheSlowestHundredthOfReplicas() {
		record(5120, (i) -> (i % 50 == 0) ? 20_000L : 2000L);
		assertThat(this.hedging.delayNanos()).isBetween(micros(20_000), micros(22_000));
		record(51_200, (i) -> (i % 200 == 0) ? 20_000L : 2000L);
		assertThat(this.hedging.delayNanos()).isBetween(micros(2000), micros(2200));
	}

	@Test
	void delayStaysWithinItsBounds() {
		record(5120, (_) -> 50L);
		assertThat(this.hedging.delayNanos()).isEqualTo(Hedging.MIN_DELAY_NANOS);
		record(51_200, (_) -> 900_000L);
		assertThat(this.hedging.delayNanos()).isEqualTo(Hedging.MAX_DELAY_NANOS);
	}

	@Test
	void oldLatenciesFade() {
		record(5120, (_) -> 40_000L);
		assertThat(this.hedging.delayNanos()).isGreaterThanOrEqualTo(micros(40_000));
		record(5120, (_) -> 1500L);
		assertThat(this.hedging.delayNanos()).isLessThan(micros(1700));
	}

	private void record(int count, IntToLongFunction micros) {
		for (int i = 0; i < count; i++) {
			this.hedging.record(micros(micros.applyAsLong(i)));
		}
	}

	private static long micros(long micros) {
		return TimeUnit.MICROSECONDS.toNanos(micros);
	}

}
