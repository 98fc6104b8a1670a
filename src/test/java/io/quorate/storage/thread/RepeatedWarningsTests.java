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
		assertThat(this.warnings.due("n2", begun)).isEmpty();
		for (int i = 1; i < 60; i++) {
			assertThat(this.warnings.due("n2", begun + i * MINUTE / 60)).isNull();
		}
		assertThat(this.warnings.due("n2", begun + MINUTE)).contains("60 times");
		assertThat(this.warnings.due("n2", begun + MINUTE + 1)).isNull();
		assertThat(this.warnings.due("n2", begun + 3 * MINUTE)).contains("2 times");
		assertThat(this.warnings.due("n2", begun + 5 * MINUTE)).as("the first for a while").isEmpty();
	}

	@Test
	void twoThatTakeTurnsAreTwoSubjects() {
		for (int i = 0; i < 10; i++) {
			assertThat(this.warnings.due("n2", i) != null).isEqualTo(i == 0);
			assertThat(this.warnings.due("n3", i) != null).isEqualTo(i == 0);
		}
	}

	@Test
	void aBoundedNumberIsRemembered() {
		for (int i = 0; i <= RepeatedWarnings.MAX_REMEMBERED; i++) {
			assertThat(this.warnings.due("n" + i, i)).isEmpty();
		}
		assertThat(this.warnings.due("n" + RepeatedWarnings.MAX_REMEMBERED, 300)).isNull();
		assertThat(this.warnings.due("n0", 300)).as("the oldest is forgotten").isEmpty();
	}

}
