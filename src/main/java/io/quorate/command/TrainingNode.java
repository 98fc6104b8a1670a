package io.quorate.command;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A node of an {@linkplain AotTraining AOT training}: a process on loopback that writes
 * its log into a file.
 */
final class TrainingNode {

	private static final Duration STOP = Duration.ofMinutes(2);

	private static final Duration PAUSE = Duration.ofMillis(100);

	private static final Pattern PORT = Pattern.compile("Netty started on port (\\d+) ");

	private static final int LINES = 25;

	private final Path log;

	private final Process process;

	private TrainingNode(Path log, Process process) {
		this.log = log;
		this.process = process;
	}

	/**
	 * Starts a node.
	 * @param command the JVM with its arguments
	 * @param directory directory of the process: the configuration of the user must not
	 * get into the cache
	 * @param log file for its log
	 * @param environment the variables of this process: the node does not get those of
	 * Quorate, which it would take for properties
	 * @throws IOException if the process does not start
	 */
	static TrainingNode start(List<String> command, File directory, Path log, Map<String, String> environment)
			throws IOException {
		ProcessBuilder builder = new ProcessBuilder(command).directory(directory);
		builder.environment().clear();
		environment.forEach((name, value) -> {
			if (!name.startsWith("QUORATE_")) {
				builder.environment().put(name, value);
			}
		});
		return new TrainingNode(log, builder.redirectErrorStream(true).redirectOutput(log.toFile()).start());
	}

	/**
	 * The URL of the port for clients that the node has taken, once its log has it.
	 * @param deadline in nanoseconds of {@link System#nanoTime()}
	 * @param otherwise reason of the failure at the deadline
	 */
	URI awaitUrl(long deadline, String otherwise) throws IOException, InterruptedException {
		while (true) {
			Matcher line = PORT.matcher(logged());
			if (line.find()) {
				return URI.create("http://127.0.0.1:" + line.group(1));
			}
			pause(deadline, otherwise);
		}
	}

	/**
	 * Waits a moment.
	 * @param deadline in nanoseconds of {@link System#nanoTime()}
	 * @param otherwise reason of the failure at the deadline
	 * @throws IOException if the node has ended, or the deadline has passed
	 */
	void pause(long deadline, String otherwise) throws IOException, InterruptedException {
		if (this.process.waitFor(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
			throw failed("the node ended");
		}
		if (System.nanoTime() - deadline >= 0) {
			throw failed(otherwise);
		}
	}

	/** Has the node stop, as an operator does, and waits for that. */
	void stop() throws IOException, InterruptedException {
		this.process.destroy();
		if (!this.process.waitFor(STOP.toSeconds(), TimeUnit.SECONDS)) {
			throw failed("the node did not stop within " + STOP.toSeconds() + " s");
		}
	}

	/** Ends the process at once, and that which writes the cache for it. */
	void kill() {
		List<ProcessHandle> all = Stream.concat(this.process.descendants(), Stream.of(this.process.toHandle()))
			.toList();
		all.forEach(ProcessHandle::destroyForcibly);
		all.forEach((each) -> each.onExit().completeOnTimeout(each, STOP.toSeconds(), TimeUnit.SECONDS).join());
	}

	/** The failure of the training, with the end of the log of this node. */
	IOException failed(String reason) throws IOException {
		List<String> lines = logged().lines().filter((line) -> !line.contains("[warning][aot]")).toList();
		return new IOException("there is no cache: " + reason + "; the end of the node's log:\n"
				+ String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size())));
	}

	/* Its last character may be there in part, and the locale may have another coding. */
	private String logged() throws IOException {
		return new String(Files.readAllBytes(this.log), StandardCharsets.UTF_8);
	}

}
