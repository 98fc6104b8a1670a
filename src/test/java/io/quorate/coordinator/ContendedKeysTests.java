package io.quorate.coordinator;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.entry.Key;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ContendedKeysTests {

	private static final Duration SOON = Duration.ofMillis(1);

	private static final Key KEY = Key.of("key");

	/* The clock overflows, as it may. */
	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

	private final ContendedKeys contended = new ContendedKeys(this.nanos::get);

	@Test
	void noKeyIsContendedAtFirst() {
		assertThat(this.contended.includes(KEY)).isFalse();
	}

	@Test
	void aKeyIsContendedForAWhileAfterEachWriteThatWasTooOld() {
		this.contended.superseded(KEY);
		assertThat(this.contended.includes(KEY)).isTrue();
		assertThat(this.contended.includes(Key.of("another"))).isFalse();
		pass(ContendedKeys.REMEMBERED.minus(SOON));
		assertThat(this.contended.includes(KEY)).isTrue();
		this.contended.superseded(KEY);
		pass(SOON);
		assertThat(this.contended.includes(KEY)).as("superseded again").isTrue();
		pass(ContendedKeys.REMEMBERED.minus(SOON));
		assertThat(this.contended.includes(KEY)).isFalse();
	}

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

}
