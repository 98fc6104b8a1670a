package io.quorate.storage.thread;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RepeatedWarningsTests {

	private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

	private final RepeatedWarnings warnings = new RepeatedWarnings();

	/* The monotonic clock may be negative, and overflow. */
	@Test
	void theFirstIsSaidAndThenOneEachMinuteWithTheirNumber() {
		long begun = Long.MAX_VALUE - 5;
		assertThat(this.warnings.due(begun)).isEmpty();
		for (int i = 1; i < 60; i++) {
			assertThat(this.warnings.due(begun + i * MINUTE / 60)).isNull();
		}
		assertThat(this.warnings.due(begun + MINUTE)).contains("60 times");
		assertThat(this.warnings.due(begun + MINUTE + 1)).isNull();
		assertThat(this.warnings.due(begun + 3 * MINUTE)).contains("2 times");
		assertThat(this.warnings.due(begun + 5 * MINUTE)).as("the first for a while").isEmpty();
	}

}
