package io.quorate.command.terminal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;

/**
 * Threads of a command that do one piece of work together. They end before the caller
 * goes on.
 */
public final class Workers {

	private static final ThreadFactory THREADS = Thread.ofVirtual().factory();

	private Workers() {
	}

	/** A part of the work, by one thread. */
	public interface Work {

		void run() throws IOException;

	}

	/**
	 * Has several threads do the same, and waits for all. When one fails the others are
	 * interrupted.
	 * @throws CommandException with the reason of the first that has failed
	 */
	public static void run(int count, Work work) {
		try (ExecutorService executor = Executors.newFixedThreadPool(count, THREADS)) {
			List<Future<?>> all = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				all.add(executor.submit(() -> {
					work.run();
					return null;
				}));
			}
			try {
				for (Future<?> each : all) {
					each.get();
				}
			}
			catch (ExecutionException failure) {
				all.forEach((each) -> each.cancel(true));
				Throwable cause = Objects.requireNonNull(failure.getCause());
				throw (cause instanceof CommandException known) ? known
						: new CommandException(ExitCode.FAILED, FileFailure.reason(cause), cause);
			}
			catch (InterruptedException interrupted) {
				all.forEach((each) -> each.cancel(true));
				Thread.currentThread().interrupt();
				throw new CommandException(ExitCode.FAILED, "interrupted", interrupted);
			}
		}
	}

}
