package io.quorate.repair.hint;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HintWindowTests {

	private final HintWindow window = new HintWindow();

	private long now;

	@Test
	void growsByOneInARoundWhileAnswersAreQuick() {
		assertThat(this.window.size()).isOne();
		round(1);
		assertThat(this.window.size()).isEqualTo(2);
		for (int i = 0; i < 10; i++) {
			round(1);
		}
		assertThat(this.window.size()).isBetween(10, 12);
		for (int i = 0; i < 200; i++) {
			round(1);
		}
		assertThat(this.window.size()).isEqualTo(HintWindow.MOST);
	}

	@Test
	void isHalvedOnceARoundWhileAnswersAreSlowerThanTheyWere() {
		for (int i = 0; i < 200; i++) {
			round(1);
		}
		round(50);
		assertThat(this.window.size()).isBetween(HintWindow.MOST / 2, HintWindow.MOST / 2 + 1);
		for (int i = 0; i < 10; i++) {
			round(50);
		}
		assertThat(this.window.size()).isOne();
	}

	@Test
	void growsAgainWhenSlowIsWhatTheMemberNowIs() {
		for (int i = 0; i < 100; i++) {
			round(1);
		}
		for (int i = 0; i < 1000; i++) {
			round(50);
		}
		assertThat(this.window.size()).isGreaterThan(8);
	}

	@Test
	void beginsAnewAfterAFailure() {
		for (int i = 0; i < 100; i++) {
			round(1);
		}
		this.window.failed();
		assertThat(this.window.size()).isOne();
	}

	/** As many as may be under way are sent at once and answered after so long. */
	private void round(int millis) {
		long sent = this.now;
		this.now += Duration.ofMillis(millis).toNanos();
		int size = this.window.size();
		for (int i = 0; i < size; i++) {
			this.window.taken(sent, this.now);
		}
	}

}
