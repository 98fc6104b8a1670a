package io.quorate.process;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The build from which tests start their processes: the jar in pieces with an AOT cache
 * of its classes, made once for all JVMs that run tests beside each other. Else hundreds
 * of starts would take most of the processor time of all tests.
 */
final class BuiltNode {

	private static final Duration LIMIT = Duration.ofMinutes(5);

	/* Which of the JVMs that run tests beside each other this is. */
	static final int FORK = Integer.getInteger("quorate.fork", 1);

	/*
	 * Nodes of the short form live for seconds: what takes their processor time is the
	 * start of the JVM, its compilers and its collector. The full form has the flags of a
	 * node alone.
	 */
	private static final List<String> QUICK = Boolean.getBoolean("quorate.endurance") ? List.of()
			: List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

	private static @Nullable Path directory;

	private BuiltNode() {
	}

	/** Arguments of {@code java} that start a node. */
	static List<String> arguments() throws IOException {
		Path pieces = directory();
		List<String> arguments = new ArrayList<>(QUICK);
		Collections.addAll(arguments, "-XX:AOTCache=" + pieces.resolve("quorate.aot"), "-jar",
				pieces.resolve("quorate.jar").toString());
		return arguments;
	}

	/**
	 * The environment of a script: its nodes and commands start from the same files. The
	 * nodes wait for the replicas of a request as long as a busy machine may need for the
	 * first one of a cold node: clients of scripts ask for no time of their own.
	 * @param jvmOptions more options of the JVMs of its nodes
	 */
	static Map<String, String> environment(String jvmOptions) throws IOException {
		Path pieces = directory();
		List<String> options = new ArrayList<>(QUICK);
		options.add(jvmOptions);
		return Map.of("JAVA_HOME", System.getProperty("java.home"), "QUORATE_JAR", jarBeside(pieces).toString(),
				"QUORATE_JAVA_OPTS", String.join(" ", options), "QUORATE_COORDINATOR_TIMEOUT", "30s");
	}

	/* The scripts take the pieces that are beside a jar and have its name and time. */
	private static Path jarBeside(Path pieces) {
		return pieces.resolveSibling(pieces.getFileName() + ".jar");
	}

	private static synchronized Path directory() throws IOException {
		if (directory == null) {
			Path jar = Path.of(System.getProperty("quorate.jar"));
			Path pieces = jar.resolveSibling(QUICK.isEmpty() ? "node-of-tests-full" : "node-of-tests");
			try (FileChannel lock = FileChannel.open(jar.resolveSibling("node-of-tests.lock"),
					StandardOpenOption.CREATE, StandardOpenOption.WRITE); FileLock _ = lock.lock()) {
				if (!isMadeFrom(jar, pieces)) {
					make(pieces);
				}
				if (!Files.exists(jarBeside(pieces))) {
					Files.createSymbolicLink(jarBeside(pieces), jar.getFileName());
				}
			}
			directory = pieces;
		}
		return directory;
	}

	private static boolean isMadeFrom(Path jar, Path pieces) throws IOException {
		Path mark = pieces.resolve("made-from");
		return Files.exists(mark) && Files.getLastModifiedTime(mark).equals(Files.getLastModifiedTime(jar));
	}

	/*
	 * Not by `quorate aot`, which trains for speed under load: a start needs the classes
	 * alone, and all tests wait for this.
	 */
	private static void make(Path pieces) throws IOException {
		Path jar = Path.of(System.getProperty("quorate.jar"));
		FileSystemUtils.deleteRecursively(pieces);
		extract(jar, pieces);
		Files.copy(jar.resolveSibling("quorate.args"), pieces.resolve("quorate.args"));
		train(pieces);
		Path mark = Files.createFile(pieces.resolve("made-from"));
		Files.setLastModifiedTime(mark, Files.getLastModifiedTime(jar));
	}

	private static void extract(Path jar, Path pieces) throws IOException {
		Path output = pieces.resolveSibling(pieces.getFileName() + ".log");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Djarmode=tools", "-jar", jar.toString(), "extract", "--destination", pieces.toString(),
				"--application-filename", "quorate.jar")
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).as(Files.readString(output)).isTrue();
		}
		catch (InterruptedException stop) {
			throw new IllegalStateException(stop);
		}
		finally {
			process.destroyForcibly();
		}
		assertThat(process.exitValue()).as(Files.readString(output)).isZero();
	}

	/* A node that is stopped writes the cache of what it has loaded, with a peer. */
	private static void train(Path pieces) throws IOException {
		Path cache = pieces.resolve("quorate.aot");
		Path home = Files.createTempDirectory(pieces, "training");
		try (ClusterProcesses cluster = ClusterProcesses.in(home, 2)
			.each((node) -> node.withJar(pieces.resolve("quorate.jar")))
			// The JVM uses a cache only with the collector with which it was made.
			.each((node) -> QUICK.forEach(node::withJvm))
			.one("n1", (node) -> node.withJvm("-XX:AOTCacheOutput=" + cache))
			.start()) {
			NodeClient client = cluster.client("n1").patient();
			assertThat(client.put("trained", new byte[100]).statusCode()).isEqualTo(201);
			assertThat(client.getPath("/v0/entities?prefix=trained").statusCode()).isEqualTo(200);
			cluster.terminate("n1");
		}
		catch (InterruptedException stop) {
			throw new IllegalStateException(stop);
		}
		assertThat(cache).isNotEmptyFile();
		FileSystemUtils.deleteRecursively(home);
	}

}
