package io.quorate.api.transport;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class LeastRateTests {

	private static final Duration GRACE = Duration.ofSeconds(5);

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	@ParameterizedTest
	@CsvSource({ "0, 0, false", "0, 4999, false", "0, 5001, true", "16384, 6000, false", "16383, 6001, true" })
	void countsFromTheEndOfTheGrace(long bytes, long millis, boolean below) {
		assertThat(new LeastRate(GRACE, Duration.ZERO).isBelow(bytes, millis * 1_000_000)).isEqualTo(below);
	}

	@ParameterizedTest
	@CsvSource({ "0, 6", "10, 16" })
	void aClientThatWasFastMayRestOnlyForATime(int secondsAhead, int secondsUntilBelow) {
		LeastRate rate = new LeastRate(GRACE, Duration.ofSeconds(secondsAhead));
		long bytes = 16_000_000;
		assertThat(rate.isBelow(bytes, SECOND)).isFalse();
		int rested = 0;
		do {
			rested++;
			bytes++;
		}
		while (!rate.isBelow(bytes, SECOND + rested * SECOND));
		assertThat(rested).isEqualTo(secondsUntilBelow);
	}

	@Test
	void asMuchAsIsDueIsEnoughForEver() {
		LeastRate rate = new LeastRate(GRACE, Duration.ZERO);
		for (int second = 1; second < 10_000; second++) {
			assertThat(rate.isBelow((long) second * LeastRate.BYTES_PER_SECOND, second * SECOND)).isFalse();
		}
	}

}
