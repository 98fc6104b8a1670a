package io.quorate.storage.engine;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BackgroundPaceTests {

	private static final int WORK_NANOS = 20_000_000;

	@Test
	void itWorksForItsShareOfTheTime() {
		assertThat(elapsed(new BackgroundPace(0.25, () -> false))).isGreaterThan((long) (3.5 * WORK_NANOS));
	}

	@Test
	void whatIsAwaitedIsAskedForBeforeEachRest() {
		AtomicInteger rests = new AtomicInteger();
		elapsed(new BackgroundPace(0.5, () -> rests.incrementAndGet() > 1));
		assertThat(rests).hasValueGreaterThan(1);
	}

	@Test
	void aShareOfAllNeverRests() {
		AtomicInteger rests = new AtomicInteger();
		elapsed(new BackgroundPace(1, () -> rests.incrementAndGet() < 0));
		assertThat(rests).hasValue(0);
	}

	/** Nanoseconds that so much work takes, rests included. */
	private static long elapsed(BackgroundPace pace) {
		long began = System.nanoTime();
		long worked = 0;
		while (worked < WORK_NANOS) {
			long entry = System.nanoTime();
			while (System.nanoTime() - entry < 10_000) {
				Thread.onSpinWait();
			}
			worked += System.nanoTime() - entry;
			pace.entryDone();
		}
		return System.nanoTime() - began;
	}

}
