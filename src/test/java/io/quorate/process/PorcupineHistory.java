package io.quorate.process;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * The operations of clients and their outcomes in a file, which a program in Go judges by
 * Porcupine: {@code src/test/linearizability}, where the fields are described. Safe for
 * any number of threads.
 */
final class PorcupineHistory implements AutoCloseable {

	private static final Path SOURCES = Path.of("src", "test", "linearizability");

	private static final Duration LIMIT = Duration.ofMinutes(30);

	private final long origin = System.nanoTime();

	private final Path file;

	private final BufferedWriter lines;

	/** Begins a history of this name, in the place of an older one. */
	PorcupineHistory(String name) throws IOException {
		Path directory = Path.of(System.getProperty("quorate.jar")).resolveSibling("linearizability");
		this.file = Files.createDirectories(directory).resolve(name + ".jsonl");
		this.lines = Files.newBufferedWriter(this.file);
	}

	/** An operation that a client begins now. */
	Operation begin(String kind, String key, @Nullable String condition, @Nullable String value) {
		return new Operation(Thread.currentThread().threadId(), kind, key, condition, value, now());
	}

	/** Writes an operation of known outcome, which ends now. */
	void end(Operation operation, String outcome, Map<String, String> fields) throws IOException {
		write(operation, outcome, new LinkedHashMap<>(fields));
	}

	/**
	 * Writes an operation of unknown outcome.
	 * @param version the version that it has if it has happened, empty if that is unknown
	 * @param settledAfter time from now after which linearizable reads settle it, if they
	 * do
	 */
	void unknown(Operation operation, String version, @Nullable Duration settledAfter) throws IOException {
		Map<String, Object> fields = new LinkedHashMap<>();
		fields.put("version", version);
		if (settledAfter != null) {
			fields.put("deadline", now() + settledAfter.toNanos());
		}
		write(operation, "unknown", fields);
	}

	private void write(Operation operation, String outcome, Map<String, Object> fields) throws IOException {
		fields.put("client", operation.client());
		fields.put("kind", operation.kind());
		fields.put("key", operation.key());
		fields.put("call", operation.call());
		fields.put("return", now());
		fields.put("outcome", outcome);
		if (operation.condition() != null) {
			fields.put("condition", operation.condition());
		}
		if (operation.value() != null) {
			fields.put("value", operation.value());
		}
		String line = JsonMapper.shared().writeValueAsString(fields);
		synchronized (this.lines) {
			this.lines.write(line);
			this.lines.newLine();
		}
	}

	private long now() {
		return System.nanoTime() - this.origin;
	}

	/**
	 * Requires that each key is one register, and returns the summary. Without Go the
	 * test is skipped, or fails if the environment has {@code CI}.
	 */
	String judge() throws IOException, InterruptedException {
		close();
		String go = go();
		String program = this.file.resolveSibling("judge").toAbsolutePath().toString();
		run(go, "build", "-mod=readonly", "-buildvcs=false", "-o", program, ".");
		List<String> report = run(program, this.file.toAbsolutePath().toString());
		return report.getLast();
	}

	private static String go() {
		Optional<String> found = Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
			.map((directory) -> Path.of(directory, "go"))
			.filter(Files::isExecutable)
			.map(Path::toString)
			.findFirst();
		String missing = "go is not on the PATH: only the checker in Java has judged the history";
		if (System.getenv("CI") != null) {
			assertThat(found).as(missing).isPresent();
		}
		assumeThat(found).as(missing).isPresent();
		return found.orElseThrow();
	}

	private List<String> run(String... command) throws IOException, InterruptedException {
		Path output = this.file.resolveSibling(this.file.getFileName() + ".out");
		Process process = new ProcessBuilder(command).directory(SOURCES.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).as("it ended").isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		List<String> said = Files.readAllLines(output);
		List<String> faults = new ArrayList<>(said);
		faults.removeIf((line) -> line.endsWith(": linearizable"));
		assertThat(process.exitValue()).as(String.join("\n", faults)).isZero();
		return said;
	}

	@Override
	public void close() throws IOException {
		this.lines.close();
	}

	/** An operation that has begun. */
	record Operation(long client, String kind, String key, @Nullable String condition, @Nullable String value,
			long call) {
	}

}
