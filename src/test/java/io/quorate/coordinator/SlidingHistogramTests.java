package io.quorate.coordinator;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class SlidingHistogramTests {

	/* The monotonic clock may be anywhere, below zero as well. */
	private static final long BEGIN = -TimeUnit.SECONDS.toNanos(40);

	private final SlidingHistogram times = new SlidingHistogram();

	@Test
	void nothingHasNoQuantiles() {
		assertThat(this.times.snapshot(BEGIN).count()).isZero();
		assertThat(this.times.snapshot(BEGIN).quantile(0.5)).isNull();
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 1, 15, 16, 17, 31, 32, 99, 1_000, 12_345, 999_999, 29_000_000, 120_000_000 })
	void aTimeIsUpToASixteenthTooLong(long micros) {
		this.times.record(TimeUnit.MICROSECONDS.toNanos(micros), BEGIN);
		assertThat(micros(this.times.snapshot(BEGIN).quantile(0.5))).isGreaterThan(micros)
			.isLessThanOrEqualTo(micros + 1 + micros / 16);
	}

	@Test
	void aTimeBeyondTheLastBucketCountsInTheLast() {
		this.times.record(Long.MAX_VALUE, BEGIN);
		assertThat(this.times.snapshot(BEGIN).quantile(0.99)).isBetween(Duration.ofSeconds(120),
				Duration.ofSeconds(140));
	}

	@Test
	void quantilesAreThoseOfAll() {
		for (int millis = 1; millis <= 100; millis++) {
			this.times.record(TimeUnit.MILLISECONDS.toNanos(millis), BEGIN + millis);
		}
		SlidingHistogram.Snapshot all = this.times.snapshot(BEGIN + 100);
		assertThat(all.count()).isEqualTo(100);
		assertThat(micros(all.quantile(0.5))).isBetween(50_000L, 53_200L);
		assertThat(micros(all.quantile(0.99))).isBetween(99_000L, 105_200L);
		assertThat(micros(all.quantile(0))).isBetween(1_000L, 1_064L);
		assertThat(micros(all.quantile(1))).isBetween(100_000L, 106_300L);
	}

	@Test
	void anOldTimeIsForgotten() {
		this.times.record(1_000, BEGIN);
		this.times.record(1_000_000, BEGIN + TimeUnit.MINUTES.toNanos(3));
		assertThat(this.times.snapshot(BEGIN + TimeUnit.MINUTES.toNanos(4)).count()).isEqualTo(2);
		assertThat(this.times.snapshot(BEGIN + TimeUnit.MINUTES.toNanos(6)).count()).isOne();
		this.times.record(1_000_000, BEGIN + TimeUnit.MINUTES.toNanos(15));
		assertThat(this.times.snapshot(BEGIN + TimeUnit.MINUTES.toNanos(15)).count()).isOne();
		assertThat(this.times.snapshot(BEGIN + TimeUnit.MINUTES.toNanos(30)).count()).isZero();
	}

	private static long micros(@Nullable Duration time) {
		assertThat(time).isNotNull();
		return (time != null) ? TimeUnit.NANOSECONDS.toMicros(time.toNanos()) : -1;
	}

}
