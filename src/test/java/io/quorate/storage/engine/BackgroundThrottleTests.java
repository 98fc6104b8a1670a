package io.quorate.storage.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BackgroundThrottleTests {

	private static final int WORK_NANOS = 20_000_000;

	private static final long MEGABYTE = 1 << 20;

	@Test
	void itWorksForItsShareOfTheTime() {
		assertThat(elapsed(flush(0.25, () -> false))).isGreaterThan((long) (3.5 * WORK_NANOS));
	}

	@Test
	void theThrottleAsksWhetherItsWorkIsAwaitedBeforeEachRest() {
		AtomicInteger rests = new AtomicInteger();
		elapsed(flush(0.5, () -> rests.incrementAndGet() > 1));
		assertThat(rests).hasValueGreaterThan(1);
	}

	@Test
	void aRestEndsWhenTheWorkIsAwaited() {
		AtomicInteger asked = new AtomicInteger();
		work(flush(0.01, () -> asked.incrementAndGet() > 2));
		assertThat(asked).as("before the rest, and in it").hasValueLessThanOrEqualTo(3).hasValueGreaterThan(1);
	}

	@Test
	void aShareOfAllNeverRests() {
		assertThat(new CompactionRate(1, 0).restNanos(1_000_000, 0)).isZero();
	}

	@Test
	void mergesTogetherWriteNoMoreThanTheRate() {
		BackgroundWork work = new BackgroundWork(new CompactionRate(1, 50 * MEGABYTE));
		AtomicLong written = new AtomicLong();
		long began = System.nanoTime();
		try (BackgroundThrottle one = work.merge(1, written::get, () -> false);
				BackgroundThrottle other = work.merge(1, written::get, () -> false)) {
			for (int i = 0; i < 5; i++) {
				written.addAndGet(MEGABYTE);
				work(one);
				work(other);
			}
		}
		assertThat(System.nanoTime() - began).isGreaterThan(180_000_000);
	}

	@Test
	void theRateIsLiftedWhileTheMergeIsAwaited() {
		BackgroundWork work = new BackgroundWork(new CompactionRate(1, 1));
		AtomicLong written = new AtomicLong();
		BackgroundThrottle pace = new BackgroundThrottle(work, 1, written::get, () -> true);
		written.addAndGet(MEGABYTE);
		work(pace);
		assertThat(new CompactionRate(1, 1).writingNanos(MEGABYTE)).as("a rest that the test would not survive")
			.isGreaterThan(TimeUnit.DAYS.toNanos(1));
	}

	@Test
	void theSmallerGoesFirstAndAFlushBeforeAll() {
		BackgroundWork work = new BackgroundWork(new CompactionRate(0.5, 0));
		try (BackgroundThrottle _ = work.merge(1000, () -> 0, () -> false);
				BackgroundThrottle _ = work.merge(10, () -> 0, () -> false)) {
			assertThat(work.ahead(1000)).isEqualTo(1);
			assertThat(work.ahead(10)).isZero();
			try (BackgroundThrottle _ = work.flush(() -> false)) {
				assertThat(work.ahead(1000)).isEqualTo(2);
				assertThat(work.ahead(10)).isEqualTo(1);
				assertThat(work.ahead(0)).isZero();
			}
			assertThat(work.ahead(10)).isZero();
		}
		assertThat(work.ahead(Long.MAX_VALUE)).isZero();
		CompactionRate speed = work.speed();
		assertThat(speed.restNanos(1000, 0)).isEqualTo(1000);
		assertThat(speed.restNanos(1000, 2)).isEqualTo(3000);
	}

	@Test
	void aDebtRaisesTheSpeedUntilMergesWorkAllTheTime() {
		CompactionRate configured = new CompactionRate(0.25, 64 * MEGABYTE);
		assertThat(configured.owing(0)).isEqualTo(configured);
		assertThat(configured.owing(640 * MEGABYTE)).isEqualTo(new CompactionRate(0.5, 128 * MEGABYTE));
		assertThat(configured.owing(6400 * MEGABYTE)).isEqualTo(new CompactionRate(1, 704 * MEGABYTE));
		assertThat(new CompactionRate(0.25, 0).owing(640 * MEGABYTE)).isEqualTo(new CompactionRate(0.5, 0));
		assertThat(new CompactionRate(1, 0).writingNanos(MEGABYTE)).isZero();
		assertThat(configured.writingNanos(64 * MEGABYTE)).isEqualTo(1_000_000_000);
	}

	private static BackgroundThrottle flush(double share, BooleanSupplier isAwaited) {
		return new BackgroundWork(new CompactionRate(share, 0)).flush(isAwaited);
	}

	private static void work(BackgroundThrottle pace) {
		spin(2_100_000);
		pace.largeEntryDone();
	}

	/** Nanoseconds that so much work takes, rests included. */
	private static long elapsed(BackgroundThrottle pace) {
		long began = System.nanoTime();
		long worked = 0;
		while (worked < WORK_NANOS) {
			worked += spin(10_000);
			pace.entryDone();
		}
		// What was worked last rests, too, however long the scheduler made it.
		work(pace);
		return System.nanoTime() - began;
	}

	private static long spin(long nanos) {
		long began = System.nanoTime();
		while (System.nanoTime() - began < nanos) {
			Thread.onSpinWait();
		}
		return System.nanoTime() - began;
	}

}
