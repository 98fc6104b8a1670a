package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

import io.quorate.clock.Deadline;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class DeadlineSweepTests {

	private final DeadlineSweep sweep = DeadlineSweep.ticking();

	@AfterEach
	void close() {
		this.sweep.close();
	}

	@Test
	void errorOfOneWaiterEndsNoOther() {
		Disposable broken = this.sweep.failAt(Deadline.after(Duration.ofMillis(1)), () -> {
			throw new AssertionError("broken");
		}).subscribe();
		StepVerifier
			.create(this.sweep.failAt(Deadline.after(Duration.ofMillis(100)), () -> new RuntimeException("late")))
			.expectErrorMessage("late")
			.verify(Duration.ofSeconds(5));
		broken.dispose();
	}

	@Test
	void restsWhileNothingIsPending() {
		Deque<Runnable> ticks = new ArrayDeque<>();
		DeadlineSweep resting = new DeadlineSweep(Runnable::run, ticks::add, () -> 0, () -> {
		});
		CountingTicks first = new CountingTicks();
		CountingTicks second = new CountingTicks();
		assertThat(ticks).isEmpty();
		resting.watch(first);
		resting.watch(second);
		assertThat(ticks).hasSize(1);
		ticks.remove().run();
		assertThat(ticks).hasSize(1);
		resting.unwatch(first);
		resting.unwatch(second);
		ticks.remove().run();
		assertThat(ticks).isEmpty();
		resting.watch(second);
		ticks.remove().run();
		assertThat(ticks).hasSize(1);
		assertThat(first.ticks).isOne();
		assertThat(second.ticks).isEqualTo(2);
	}

	@Test
	void aDeadlineAfterARestIsMet() {
		for (int round = 0; round < 3; round++) {
			StepVerifier
				.create(this.sweep.failAt(Deadline.after(Duration.ofMillis(1)), () -> new RuntimeException("late")))
				.expectErrorMessage("late")
				.verify(Duration.ofSeconds(5));
			await().until(() -> !this.sweep.isTicking());
		}
	}

	private static final class CountingTicks implements DeadlineSweep.Waiting {

		private int ticks;

		@Override
		public void onTick(long nowNanos) {
			this.ticks++;
		}

		@Override
		public void onSuspect(String node) {
			throw new AssertionError("nobody is suspect");
		}

	}

}
