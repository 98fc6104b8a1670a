package io.quorate.storage.thread;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OwnedThreadTests {

	private static final long LIMIT_SECONDS = 60;

	private final AtomicReference<OwnedThread> owned = new AtomicReference<>();

	private final CountDownLatch began = new CountDownLatch(1);

	private final AtomicBoolean ended = new AtomicBoolean();

	private OwnedThread start(Runnable work) throws InterruptedException {
		OwnedThread thread = new OwnedThread("a-test", work);
		this.owned.set(thread);
		assertThat(thread.isRunning()).isFalse();
		thread.start();
		assertThat(this.began.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
		assertThat(thread.isRunning()).isTrue();
		return thread;
	}

	/* Its wait is much longer than the test. */
	@Test
	void aStopEndsTheWaitOfTheThreadAndAwaitsItsLastStep() throws Exception {
		OwnedThread thread = start(() -> {
			while (this.owned.get().isRunning()) {
				this.began.countDown();
				LockSupport.parkNanos(Duration.ofHours(1).toNanos());
			}
			this.ended.set(true);
		});
		thread.stop();
		assertThat(thread.isRunning()).isFalse();
		assertThat(this.ended).isTrue();
	}

	@Test
	void itIsWoken() throws Exception {
		CountDownLatch turns = new CountDownLatch(5);
		OwnedThread thread = start(() -> {
			while (this.owned.get().isRunning()) {
				this.began.countDown();
				turns.countDown();
				LockSupport.parkNanos(Duration.ofHours(1).toNanos());
			}
		});
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
		while (turns.getCount() > 0 && System.nanoTime() < end) {
			thread.wake();
		}
		assertThat(turns.getCount()).isZero();
		thread.stop();
	}

	@Test
	void anInterruptEndsAWaitThatIsNoPark() throws Exception {
		OwnedThread thread = start(() -> {
			this.began.countDown();
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException stopped) {
				this.ended.set(true);
			}
		});
		thread.interrupt();
		assertThat(this.ended).isTrue();
	}

	@Test
	void oneThatWasNeverStartedIsStoppedAtOnce() {
		OwnedThread thread = new OwnedThread("a-test", () -> this.ended.set(true));
		thread.stop();
		thread.interrupt();
		assertThat(this.ended).isFalse();
	}

}
