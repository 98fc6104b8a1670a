package io.quorate.coordinator;

import java.time.Duration;

import io.quorate.clock.Deadline;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.test.StepVerifier;

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
			.verifyErrorMessage("late");
		broken.dispose();
	}

}
