package io.quorate.client;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The events of one call, one after the other, on whichever thread they come. The state
 * of a call needs no lock, because only its events touch it.
 */
final class Serial implements Executor {

	private final Executor executor;

	private final Consumer<Throwable> faults;

	/*
	 * As many as the call has asked for: an answer, an end, and the acts of its caller.
	 */
	private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();

	private final AtomicInteger count = new AtomicInteger();

	/**
	 * Creates a sequence of events.
	 * @param executor the threads that run them
	 * @param faults the receiver of what an event throws, which ends the call
	 */
	Serial(Executor executor, Consumer<Throwable> faults) {
		this.executor = executor;
		this.faults = faults;
	}

	@Override
	public void execute(Runnable event) {
		this.events.add(event);
		if (this.count.getAndIncrement() == 0) {
			AtomicBoolean isTaken = new AtomicBoolean();
			Runnable turn = () -> {
				if (isTaken.compareAndSet(false, true)) {
					drain();
				}
			};
			try {
				this.executor.execute(turn);
			}
			catch (RuntimeException | Error failure) {
				// A call has to end, even if its executor takes no more, or can start no
				// thread. A pool of the JDK may have the task nevertheless, for a thread
				// that it has already.
				turn.run();
			}
		}
	}

	private void drain() {
		int done = 0;
		int expected = 1;
		while (true) {
			while (done < expected) {
				Runnable event = this.events.poll();
				if (event != null) {
					done++;
					try {
						event.run();
					}
					catch (RuntimeException | Error fault) {
						this.faults.accept(fault);
					}
				}
			}
			expected = this.count.addAndGet(-done);
			done = 0;
			if (expected == 0) {
				return;
			}
		}
	}

}
