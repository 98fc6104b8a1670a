package io.quorate.repair.hint;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AllowanceTests {

	private static final long MILLI = Duration.ofMillis(1).toNanos();

	private final Allowance allowance = new Allowance(1000, 0);

	@Test
	void noMoreThanTheRateIsUsed() {
		int used = 0;
		for (int millis = 1; millis <= 10_000; millis++) {
			while (this.allowance.isLeft(millis * MILLI)) {
				this.allowance.use(7);
				used += 7;
			}
		}
		assertThat(used).isBetween(9_990, 10_010);
	}

	@Test
	void whatIsLargeIsPaidForAfterwards() {
		assertThat(this.allowance.isLeft(MILLI)).isTrue();
		this.allowance.use(2001);
		assertThat(this.allowance.isLeft(2000 * MILLI)).isFalse();
		assertThat(this.allowance.isLeft(2002 * MILLI)).isTrue();
	}

	@Test
	void whatIsNotUsedIsNotSaved() {
		assertThat(this.allowance.isLeft(3_600_000 * MILLI)).isTrue();
		this.allowance.use(101);
		assertThat(this.allowance.isLeft(3_600_000 * MILLI)).isFalse();
	}

}
