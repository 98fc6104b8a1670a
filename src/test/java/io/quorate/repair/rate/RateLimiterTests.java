package io.quorate.repair.rate;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RateLimiterTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

	private static final Duration BURST = Duration.ofMillis(100);

	private final RateLimiter full = RateLimiter.full(1_000, BURST, 0);

	private final RateLimiter empty = RateLimiter.empty(1_000, BURST, 0);

	@Test
	void aBurstCostsNoPause() {
		assertThat(this.full.pauseNanos(100, 0)).isZero();
		assertThat(this.full.pauseNanos(50, 0)).isEqualTo(SECOND / 20);
	}

	@Test
	void anEmptyBucketHasNothingLeft() {
		assertThat(this.full.isLeft(0)).isTrue();
		assertThat(this.empty.isLeft(0)).isFalse();
		assertThat(this.empty.isLeft(MILLI)).isTrue();
	}

	@Test
	void theRateIsKeptByPauses() {
		long now = 0;
		for (int i = 0; i < 100; i++) {
			now += this.full.pauseNanos(500, now);
		}
		assertThat(now).isBetween(49 * SECOND, 50 * SECOND);
	}

	@Test
	void theRateIsKeptByAsking() {
		int used = 0;
		for (int millis = 1; millis <= 10_000; millis++) {
			while (this.empty.isLeft(millis * MILLI)) {
				this.empty.use(7, millis * MILLI);
				used += 7;
			}
		}
		assertThat(used).isBetween(9_990, 10_010);
	}

	@Test
	void aLargeUseIsPaidForAfterwards() {
		this.empty.use(2001, MILLI);
		assertThat(this.empty.isLeft(2000 * MILLI)).isFalse();
		assertThat(this.empty.isLeft(2002 * MILLI)).isTrue();
	}

	@Test
	void anUnusedTokenIsNotSavedBeyondABurst() {
		assertThat(this.full.pauseNanos(1_000, 100 * SECOND)).isEqualTo(SECOND - SECOND / 10);
		this.empty.use(101, 3_600 * SECOND);
		assertThat(this.empty.isLeft(3_600 * SECOND)).isFalse();
	}

}
