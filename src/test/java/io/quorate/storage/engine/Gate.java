package io.quorate.storage.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Takes the store's thread that is about to tell an outcome, and keeps it for a while.
 */
final class Gate implements Executor, AutoCloseable {

	private static final long PATIENCE_SECONDS = 60;

	private final CountDownLatch reached = new CountDownLatch(1);

	private final CountDownLatch opened = new CountDownLatch(1);

	@Override
	public void execute(Runnable task) {
		this.reached.countDown();
		await(this.opened);
		task.run();
	}

	/** Waits until a thread stands before it. */
	void awaitThread() {
		await(this.reached);
	}

	/** Lets everybody through from now on. */
	void open() {
		this.opened.countDown();
	}

	@Override
	public void close() {
		open();
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException interrupted) {
			throw new AssertionError(interrupted);
		}
	}

}
