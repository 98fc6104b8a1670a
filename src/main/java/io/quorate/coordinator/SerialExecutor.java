package io.quorate.coordinator;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Runs turns one after another, on the threads that submit them. A turn that is submitted
 * while another one is under way waits for its end, also when it is submitted from within
 * that turn. So a state machine may have plain fields, and replies that arrive at once do
 * not grow the stack.
 */
final class SerialExecutor {

	private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

	private final AtomicInteger count = new AtomicInteger();

	private final Consumer<Throwable> broken;

	/**
	 * Creates an executor without turns.
	 * @param broken receives the exception of a turn, which is a bug; the turns after it
	 * run
	 */
	SerialExecutor(Consumer<Throwable> broken) {
		this.broken = broken;
	}

	void run(Runnable turn) {
		this.waiting.add(turn);
		if (this.count.getAndIncrement() != 0) {
			return;
		}
		do {
			take(this.waiting.remove());
		}
		while (this.count.decrementAndGet() != 0);
	}

	private void take(Runnable turn) {
		try {
			turn.run();
		}
		catch (RuntimeException | Error bug) {
			this.broken.accept(bug);
		}
	}

}
