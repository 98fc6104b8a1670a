package io.quorate.repair.antientropy;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RateLimiterTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final RateLimiter rateLimiter = new RateLimiter(1_000, 0);

	@Test
	void aMomentsWorthCostsNoPause() {
		assertThat(this.rateLimiter.pauseNanos(50, 0)).isZero();
		assertThat(this.rateLimiter.pauseNanos(50, 0)).isEqualTo(SECOND / 20);
	}

	@Test
	void theRateIsKept() {
		long now = 0;
		for (int i = 0; i < 100; i++) {
			now += this.rateLimiter.pauseNanos(500, now);
		}
		assertThat(now).isBetween(49 * SECOND, 50 * SECOND);
	}

	@Test
	void whatWasNotUsedIsNotSavedUp() {
		assertThat(this.rateLimiter.pauseNanos(1_000, 100 * SECOND)).isEqualTo(SECOND - SECOND / 20);
	}

}
