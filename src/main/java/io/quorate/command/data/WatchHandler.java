package io.quorate.command.data;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.quorate.client.WatchEvent;
import io.quorate.command.access.RangeRecord;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.FileFailure;
import org.jspecify.annotations.Nullable;

/**
 * The handler of a watch: a command of the shell, which runs for one change after the
 * other, again until it succeeds. Remembers the version of the last 10,000 keys. Used by
 * one thread, which waits for the command.
 */
final class WatchHandler {

	private static final int MOST_KEYS = 10_000;

	private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

	private final String command;

	private final PrintStream err;

	private final Pause pause;

	private final Map<String, String> handled = new LinkedHashMap<>(16, 0.75f, true) {

		private static final long serialVersionUID = 1;

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
			return size() > MOST_KEYS;
		}

	};

	WatchHandler(String command, PrintStream err, Pause pause) {
		this.command = command;
		this.err = err;
		this.pause = pause;
	}

	/**
	 * Has the command handle a change; events of another kind need no handling.
	 * @throws CommandException when there is no shell, or the thread is interrupted
	 */
	void take(WatchEvent event) {
		switch (event) {
			case WatchEvent.Put put -> handle("put", put.key(), put.etag(), put.hasValue() ? put.value() : null);
			case WatchEvent.Delete delete -> handle("delete", delete.key(), delete.etag(), null);
			default -> {
				// It says nothing of a key.
			}
		}
	}

	private void handle(String event, String key, String etag, byte @Nullable [] value) {
		if (etag.equals(this.handled.get(key))) {
			return;
		}
		if (key.indexOf(0) >= 0) {
			say("the key " + RangeRecord.printable(key) + " has a zero, which no variable can have: it is left out");
			return;
		}
		Duration wait = FIRST_PAUSE;
		Map<String, String> variables = Map.of("QUORATE_EVENT", event, "QUORATE_KEY", key, "QUORATE_ETAG", etag);
		try {
			for (int status = run(variables, value); status != 0; status = run(variables, value)) {
				say("the handler has ended with " + status + " for the key " + RangeRecord.printable(key)
						+ ", and is run again after " + wait.toSeconds() + "s");
				this.pause.pass(wait);
				wait = (wait.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0) ? wait.multipliedBy(2) : LONGEST_PAUSE;
			}
		}
		catch (IOException failure) {
			throw new CommandException(ExitCode.FAILED, "the handler cannot be run: " + FileFailure.reason(failure),
					failure);
		}
		catch (InterruptedException interrupt) {
			Thread.currentThread().interrupt();
			throw new CommandException(ExitCode.FAILED, "interrupted", interrupt);
		}
		this.handled.put(key, etag);
	}

	private void say(String message) {
		this.err.println("quorate: " + message);
		this.err.flush();
	}

	private int run(Map<String, String> variables, byte @Nullable [] value) throws IOException, InterruptedException {
		ProcessBuilder builder = new ProcessBuilder(List.of("sh", "-c", this.command))
			.redirectOutput(ProcessBuilder.Redirect.INHERIT)
			.redirectError(ProcessBuilder.Redirect.INHERIT);
		builder.environment().putAll(variables);
		Process process = builder.start();
		Thread end = new Thread(() -> end(process));
		Runtime.getRuntime().addShutdownHook(end);
		try {
			write(process, value);
			return process.waitFor();
		}
		finally {
			end(process);
			forget(end);
		}
	}

	/* A handler need not read it. */
	private static void write(Process process, byte @Nullable [] value) {
		try (OutputStream input = process.getOutputStream()) {
			if (value != null) {
				input.write(value);
			}
		}
		catch (IOException unread) {
			// Its status says whether it has what it wants.
		}
	}

	private static void end(Process process) {
		process.descendants().forEach(ProcessHandle::destroy);
		process.destroy();
	}

	private static void forget(Thread hook) {
		try {
			Runtime.getRuntime().removeShutdownHook(hook);
		}
		catch (IllegalStateException ending) {
			// It runs, and does what was done.
		}
	}

	/** A wait between two runs. */
	interface Pause {

		void pass(Duration time) throws InterruptedException;

		/** Waits as long as the time is. */
		static void really(Duration time) throws InterruptedException {
			boolean _ = new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
		}

	}

}
