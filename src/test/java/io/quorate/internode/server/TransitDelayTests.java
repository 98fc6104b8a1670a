package io.quorate.internode.server;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The delay of messages, by two clocks that have nothing in common. */
class TransitDelayTests {

	private static final long OFFSET = -77_000_000_000L;

	private static final long SECOND = 1_000_000;

	private final TransitDelay delay = new TransitDelay();

	@Test
	void quickestMessageHasNotWaited() {
		assertThat(waited(0, 300)).isZero();
		assertThat(waited(1000, 200)).isZero();
		assertThat(waited(2000, 5200)).isEqualTo(5000);
	}

	@Test
	void messagesFromBeforeAFreezeAreOldAfterIt() {
		for (int i = 0; i < 20; i++) {
			waited(i * SECOND, 100);
		}
		assertThat(waited(20 * SECOND, 30 * SECOND)).isEqualTo(30 * SECOND - 100);
		assertThat(waited(21 * SECOND, 29 * SECOND)).isEqualTo(29 * SECOND - 100);
		assertThat(waited(50 * SECOND, 100)).isZero();
	}

	@Test
	void clocksThatDriftApartMakeNothingOld() {
		for (int i = 0; i < 100_000; i++) {
			long drift = i * SECOND / 10_000;
			assertThat(this.delay.waitedMicros(i * SECOND, i * SECOND + drift + OFFSET)).isLessThan(3000);
		}
	}

	/** The delay of a message that was sent at an instant and so long under way. */
	private long waited(long sent, long underWay) {
		return this.delay.waitedMicros(sent, sent + underWay + OFFSET);
	}

}
