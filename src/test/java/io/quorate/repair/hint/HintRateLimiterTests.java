package io.quorate.repair.hint;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HintRateLimiterTests {

	private static final long MILLI = Duration.ofMillis(1).toNanos();

	private final HintRateLimiter hintRateLimiter = new HintRateLimiter(1000, 0);

	@Test
	void noMoreThanTheRateIsUsed() {
		int used = 0;
		for (int millis = 1; millis <= 10_000; millis++) {
			while (this.hintRateLimiter.isLeft(millis * MILLI)) {
				this.hintRateLimiter.use(7);
				used += 7;
			}
		}
		assertThat(used).isBetween(9_990, 10_010);
	}

	@Test
	void whatIsLargeIsPaidForAfterwards() {
		assertThat(this.hintRateLimiter.isLeft(MILLI)).isTrue();
		this.hintRateLimiter.use(2001);
		assertThat(this.hintRateLimiter.isLeft(2000 * MILLI)).isFalse();
		assertThat(this.hintRateLimiter.isLeft(2002 * MILLI)).isTrue();
	}

	@Test
	void whatIsNotUsedIsNotSaved() {
		assertThat(this.hintRateLimiter.isLeft(3_600_000 * MILLI)).isTrue();
		this.hintRateLimiter.use(101);
		assertThat(this.hintRateLimiter.isLeft(3_600_000 * MILLI)).isFalse();
	}

}
