package io.quorate.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A node in a process of its own, on a port of its own and with data in a directory of
 * its own, which stays over restarts. Its log is kept, all starts in one file. Gone at
 * the latest when it is closed, however the test ends. Used by one thread.
 */
final class NodeProcess implements AutoCloseable {

	/**
	 * An argument for a JVM whose speed is measured: one buffer in a hundred is watched,
	 * as by default, not each.
	 */
	static final String AS_DEPLOYED = "-Dio.netty.leakDetection.level=simple";

	private static final Duration START = Duration.ofMinutes(3);

	private static final Duration STOP = Duration.ofSeconds(150);

	/* Where logs are kept beyond their test; empty for nowhere. */
	private static final String LOGS = System.getProperty("quorate.node.logs", "");

	private static final Pattern PORT = Pattern.compile("Netty started on port (\\d+) \\(https?\\)");

	private final Path home;

	private final List<String> jvmArguments = new ArrayList<>();

	private final List<String> properties = new ArrayList<>();

	private final Map<String, String> environment = new TreeMap<>();

	/* Hundreds of nodes start, which few requests are sent to. */
	private @Nullable Path jar;

	private @Nullable SSLContext tls;

	private @Nullable Process process;

	private long logStart;

	/* Clients of other threads read it. */
	private volatile int port;

	private NodeProcess(Path home) {
		this.home = home;
	}

	/** A node that is not started yet, whose data and log are under a directory. */
	static NodeProcess in(Path home) {
		return new NodeProcess(home).with("server.port", "0")
			.with("quorate.storage.directory", home.resolve("data").toString());
	}

	/** With a heap of this size, such as {@code 96m}. */
	NodeProcess withHeap(String size) {
		this.jvmArguments.add("-Xmx" + size);
		return this;
	}

	/** With an argument of its JVM. */
	NodeProcess withJvm(String argument) {
		this.jvmArguments.add(argument);
		return this;
	}

	/** Without an argument of its JVM. */
	NodeProcess withoutJvm(String argument) {
		this.jvmArguments.remove(argument);
		return this;
	}

	/** With a variable in its environment. */
	NodeProcess withEnvironment(String name, String value) {
		this.environment.put(name, value);
		return this;
	}

	/** With a property, in the place of what it was before. */
	NodeProcess with(String name, String value) {
		without(name);
		this.properties.add("--" + name + "=" + value);
		return this;
	}

	/** With the program of another build from now on. */
	NodeProcess withJar(Path jar) {
		this.jar = jar;
		return this;
	}

	/** With HTTPS on the port for clients, which trust it by this context. */
	NodeProcess withTls(SSLContext trusting) {
		this.tls = trusting;
		return this;
	}

	boolean isOfThisBuild() {
		return this.jar == null;
	}

	/** With the program of this build again. */
	NodeProcess withBuild() {
		this.jar = null;
		return this;
	}

	NodeProcess without(String name) {
		this.properties.removeIf((property) -> property.startsWith("--" + name + "="));
		return this;
	}

	/** Starts the process, and returns when the node serves. */
	NodeProcess start() throws IOException {
		launch();
		awaitServing();
		return this;
	}

	/** Starts the process and does not wait for anything. */
	NodeProcess launch() throws IOException {
		assertThat(isAlive()).as("runs already").isFalse();
		Files.createDirectories(this.home);
		if (!Files.exists(logFile())) {
			Files.createFile(logFile());
		}
		this.logStart = Files.size(logFile());
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		Collections.addAll(command, System.getProperty("quorate.jvm.arguments").split(" ", -1));
		command.add("-XX:ErrorFile=" + this.home.resolve("hs_err_pid%p.log"));
		Collections.addAll(command, System.getProperty("quorate.leak.arguments").split(" ", -1));
		command.addAll(this.jvmArguments);
		command.addAll((this.jar != null) ? List.of("-jar", this.jar.toString()) : BuiltNode.arguments());
		command.addAll(this.properties);
		ProcessBuilder builder = new ProcessBuilder(command).directory(this.home.toFile())
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()));
		builder.environment().putAll(this.environment);
		this.process = builder.start();
		return this;
	}

	/** Returns when the process that was launched serves. */
	void awaitServing() {
		await().atMost(START).pollInterval(Duration.ofMillis(25)).until(() -> {
			assertThat(isAlive()).as("the node runs; its log: %s", logOfThisStart()).isTrue();
			return isServing();
		});
	}

	private boolean isServing() throws IOException {
		Matcher started = PORT.matcher(logOfThisStart());
		if (!started.find()) {
			return false;
		}
		this.port = Integer.parseInt(started.group(1));
		int status = NodeClient.of(this).status();
		return status == 200 || status == 401;
	}

	/** Ends the process at once, as a loss of power would, and waits for its end. */
	void kill9() throws InterruptedException {
		running().destroyForcibly();
		awaitExit();
	}

	/** Asks the process to stop, and waits until it has. */
	int terminate() throws InterruptedException {
		running().destroy();
		return awaitExit();
	}

	/** Asks the process to stop, and does not wait. */
	void tell() {
		running().destroy();
	}

	/** Stops all its threads where they are, and returns when they stand still. */
	void freeze() throws IOException, InterruptedException {
		signal("STOP");
		await().atMost(STOP).pollInterval(Duration.ofMillis(1)).until(() -> state() == 'T');
	}

	/** Lets it go on after it was frozen. */
	void thaw() throws IOException, InterruptedException {
		signal("CONT");
	}

	private void signal(String name) throws IOException, InterruptedException {
		Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).inheritIO().start();
		assertThat(kill.waitFor()).as("kill -%s of a process that is %s", name, isAlive() ? "alive" : "dead").isZero();
	}

	/** As the kernel has it: {@code T} if it is stopped. */
	private char state() throws IOException {
		String stat = Files.readString(Path.of("/proc", Long.toString(pid()), "stat"));
		return stat.charAt(stat.lastIndexOf(')') + 2);
	}

	/** Waits for the end of the process; its exit code. */
	int awaitExit() throws InterruptedException {
		assertThat(running().waitFor(STOP.toSeconds(), TimeUnit.SECONDS)).as("the process ends; its log: %s", log())
			.isTrue();
		return running().exitValue();
	}

	boolean isAlive() {
		return this.process != null && this.process.isAlive();
	}

	long pid() {
		return running().pid();
	}

	int port() {
		return this.port;
	}

	URI uri(String pathAndQuery) {
		return URI.create(((this.tls != null) ? "https" : "http") + "://127.0.0.1:" + this.port + pathAndQuery);
	}

	/** What clients trust it by, {@code null} without HTTPS. */
	@Nullable SSLContext tls() {
		return this.tls;
	}

	/** Where the node keeps its data. */
	Path data() {
		return this.home.resolve("data");
	}

	/** Everything that the node has printed, of all starts. */
	String log() {
		return logFrom(0);
	}

	/** What it has printed since its last start. */
	String logOfThisStart() {
		return logFrom(this.logStart);
	}

	/** Lines that no healthy node prints, of all starts. */
	List<String> alarms() {
		return log().lines()
			.filter((line) -> line.contains(" ERROR ") || line.contains("LEAK") || line.contains("OutOfMemoryError")
					|| line.contains("Exception"))
			.toList();
	}

	/** Number of files and sockets that the process has open. */
	int openFiles() throws IOException {
		try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(pid()), "fd"))) {
			return (int) open.count();
		}
	}

	/** The most memory that the process ever had resident, in bytes. */
	long peakResidentBytes() throws IOException {
		return memory("VmHWM:");
	}

	/** The memory that the process has resident, in bytes. */
	long residentBytes() throws IOException {
		return memory("VmRSS:");
	}

	private long memory(String name) throws IOException {
		String found = Files.readAllLines(Path.of("/proc", Long.toString(pid()), "status"))
			.stream()
			.filter((line) -> line.startsWith(name))
			.findFirst()
			.orElseThrow();
		return Long.parseLong(found.replaceAll("\\D", "")) * 1024;
	}

	private String logFrom(long offset) {
		try {
			byte[] all = Files.readAllBytes(logFile());
			return new String(all, (int) offset, all.length - (int) offset, StandardCharsets.UTF_8);
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

	private Path logFile() {
		return this.home.resolve("log");
	}

	private Process running() {
		Process current = this.process;
		if (current == null) {
			throw new IllegalStateException("never started");
		}
		return current;
	}

	@Override
	public void close() {
		if (this.process != null) {
			this.process.destroyForcibly().onExit().orTimeout(STOP.toSeconds(), TimeUnit.SECONDS).join();
			keepLog();
		}
	}

	/* The directories of tests are gone when all of their output is searched. */
	private void keepLog() {
		if (LOGS.isEmpty() || !Files.exists(logFile())) {
			return;
		}
		try {
			Path kept = Files.createDirectories(Path.of(LOGS));
			Files.copy(logFile(), kept.resolve(pid() + ".log"), StandardCopyOption.REPLACE_EXISTING);
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

}
