package io.quorate.api.batch;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/** An event loop of one thread, which can be held: then each turn is asked for. */
final class HeldLoop implements Executor {

	private final Queue<Runnable> tasks = new ArrayDeque<>();

	private boolean isHeld;

	private boolean isTurning;

	@Override
	public void execute(Runnable task) {
		this.tasks.add(task);
		if (!this.isHeld) {
			runAll();
		}
	}

	/** Runs no task but in {@link #turn}. */
	void hold() {
		this.isHeld = true;
	}

	/** Runs all tasks from now on. */
	void runOn() {
		this.isHeld = false;
		runAll();
	}

	/** Runs the tasks that are there; those that they add have the next turn. */
	void turn() {
		for (int left = this.tasks.size(); left > 0; left--) {
			this.tasks.remove().run();
		}
	}

	private void runAll() {
		if (!this.isTurning) {
			this.isTurning = true;
			while (!this.tasks.isEmpty()) {
				this.tasks.remove().run();
			}
			this.isTurning = false;
		}
	}

}
