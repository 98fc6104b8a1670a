package io.quorate.storage.values;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RetryPauseTests {

	/* The count may begin anywhere, and overflow. */
	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 10);

	private final RetryPause pause = new RetryPause(this.nanos::get);

	@Test
	void theFirstAttemptWaitsForNothing() {
		assertThat(this.pause.isOver()).isTrue();
	}

	@Test
	void eachPauseIsTwiceAsLongAsTheOneBeforeUpToABound() {
		List<Long> millis = new ArrayList<>();
		for (int i = 0; i < 9; i++) {
			millis.add(pauseMillis());
		}
		assertThat(millis).containsExactly(100L, 200L, 400L, 800L, 1600L, 3200L, 5000L, 5000L, 5000L);
	}

	@Test
	void afterASuccessTheNextPauseIsAShortOne() {
		pauseMillis();
		pauseMillis();
		this.pause.begin();
		this.pause.end();
		assertThat(this.pause.isOver()).isTrue();
		assertThat(pauseMillis()).isEqualTo(100);
	}

	private long pauseMillis() {
		this.pause.begin();
		long millis = 0;
		while (!this.pause.isOver()) {
			this.nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
			millis++;
		}
		return millis;
	}

}
