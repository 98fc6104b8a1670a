package io.quorate.process;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * {@code bin/cluster} as its user has it: the README's examples, and no process that is
 * left when it has ended. Needs {@code bash}, {@code ps} and {@code curl}, and for what
 * watches it Prometheus.
 */
@Tag(Scale.FULL)
class ClusterScriptIT {

	private static final int NODES = 3;

	/* With the one that joins. */
	private static final int MOST = NODES + 1;

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private static final String SCRIPT = Path.of("bin", "cluster").toAbsolutePath().toString();

	@TempDir
	private Path home;

	private int port;

	private int internodePort;

	private int prometheusPort;

	private final List<Process> started = new ArrayList<>();

	@BeforeEach
	void choosePorts() throws IOException {
		this.port = FreePorts.first(2 * MOST + 1);
		this.internodePort = this.port + MOST;
		this.prometheusPort = this.port + 2 * MOST;
	}

	@AfterEach
	void endWhatIsLeft() {
		for (Process process : this.started) {
			process.descendants().forEach(ProcessHandle::destroyForcibly);
			process.destroyForcibly();
		}
	}

	@Test
	void theExamplesOfTheReadmeWork() throws Exception {
		Process cluster = start(Map.of());
		awaitComplete(cluster);
		List<ProcessHandle> nodes = cluster.descendants().filter(ClusterScriptIT::isNode).toList();
		assertThat(nodes).hasSize(NODES);
		List<ConsoleExample> examples = ConsoleExample.ofReadme("A cluster");
		assertThat(examples).hasSizeGreaterThan(5);
		for (ConsoleExample example : examples) {
			example.verify(this::here);
		}
		assertThat(run("freeze", "n2")).isEqualTo("n2 is frozen.\n");
		assertThat(run("status")).contains("n0   serves").contains("n2   frozen");
		List<ProcessHandle> last = cluster.descendants().toList();
		cluster.destroy();
		assertThat(cluster.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
		assertThat(cluster.exitValue()).isEqualTo(143);
		awaitEnd(Stream.concat(nodes.stream(), last.stream()).toList());
		assertThat(run("status")).contains("n0   down").contains("n1   down").contains("n2   down");
	}

	@Test
	void aClusterStartsWithTheMembersThatItHas() throws Exception {
		Process first = start();
		awaitComplete(first);
		String key = "/v0/entity/kept";
		assertThat(shell("curl -X PUT -d kept -w '%{http_code}' " + url(0) + key)).isEqualTo("201");
		assertThat(run("add")).endsWith("n3 has joined, and serves at %s\n".formatted(url(3)));
		assertThat(run("add", "n3")).isEqualTo("n3 has joined, and serves at %s\n".formatted(url(3)));
		assertThat(run("remove", "n1")).endsWith("n1 has left the cluster, and is stopped. Its data stays in "
				+ Path.of(data(), "n1") + ", and is not started again.\n");
		assertThat(run("status")).contains("n0   serves", "n2   serves", "n3   serves").doesNotContain("n1");
		assertThat(fails("start", "n1")).contains("n1 has left the cluster");
		await().atMost(LIMIT)
			.untilAsserted(() -> assertThat(fails("remove", "n2"))
				.contains("409 the replication factor must be 1 to the number of members")
				.doesNotContain("n2 has left"));
		assertThat(run("stop")).isEqualTo("All nodes are stopped.\n");
		Process second = start();
		awaitComplete(second);
		assertThat(output()).contains("n0 serves at", "n2 serves at", "n3 serves at").doesNotContain("n1 serves at");
		assertThat(shell("curl " + url(3) + key + "?replicas=2/3")).isEqualTo("kept");
		assertThat(run("stop")).isEqualTo("All nodes are stopped.\n");
	}

	@Test
	void aNodeThatIsRefusedIsStoppedAndTriedAgain() throws Exception {
		Process cluster = start();
		awaitComplete(cluster);
		run("kill", "n2");
		assertThat(fails("add")).contains("wait until it is up, or declare the member that goes dead",
				"n3 has not joined, and is stopped. 'bin/cluster add n3' tries it again.");
		assertThat(run("status")).contains("n3   down");
		assertThat(fails("start", "n3")).contains("n3 has not joined the cluster");
		run("start", "n2");
		assertThat(run("add")).contains("n3 has joined");
		assertThat(fails("remove", "n1", "--dead")).contains("n1 runs: kill it first");
		run("kill", "n1");
		assertThat(run("remove", "n1", "--dead")).contains("n1 has left the cluster, and is stopped.");
		assertThat(run("stop")).isEqualTo("All nodes are stopped.\n");
	}

	private void awaitComplete(Process cluster) throws IOException {
		await().atMost(LIMIT).until(() -> !cluster.isAlive() || output().contains("The cluster is complete"));
		assertThat(cluster.isAlive()).as(output()).isTrue();
	}

	private String url(int node) {
		return "http://localhost:" + (this.port + node);
	}

	@Test
	void aSecureClusterAsksForTokensAndKeepsThemOverAStart() throws Exception {
		Process failed = start("2", "--secure", "--quorate.coordinator.timeout=soon");
		assertThat(failed.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
		assertThat(output()).contains("n0 did not start");
		Map<String, String> made = secureFiles();
		assertThat(made).containsKeys("access.yml", "app.token", "ops.header", "nodes-ca.key", "clients-ca.crt");
		soonExpired();
		Process cluster = start("2", "--secure");
		awaitComplete(cluster);
		assertThat(secureFiles()).containsAllEntriesOf(made);
		assertThat(Files.mismatch(secure("127.0.0.1/server.crt"), secure("soon.crt"))).as("renewed").isNotNegative();
		String url = "https://localhost:" + this.port;
		List<String> lines = output().lines().filter((line) -> line.startsWith("  curl ")).toList();
		assertThat(lines).hasSize(3);
		assertThat(shell(lines.get(0) + " -w '%{http_code}'")).isEqualTo("201");
		assertThat(shell(lines.get(1))).isEqualTo("hello");
		assertThat(shell(lines.get(2))).contains("\"status\":\"UP\"", "\"mode\":\"required\"");
		assertThat(shell("curl --cacert %s %s/v0/entity/greeting".formatted(secure("clients-ca.crt"), url)))
			.contains("\"status\":401");
		assertThat(run("status")).contains("n0   serves  " + url);
		assertThat(run("kill", "n1")).isEqualTo("n1 is killed.\n");
		assertThat(run("start", "n1")).isEqualTo("n1 serves at https://localhost:" + (this.port + 1) + "\n");
		assertThat(run("stop")).isEqualTo("All nodes are stopped.\n");
		assertThat(output() + Files.readString(Path.of(data(), "n0", "log"))).doesNotContain(
				made.getOrDefault("app.token", "qk_").strip(), made.getOrDefault("ops.token", "qk_").strip());
	}

	private Path secure(String file) {
		return Path.of(data(), "secure", file);
	}

	/* The contents that stay, by name, of files that their owner alone can read. */
	private Map<String, String> secureFiles() throws IOException {
		Map<String, String> contents = new TreeMap<>();
		try (Stream<Path> files = Files.list(secure("."))) {
			for (Path file : files.filter(Files::isRegularFile).toList()) {
				assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
				contents.put(file.getFileName().toString(), Files.readString(file));
			}
		}
		return contents;
	}

	private void soonExpired() throws Exception {
		shell("%s --days 20 %s 127.0.0.1".formatted(Path.of("bin", "certificates").toAbsolutePath(), secure(".")));
		Files.copy(secure("127.0.0.1/server.crt"), secure("soon.crt"));
	}

	private static String shell(String line) throws IOException, InterruptedException {
		String quiet = line.replaceFirst("^ *curl", "curl -sS --max-time 120");
		Process process = new ProcessBuilder("bash", "-c", quiet).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isZero();
		return output;
	}

	@Test
	void aPortInUseIsSaidBeforeAnythingStarts() throws Exception {
		try (ServerSocket taken = new ServerSocket(this.internodePort + 1, 1, InetAddress.getLoopbackAddress())) {
			Process cluster = start();
			assertThat(cluster.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
			assertThat(cluster.exitValue()).isEqualTo(1);
			assertThat(output()).contains("Port " + taken.getLocalPort() + ", of n1 between the nodes, is in use");
			assertThat(this.home.resolve("cluster").resolve("n0")).doesNotExist();
		}
	}

	@Test
	void aNodeThatDoesNotStartEndsAllAndShowsItsLog() throws Exception {
		Process cluster = start("--quorate.coordinator.timeout=soon");
		assertThat(cluster.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
		assertThat(cluster.exitValue()).isEqualTo(1);
		assertThat(output()).contains("n0 did not start. The end of its log").contains("quorate.coordinator.timeout");
		assertThat(run("status")).contains("n0   down").contains("n1   down").contains("n2   down");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aPrometheusWatchesTheClusterFromStartToEnd(boolean isSecure) throws Exception {
		String path = Path.of(PrometheusProcess.binary("prometheus")).getParent() + ":" + System.getenv("PATH");
		Process cluster = start(Map.of("PATH", path), isSecure ? "--secure" : "--port=" + this.port, "1",
				"--with-prometheus", "--prometheus-port", Integer.toString(this.prometheusPort),
				"--quorate.cluster.name=watched");
		await().atMost(LIMIT).until(() -> !cluster.isAlive() || output().contains("The cluster is complete"));
		assertThat(output()).contains("Prometheus watches them at http://localhost:" + this.prometheusPort);
		assertThat(run("status")).contains("Prometheus   http://localhost:" + this.prometheusPort);
		PrometheusProcess.Client client = PrometheusProcess.Client.at(this.prometheusPort);
		await().atMost(LIMIT)
			.ignoreExceptions()
			.until(() -> !client.query("up{cluster=\"watched\",node=\"n0\"} == 1").isEmpty()
					&& !client.query("quorate_ready{cluster=\"watched\",node=\"n0\"} == 1").isEmpty());
		assertThat(client.rules()).hasSize(WatchFiles.rules().size());
		List<ProcessHandle> all = cluster.descendants().toList();
		cluster.destroy();
		assertThat(cluster.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
		assertThat(all).hasSizeGreaterThanOrEqualTo(2);
		awaitEnd(all);
		assertThat(run("status")).contains("n0   down").doesNotContain("Prometheus");
	}

	@Test
	void portsOfTwoServersThatAreTheSameAreRefused() throws Exception {
		int last = this.port + NODES - 1;
		for (List<String> same : List.of(List.of("--internode-port", Integer.toString(last)),
				List.of("--with-prometheus", "--prometheus-port", Integer.toString(last)),
				List.of("--with-prometheus", "--prometheus-port", Integer.toString(this.internodePort)))) {
			Process cluster = start(same.toArray(String[]::new));
			assertThat(cluster.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
			assertThat(cluster.exitValue()).isEqualTo(1);
			assertThat(output()).contains(same.get(same.size() - 2) + " " + same.getLast())
				.contains("would give one port to two servers");
			assertThat(this.home.resolve("cluster")).doesNotExist();
		}
	}

	@Test
	void aMissingPrometheusIsSaidBeforeAnythingStarts() throws Exception {
		Path programs = Files.createDirectory(this.home.resolve("programs"));
		for (String program : List.of("bash", "dirname", "basename", "cat", "ps", "sort", "wc", "mkdir")) {
			Path itself = Files.writeString(programs.resolve(program),
					"#!/bin/sh\nexec %s \"$@\"\n".formatted(onPath(program)));
			Files.setPosixFilePermissions(itself, PosixFilePermissions.fromString("rwx------"));
		}
		Process cluster = start(Map.of("PATH", programs.toString()), "--with-prometheus");
		assertThat(cluster.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
		assertThat(cluster.exitValue()).isEqualTo(1);
		assertThat(output()).startsWith("prometheus is not on the PATH").contains("apt install prometheus");
		assertThat(this.home.resolve("cluster").resolve("n0")).doesNotExist();
	}

	/** Who has ended is there until its new parent has taken note. */
	private static void awaitEnd(List<ProcessHandle> processes) {
		await().atMost(LIMIT).untilAsserted(() -> assertThat(processes).noneMatch(ProcessHandle::isAlive));
	}

	private static Path onPath(String program) {
		return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
			.map((directory) -> Path.of(directory, program))
			.filter(Files::isExecutable)
			.findFirst()
			.orElseThrow();
	}

	private static boolean isNode(ProcessHandle process) {
		return process.info().command().orElse("").endsWith("java");
	}

	private Process start(String... arguments) throws IOException {
		return start(Map.of(), arguments);
	}

	private Process start(Map<String, String> environment, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(List.of(SCRIPT, "--port", Integer.toString(this.port),
				"--internode-port", Integer.toString(this.internodePort), "--data", data()));
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(withEnvironment(environment, command)).redirectErrorStream(true)
			.redirectOutput(this.home.resolve("output").toFile())
			.start();
		this.started.add(process);
		return process;
	}

	/* env(1) replaces itself by the script, so that its process is ours. */
	private static List<String> withEnvironment(Map<String, String> environment, List<String> command)
			throws IOException {
		Map<String, String> variables = new TreeMap<>(BuiltNode.environment("-Xmx192m -XX:TieredStopAtLevel=1"));
		variables.putAll(environment);
		List<String> all = new ArrayList<>(List.of("env"));
		variables.forEach((name, value) -> all.add(name + "=" + value));
		all.addAll(command);
		return all;
	}

	/* On a busy machine a member may be suspect for a moment, which refuses a change. */
	private String run(String... words) throws IOException, InterruptedException {
		long limit = System.nanoTime() + LIMIT.toNanos();
		while (true) {
			Ended command = ended(words);
			if (command.isSuccess()) {
				return command.output();
			}
			assertThat(command.output()).contains(ChangingCluster.NOT_UP);
			assertThat(System.nanoTime()).as(command.output()).isLessThan(limit);
		}
	}

	private String fails(String... words) throws IOException, InterruptedException {
		Ended command = ended(words);
		assertThat(command.isSuccess()).as(command.output()).isFalse();
		return command.output();
	}

	private record Ended(boolean isSuccess, String output) {
	}

	private Ended ended(String... words) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of(SCRIPT, "--data", data()));
		command.addAll(List.of(words));
		Process process = new ProcessBuilder(withEnvironment(Map.of(), command)).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		return new Ended(process.waitFor() == 0, output);
	}

	private String here(String text) {
		String here = text.replaceFirst("^bin/cluster ", SCRIPT + " --data " + data() + " ");
		for (int node = 0; node < MOST; node++) {
			here = here.replace("http://localhost:" + (8080 + node), "http://localhost:" + (this.port + node));
		}
		return here;
	}

	private String data() {
		return this.home.resolve("cluster").toString();
	}

	private String output() throws IOException {
		return Files.readString(this.home.resolve("output"));
	}

}
