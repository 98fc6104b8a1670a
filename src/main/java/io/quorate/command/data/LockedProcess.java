package io.quorate.command.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A process that runs under a lock, with those that it has begun. It has the streams of
 * this one. Safe for threads, of which one waits for its end.
 */
final class LockedProcess {

	private static final int GROUP = 2;

	private static final int FOREGROUND = 5;

	private final Process process;

	private LockedProcess(Process process) {
		this.process = process;
	}

	/** Starts a command, with the fencing token of the lock in its environment. */
	static LockedProcess start(List<String> command, String token) throws IOException {
		ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
		builder.environment().put("QUORATE_LOCK_TOKEN", token);
		return new LockedProcess(builder.start());
	}

	/** Waits for the end of the process, and returns its status. */
	int await() {
		return this.process.onExit().join().exitValue();
	}

	private List<ProcessHandle> all() {
		return Stream.concat(Stream.of(this.process.toHandle()), this.process.descendants()).toList();
	}

	/** Passes a signal on that this process has got. */
	void pass(String signal) {
		if (signal.equals("TERM")) {
			all().forEach(ProcessHandle::destroy);
		}
		else if (!isInForeground()) {
			List<String> kill = new ArrayList<>(List.of("sh", "-c", "kill -s \"$0\" \"$@\"", signal));
			all().forEach((each) -> kill.add(Long.toString(each.pid())));
			try {
				new ProcessBuilder(kill).inheritIO().start();
			}
			catch (IOException noShell) {
				all().forEach(ProcessHandle::destroy);
			}
		}
	}

	/* A terminal sends its signals to all processes in its foreground. */
	private static boolean isInForeground() {
		try {
			String state = Files.readString(Path.of("/proc/self/stat"));
			String[] fields = state.substring(state.lastIndexOf(')') + 2).split(" ", -1);
			return fields[GROUP].equals(fields[FOREGROUND]);
		}
		catch (IOException notOnLinux) {
			return false;
		}
	}

	/**
	 * Ends all, and those that have not ended after a time without their consent.
	 * @return completes when none is left
	 */
	CompletableFuture<Void> end(Duration grace) {
		List<ProcessHandle> ending = all();
		ending.forEach(ProcessHandle::destroy);
		CompletableFuture<?>[] ends = ending.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new);
		return CompletableFuture.allOf(ends)
			.completeOnTimeout(null, grace.toMillis(), TimeUnit.MILLISECONDS)
			.thenRun(() -> ending.stream()
				.flatMap((each) -> Stream.concat(each.descendants(), Stream.of(each)))
				.forEach(ProcessHandle::destroyForcibly));
	}

}
