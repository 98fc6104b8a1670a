package io.quorate.process;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Backups of nodes under load, by the program's own commands: a whole cluster that is
 * restored from them, and one node of a cluster that lives on.
 */
class BackupIT {

	private static final int WRITERS = 3;

	private static final int KEYS = Scale.of(15, 3000);

	/* Of each writer, between its writes. */
	private static final Duration INTERVAL = Duration.ofMillis(Scale.of(10, 1));

	/* Every so-many-th version of a key is a deletion, every so-many-th is large. */
	private static final int DELETED = 7;

	private static final int LARGE = 11;

	private static final int LARGE_BYTES = 40_000;

	private static final Duration LIMIT = Duration.ofMinutes(Scale.of(3, 10));

	private ClusterProcesses cluster = ClusterProcesses.none();

	/* By key, the last version that was begun, and the last that was acknowledged. */
	private final AtomicLongArray begun = new AtomicLongArray(WRITERS * KEYS);

	private final AtomicLongArray acknowledged = new AtomicLongArray(WRITERS * KEYS);

	private final AtomicBoolean stopped = new AtomicBoolean();

	@TempDir
	Path home;

	@BeforeEach
	void startCluster() throws IOException {
		this.cluster = ClusterProcesses.in(this.home.resolve("nodes"), 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.coordinator.max-timeout", "5s")
			.with("quorate.repair.interval", "1s")
			.start();
	}

	@AfterEach
	void stopCluster() {
		this.cluster.close();
	}

	@Test
	void aWholeClusterIsRestoredToWhatItWasUnderLoad() throws Exception {
		long[] least;
		long[] most;
		try (Workers workers = Workers.begin(WRITERS, this::write)) {
			awaitVersions(3);
			least = versions(this.acknowledged);
			long began = System.nanoTime();
			List<String> urls = this.cluster.nodes().stream().map((node) -> node.uri("").toString()).toList();
			assertThat(command(0, "backup", urls)).contains("\"sizeBytes\"");
			Duration took = Duration.ofNanos(System.nanoTime() - began);
			most = versions(this.begun);
			awaitVersions(LongStream.of(most).max().orElseThrow() + 2);
			this.stopped.set(true);
			workers.join(LIMIT);
			Scale.report("BackupIT: %d keys under load, all nodes backed up in %d ms with the start of the command"
				.formatted(least.length, took.toMillis()));
		}
		for (String name : this.cluster.names()) {
			FileSystemUtils.copyRecursively(backupOf(name), elsewhere(name));
			this.cluster.kill9(name);
		}
		for (String name : this.cluster.names()) {
			this.cluster.wipe(name);
			assertThat(command(0, "restore",
					List.of("--whole-cluster", elsewhere(name).toString(), this.cluster.node(name).data().toString())))
				.contains("Incarnation 1 of the cluster");
		}
		this.cluster.start();
		for (String name : this.cluster.names()) {
			requireVersions(name, least, most);
			assertThat(this.cluster.node(name).logOfThisStart()).doesNotContain("is to be rebuilt");
		}
		StoreDigests.awaitSame(this.cluster, LIMIT);
		assertThat(this.cluster.alarms()).isEmpty();
	}

	/*
	 * The others live on also in spite of an operator who takes it for the whole cluster.
	 */
	@Tag(Scale.FULL)
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void oneNodeThatIsRestoredIsRebuiltAndNobodyReadsWrong(boolean isTakenForAll) throws Exception {
		try (Workers workers = Workers.begin(WRITERS, this::write)) {
			awaitVersions(2);
			HttpResponse<byte[]> answer = this.cluster.client("n1").postPath("/actuator/backup", "{}");
			assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(200);
			awaitVersions(LongStream.of(versions(this.begun)).max().orElseThrow() + 2);
			this.stopped.set(true);
			workers.join(LIMIT);
		}
		long[] all = versions(this.acknowledged);
		this.cluster.terminate("n1");
		Path data = this.cluster.node("n1").data();
		assertThat(command(1, "restore", List.of(backupOf("n1").toString(), data.toString()))).contains("is not empty");
		assertThat(command(0, "restore", List.of("--verify", backupOf("n1").toString()))).contains("is whole");
		List<String> arguments = new ArrayList<>(List.of("--replace", backupOf("n1").toString(), data.toString()));
		if (isTakenForAll) {
			arguments.add("--whole-cluster");
		}
		assertThat(command(0, "restore", arguments))
			.contains(isTakenForAll ? "Incarnation 1 of the cluster" : "it will be rebuilt");
		this.cluster.restart("n1");
		await().atMost(LIMIT).until(() -> this.cluster.node("n1").logOfThisStart().contains("is to be rebuilt"));
		requireVersions("n0", all, versions(this.begun));
		await().atMost(LIMIT)
			.until(() -> this.cluster.client("n1").getPath("/actuator/health/readiness").statusCode() == 200);
		this.cluster.awaitConnected();
		requireVersions("n1", all, versions(this.begun));
		StoreDigests.awaitSame(this.cluster, LIMIT);
		assertThat(this.cluster.alarms()).isEmpty();
		assertThat(backupOf("n1")).as("stays").isDirectory();
	}

	/* Two disks of three are lost, and the nodes that are empty meet first. */
	@Tag(Scale.FULL)
	@Test
	void theOnlyBackupOutlivesEmptyNodesThatMeetBeforeIt() throws Exception {
		try (Workers workers = Workers.begin(WRITERS, this::write)) {
			awaitVersions(2);
			this.stopped.set(true);
			workers.join(LIMIT);
		}
		long[] all = versions(this.acknowledged);
		StoreDigests.awaitSame(this.cluster, LIMIT);
		assertThat(this.cluster.client("n1").postPath("/actuator/backup", "{}").statusCode()).isEqualTo(200);
		FileSystemUtils.copyRecursively(backupOf("n1"), elsewhere("n1"));
		for (String name : this.cluster.names()) {
			this.cluster.kill9(name);
			this.cluster.wipe(name);
		}
		command(0, "restore",
				List.of("--whole-cluster", elsewhere("n1").toString(), this.cluster.node("n1").data().toString()));
		this.cluster.start("n0", "n2");
		await().atMost(LIMIT).until(() -> client("n0").put("later", value(0, 1)).statusCode() == 201);
		this.cluster.start("n1");
		StoreDigests.awaitSame(this.cluster, LIMIT);
		requireVersions("n0", all, versions(this.begun));
		assertThat(client("n1").get("later").statusCode()).isEqualTo(200);
		for (String name : this.cluster.names()) {
			assertThat(this.cluster.node(name).logOfThisStart()).doesNotContain("is to be rebuilt");
		}
		assertThat(this.cluster.alarms()).isEmpty();
	}

	private void write(int writer) throws IOException, InterruptedException {
		Pace pace = new Pace(INTERVAL);
		for (long version = 1; !this.stopped.get(); version++) {
			for (int i = writer * KEYS; i < (writer + 1) * KEYS && !this.stopped.get(); i++) {
				NodeClient client = client(this.cluster.names().get(i % 3));
				this.begun.set(i, version);
				int status = (version % DELETED == 0) ? client.delete("key-" + i).statusCode()
						: client.put("key-" + i, value(i, version)).statusCode();
				assertThat(status).isIn(201, 202);
				this.acknowledged.set(i, version);
				pace.await();
			}
		}
	}

	private static byte[] value(int key, long version) {
		String text = key + ":" + version + ";";
		return (version % LARGE == 0 ? text.repeat(LARGE_BYTES / text.length()) : text)
			.getBytes(StandardCharsets.UTF_8);
	}

	private NodeClient client(String name) {
		return this.cluster.client(name).with("replicas=2/3").within(Duration.ofSeconds(5)).patient();
	}

	private void awaitVersions(long version) {
		await().atMost(LIMIT).until(() -> LongStream.of(versions(this.acknowledged)).min().orElseThrow() >= version);
	}

	private static long[] versions(AtomicLongArray of) {
		return LongStream.range(0, of.length()).map((i) -> of.get((int) i)).toArray();
	}

	/** That each key has one of its versions from the least to the most. */
	private void requireVersions(String name, long[] least, long[] most) throws Exception {
		for (int i = 0; i < least.length; i++) {
			NodeAnswer answer = client(name).get("key-" + i);
			int key = i;
			assertThat(LongStream.rangeClosed(least[i], most[i]).boxed())
				.as("%s: key-%d is answered %d from %s", name, i, answer.statusCode(), text(answer))
				.anyMatch((version) -> isVersion(answer, key, version));
		}
	}

	private static boolean isVersion(NodeAnswer answer, int key, long version) {
		return (version % DELETED == 0) ? answer.statusCode() == 404 : answer.statusCode() == 200
				&& text(answer).equals(new String(value(key, version), StandardCharsets.UTF_8));
	}

	private static String text(NodeAnswer answer) {
		return NodeClient.text(answer);
	}

	private Path elsewhere(String name) {
		return this.home.resolve("elsewhere").resolve(name);
	}

	private Path backupOf(String name) throws IOException {
		try (Stream<Path> all = Files.list(this.cluster.node(name).data().resolve("backups"))) {
			List<Path> found = all.toList();
			assertThat(found).hasSize(1);
			return found.getFirst();
		}
	}

	/** What a command of the program prints, which ends as expected. */
	private String command(int exit, String name, List<String> arguments) throws IOException, InterruptedException {
		return ProgramCommand.run(exit, this.home, LIMIT, name, arguments);
	}

}
