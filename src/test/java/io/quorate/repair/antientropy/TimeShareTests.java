package io.quorate.repair.antientropy;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class TimeShareTests {

	private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

	@Test
	void worksForItsShareOfTheTime() {
		TimeShare share = new TimeShare(0.2, 0);
		long now = 0;
		long worked = 0;
		for (int piece = 1; piece <= 100; piece++) {
			worked += piece * MILLISECOND;
			now += piece * MILLISECOND;
			now += share.pauseNanos(now);
			share.resumed(now);
		}
		assertThat((double) worked / now).isEqualTo(0.2, within(0.001));
	}

	@Test
	void thatOfAllHasNoPauses() {
		assertThat(new TimeShare(1, 0).pauseNanos(500 * MILLISECOND)).isZero();
	}

	@Test
	void noPauseIsLongerThanASecond() {
		assertThat(new TimeShare(0.01, 0).pauseNanos(TimeUnit.MINUTES.toNanos(5)))
			.isEqualTo(TimeUnit.SECONDS.toNanos(1));
	}

	@Test
	void aPauseIsNoWork() {
		TimeShare share = new TimeShare(0.5, 0);
		assertThat(share.pauseNanos(10 * MILLISECOND)).isEqualTo(10 * MILLISECOND);
		share.resumed(20 * MILLISECOND);
		assertThat(share.pauseNanos(23 * MILLISECOND)).isEqualTo(3 * MILLISECOND);
	}

}
