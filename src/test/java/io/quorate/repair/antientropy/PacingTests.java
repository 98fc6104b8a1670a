package io.quorate.repair.antientropy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.repair.comparison.PassObserver.Kind;
import io.quorate.repair.rate.RateLimiter;
import io.quorate.storage.thread.DrivenTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The pauses of a pass. */
class PacingTests {

	private static final Duration LATENCY = Duration.ofMillis(10);

	private final AtomicInteger pauses = new AtomicInteger();

	private final DrivenTime time = new DrivenTime();

	private Pacing pacing(long bytesPerSecond) {
		RateLimiter rateLimiter = RateLimiter.empty(bytesPerSecond, Duration.ofMillis(1), this.time.nanos());
		return new Pacing(new Pacing.Limits(rateLimiter, new TimeShare(1, this.time.nanos()), () -> {
			this.pauses.incrementAndGet();
			return LATENCY.toNanos();
		}, this.time), new PeerMetrics(new SimpleMeterRegistry(), "n1"), CopyObserver.NONE, () -> {
		});
	}

	@Test
	void aPassPausesOnceForAllThatAnAnswerHasBrought() {
		Pacing pacing = pacing(1 << 30);
		pacing.transferred(Kind.HEADERS, 1000);
		pacing.transferred(Kind.ENTRIES, 1000);
		assertThat(this.pauses).hasValue(0);
		pacing.answered();
		assertThat(this.pauses).hasValue(1);
		assertThat(this.time.nanos()).isEqualTo(4 * LATENCY.toNanos());
		assertThat(pacing.counts(0).bytesTransferred()).isEqualTo(2000);
	}

	@Test
	void aPassPaysForEachByte() {
		Pacing pacing = pacing(1_000_000);
		pacing.transferred(Kind.HEADERS, 100_000);
		pacing.transferred(Kind.ENTRIES, 100_000);
		pacing.answered();
		assertThat(this.time.nanos()).isEqualTo(Duration.ofMillis(200).toNanos());
		pacing.answered();
		assertThat(this.pauses).as("nothing is left to be paid for").hasValue(2);
	}

}
