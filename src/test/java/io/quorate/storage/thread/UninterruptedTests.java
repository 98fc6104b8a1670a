package io.quorate.storage.thread;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UninterruptedTests {

	@Test
	void aWaitForAThreadThatDoesNotEndIsBounded() {
		CountDownLatch end = new CountDownLatch(1);
		Thread thread = Thread.ofPlatform().daemon().start(() -> {
			try {
				end.await();
			}
			catch (InterruptedException unexpected) {
				throw new IllegalStateException(unexpected);
			}
		});
		assertThat(Uninterrupted.join(thread, Duration.ofMillis(20))).isFalse();
		Thread.currentThread().interrupt();
		assertThat(Uninterrupted.join(thread, Duration.ofMillis(20))).isFalse();
		assertThat(Thread.interrupted()).as("kept for later").isTrue();
		end.countDown();
		assertThat(Uninterrupted.join(thread, Duration.ofMinutes(1))).isTrue();
	}

	@Test
	void aThreadThatWasNeverStartedIsNotWaitedFor() {
		assertThat(Uninterrupted.join(Thread.ofPlatform().unstarted(() -> {
		}), Duration.ofMinutes(1))).isTrue();
	}

}
