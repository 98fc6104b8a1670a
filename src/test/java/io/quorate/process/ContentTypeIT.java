package io.quorate.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The content types of values on each way that an entry takes to a replica: with its
 * write, by a hint, by a comparison, by a rebuild, and out of a backup; through kills
 * each time. The keys of each test are its own.
 */
@Tag(Scale.FULL)
class ContentTypeIT extends SharedCluster {

	private static final List<String> TYPES = List.of("text/plain", "text/html; charset=utf-8", "application/json",
			"image/svg+xml", "x-a/" + "b".repeat(251));

	private static final int KEYS = 3 * TYPES.size();

	private static final int LARGE_BYTES = 100_000;

	@TempDir
	Path home;

	@Test
	void aReplicaGetsTypesWithEachWayOfItsRepair() throws Exception {
		write("n0", "together", "3/3");
		requireAll("n2", "together");

		this.cluster.kill9("n2");
		write("n0", "hint", "2/3");
		this.cluster.restart("n2");
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(
					MeterReadings.of(this.cluster.client("n0")).sumOfSome("quorate_hints_owed", "peer=\"n2\""))
				.isZero());
		requireAlone("n2", "together", "hint");

		this.cluster.kill9("n2");
		write("n0", "comparison", "2/3");
		Instant written = Instant.now();
		for (String holder : List.of("n0", "n1")) {
			this.cluster.kill9(holder);
			FileSystemUtils.deleteRecursively(this.cluster.node(holder).data().resolve("hints"));
		}
		this.cluster.start("n0", "n1", "n2");
		this.cluster.awaitConnected();
		awaitCompared(written);
		repair("n2", "{}", 2);
		requireAlone("n2", "together", "hint", "comparison");

		this.cluster.kill9("n1");
		this.cluster.restartWiped("n1");
		await().atMost(PATIENCE)
			.until(() -> !consistency("n1").get("rebuilding").asBoolean()
					&& this.cluster.client("n1").getPath("/actuator/health/readiness").statusCode() == 200);
		this.cluster.awaitConnected();
		requireAlone("n1", "together", "hint", "comparison");
		requireLines("n0", "comparison");
		assertThat(this.cluster.alarms()).isEmpty();
	}

	@Test
	void aBackupHasTheTypes() throws Exception {
		write("n0", "kept", "3/3");
		Instant written = Instant.now();
		assertThat(this.cluster.client("n1").postPath("/actuator/backup", "{}").statusCode()).isEqualTo(200);
		Path elsewhere = this.home.resolve("elsewhere");
		FileSystemUtils.copyRecursively(backupOf("n1"), elsewhere);
		for (String name : this.cluster.names()) {
			this.cluster.kill9(name);
			this.cluster.wipe(name);
		}
		ProgramCommand.run(0, this.home, PATIENCE, "restore",
				List.of("--whole-cluster", elsewhere.toString(), this.cluster.node("n1").data().toString()));
		this.cluster.start("n0", "n1", "n2");
		this.cluster.awaitConnected();
		// The other two begin with nothing, and get all from their comparisons.
		awaitCompared(written);
		repair("n1", "{}", NODES - 1);
		requireAll("n0", "kept");
		requireAlone("n1", "kept");
	}

	/* A new cluster keeps them as soon as its members have met. */
	@BeforeAll
	void awaitFinalized() {
		for (String name : this.cluster.names()) {
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(NodeClient.text(this.cluster.client(name).getPath("/actuator/upgrade")))
					.contains("\"finalized\":true"));
		}
	}

	private static @Nullable String type(int number) {
		return (number % 3 == 2) ? null : TYPES.get(number % TYPES.size());
	}

	private static byte[] value(String prefix, int number) {
		return Contents.of(prefix, number, (number % 4 == 3) ? LARGE_BYTES : 100);
	}

	private void write(String node, String prefix, String replicas) throws Exception {
		NodeClient client = this.cluster.client(node).with("replicas=" + replicas).within(DEADLINE).patient();
		for (int number = 0; number < KEYS; number++) {
			NodeAnswer answer = client.put(prefix + number, value(prefix, number), type(number));
			assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(201);
		}
	}

	private void requireAll(String node, String... prefixes) throws Exception {
		requireAll(this.cluster.client(node).with("replicas=2/3").within(DEADLINE).patient(), prefixes);
	}

	/** That the node itself has them after a kill: no other one can answer. */
	private void requireAlone(String node, String... prefixes) throws Exception {
		this.cluster.kill9(node);
		this.cluster.restart(node);
		this.cluster.awaitConnected();
		this.cluster.freezeOthers(node);
		requireAll(this.cluster.client(node).with("replicas=1/3").within(DEADLINE).patient(), prefixes);
		this.cluster.heal();
	}

	private static void requireAll(NodeClient client, String... prefixes) throws Exception {
		for (String prefix : prefixes) {
			for (int number = 0; number < KEYS; number++) {
				NodeAnswer answer = client.get(prefix + number);
				assertThat(answer.statusCode()).as("%s%d: %s", prefix, number, NodeClient.text(answer)).isEqualTo(200);
				assertThat(answer.body()).isEqualTo(value(prefix, number));
				String type = type(number);
				assertThat(answer.contentType()).as("%s%d", prefix, number)
					.isEqualTo((type != null) ? type : "application/octet-stream");
				if (type == null) {
					// The client would not notice that the field is missing.
					assertThat(client.getPath("/v0/entity?replicas=1/3&id=" + prefix + number)
						.headers()
						.firstValue("Content-Type")).hasValue("application/octet-stream");
				}
			}
		}
	}

	private void requireLines(String node, String prefix) throws Exception {
		try (BufferedReader lines = new BufferedReader(new InputStreamReader(
				this.cluster.client(node).within(DEADLINE).scanLines(prefix), StandardCharsets.UTF_8))) {
			for (String line : lines.lines().filter((each) -> each.contains("\"key\":\"" + prefix)).toList()) {
				int number = Integer.parseInt(line.replaceAll("^.*\"key\":\"" + prefix + "(\\d+)\".*$", "$1"));
				String type = type(number);
				if (type != null) {
					assertThat(line).contains("\"contentType\":\"" + type + "\"");
				}
				else {
					assertThat(line).doesNotContain("contentType");
				}
			}
		}
	}

	private Path backupOf(String name) throws IOException {
		try (Stream<Path> all = Files.list(this.cluster.node(name).data().resolve("backups"))) {
			return all.findFirst().orElseThrow();
		}
	}

}
