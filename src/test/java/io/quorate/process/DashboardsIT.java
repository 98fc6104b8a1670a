package io.quorate.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

import io.quorate.Authority.Issued;
import io.quorate.Authority;
import io.quorate.process.WatchFiles.Panel;
import io.quorate.process.WatchFiles.Query;
import io.quorate.process.WatchFiles.Rule;
import io.quorate.security.access.Token;
import io.quorate.security.jwt.TestIssuer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rules and dashboards against a real Prometheus that watches a real cluster, to which
 * everything happens that they are there to show. Needs Prometheus.
 */
@Tag(Scale.FULL)
class DashboardsIT {

	private static final String CLUSTER = "quorate";

	private static final int NODES = 3;

	private static final int CLIENTS = 6;

	private static final int KEYS = 3000;

	private static final int CROWD = 24;

	/* Long enough to be suspected. */
	private static final Duration FROZEN = Duration.ofMillis(1500);

	private static final Duration SHOWN = Duration.ofMinutes(3);

	private static final List<String> HAPPENED = List.of("quorate_shed_total{reason=\"requests\"}",
			"quorate_hedge_total", "quorate_reads_moved_on_total", "quorate_internode_suspected_total",
			"quorate_internode_request_seconds_count{outcome=\"failed\"}", "quorate_acks_missing_total{peer=\"n2\"}",
			"quorate_read_repair_total{outcome=\"repaired\"}", "quorate_quorum_partitions{state=\"degraded\"}",
			"quorate_request_seconds_count{outcome=\"overloaded\"}", "quorate_scan_seconds_count{outcome=\"complete\"}",
			"quorate_storage_values_bytes", "quorate_storage_flush_seconds_count{outcome=\"success\"}",
			"quorate_storage_compaction_seconds_count{outcome=\"success\"}",
			"quorate_storage_read_seconds_count{source=\"table\"}");

	/*
	 * No node here serves HTTPS; that the series is there then is known from HttpsTests.
	 */
	private static final String OF_HTTPS = "quorate_api_certificate_remaining_seconds";

	private static final Pattern LABEL = Pattern.compile("\\{\\{(\\w+)}}");

	private final AtomicBoolean isOver = new AtomicBoolean();

	private final Map<String, Integer> answers = new ConcurrentHashMap<>();

	@Test
	void everyPanelAndEveryRecordingShowsSomethingOfAClusterUnderLoad(@TempDir Path home) throws Exception {
		PrometheusProcess.binary("prometheus");
		long seed = Scale.seed("DashboardsIT");
		Instant began = Instant.now();
		try (ClusterProcesses cluster = smallStores(home).start();
				PrometheusProcess prometheus = PrometheusProcess.start(home.resolve("prometheus"), cluster);
				Workers load = Workers.begin(CLIENTS, (number) -> load(cluster, new SplittableRandom(seed + number)))) {
			PrometheusProcess.Client client = prometheus.client();
			happen(cluster, client);
			// One look at each second of the whole time is dear: what has shown is not
			// asked again.
			List<Question> open = questions();
			int asked = open.size();
			await().atMost(SHOWN).pollInterval(Duration.ofSeconds(1)).untilAsserted(() -> {
				for (Iterator<Question> questions = open.iterator(); questions.hasNext();) {
					if (questions.next().isAnswered(client, began)) {
						questions.remove();
					}
				}
				assertThat(open).as("show nothing").isEmpty();
			});
			everyStateHasAName(client, began);
			this.isOver.set(true);
			load.join(SHOWN);
			for (Rule alert : WatchFiles.alerts()) {
				client.query(alert.expression());
			}
			assertThat(client.rules()).hasSize(WatchFiles.rules().size())
				.allSatisfy((rule) -> assertThat(rule.get("health").asString()).as(rule.toString()).isEqualTo("ok"));
			Scale.report("DashboardsIT: %d queries, none empty; series of a node: %s; answers %s".formatted(asked,
					client.query("count by (node) ({node=~\"n.*\",job=\"quorate\"})"), this.answers));
		}
	}

	private static ClusterProcesses smallStores(Path home) throws Exception {
		Issued certificate = new Authority(home, "authority").issue("node", "ip:127.0.0.1");
		Path access = Files.writeString(home.resolve("access.yml"), """
				principals:
				  anonymous: {read: all, write: all, metrics: true, limits: {share: 1}}
				  other: {tokens: [{sha256: "%s", until: "2999-12-31"}], read: all}
				""".formatted(Token.generate("other").sha256()));
		Path keys = Files.writeString(home.resolve("jwks.json"), TestIssuer.keys());
		ClusterProcesses cluster = ClusterProcesses.in(home, NODES)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.internode.ssl-bundle", "peers")
			.with("spring.ssl.bundle.pem.peers.keystore.certificate", certificate.certificate().toString())
			.with("spring.ssl.bundle.pem.peers.keystore.private-key", certificate.key().toString())
			.with("spring.ssl.bundle.pem.peers.truststore.certificate", certificate.trusted().toString())
			.with("quorate.storage.memtable-size", "512KB")
			.one("n2",
					(node) -> node.with("quorate.security.access", access.toString())
						.with("quorate.security.jwt.issuer", TestIssuer.ISSUER)
						.with("quorate.security.jwt.jwk-set-file", keys.toString()))
			// So few that a crowd of clients is too many for it.
			.one("n1", (node) -> node.with("quorate.coordinator.max-requests", "16"));
		// Prometheus is told the ports, which must outlive a restart.
		List<Integer> ports = FreePorts.any(NODES);
		for (String name : cluster.names()) {
			cluster.one(name, (node) -> node.with("server.port", ports.get(cluster.names().indexOf(name)).toString()));
		}
		return cluster;
	}

	/**
	 * A crowd, a stalled node, and one that is killed, misses what is written, and is
	 * stopped in order afterwards.
	 */
	private void happen(ClusterProcesses cluster, PrometheusProcess.Client prometheus) throws Exception {
		await().atMost(SHOWN).until(() -> has(prometheus, "sum(up{job=\"quorate\"}) == " + NODES));
		await().atMost(SHOWN).until(() -> {
			Workers.run(CROWD, SHOWN, (number) -> crowd(cluster));
			return MeterReadings.of(cluster.client("n1")).sum("quorate_shed_total", "reason=\"requests\"") > 0;
		});
		moveReadsOn(cluster, prometheus);
		// One node has an access file, by which clients without a token may read and
		// write.
		for (String name : cluster.others("n2")) {
			assertThat(cluster.client(name).postPath("/actuator/backup", "{}").statusCode()).isEqualTo(200);
		}
		cluster.kill9("n2");
		await().atMost(SHOWN)
			.until(() -> hasCalled(prometheus, "QuorateNodeDown") && hasCalled(prometheus, "QuorateReplicaBehind"));
		cluster.restart("n2");
		await().atMost(SHOWN).until(() -> has(prometheus, "sum(quorate_ready) == " + NODES));
		// How long a stop took the next start says.
		cluster.terminate("n2");
		cluster.restart("n2");
	}

	/*
	 * A read moves on only if it was not hedged before: so there are more of them than
	 * hedges. Which of two nodes n0 prefers to ask is not known, so each is frozen in
	 * turn.
	 */
	private void moveReadsOn(ClusterProcesses cluster, PrometheusProcess.Client prometheus) throws Exception {
		Deque<String> turns = new ArrayDeque<>(List.of("n2", "n1"));
		await().atMost(SHOWN).until(() -> {
			String frozen = turns.removeFirst();
			turns.addLast(frozen);
			cluster.freeze(frozen);
			try {
				Instant end = Instant.now().plus(FROZEN);
				Workers.run(CROWD, SHOWN, (number) -> {
					while (Instant.now().isBefore(end)) {
						count("GET", cluster.client("n0").get("key-" + number));
					}
				});
			}
			finally {
				cluster.thaw(frozen);
			}
			return has(prometheus, "sum(quorate_reads_moved_on_total) > 0");
		});
	}

	private static void everyStateHasAName(PrometheusProcess.Client prometheus, Instant from) throws Exception {
		for (Panel panel : WatchFiles.panels().stream().filter(Panel::hasStates).toList()) {
			for (Query query : panel.queries()) {
				for (JsonNode series : prometheus.query(query.over(CLUSTER, "10s"), from)) {
					assertThat(panel.states().keySet()).as(panel.toString())
						.containsAll(
								series.get("values").valueStream().map((value) -> value.get(1).asString()).toList());
				}
			}
		}
	}

	/* Each calls for good only after a minute or more. */
	private static boolean hasCalled(PrometheusProcess.Client prometheus, String alert) throws Exception {
		return has(prometheus, "ALERTS{alertname=\"%s\"}".formatted(alert));
	}

	private static boolean has(PrometheusProcess.Client prometheus, String expression) throws Exception {
		return !prometheus.query(expression).isEmpty();
	}

	private void load(ClusterProcesses cluster, SplittableRandom random) throws Exception {
		while (!this.isOver.get()) {
			NodeClient client = cluster.client("n" + random.nextInt(NODES)).within(Duration.ofMillis(500));
			try {
				once(client, random);
			}
			catch (IOException down) {
				count("none");
				LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
			}
		}
	}

	private void once(NodeClient client, SplittableRandom random) throws IOException, InterruptedException {
		String key = "key-" + random.nextInt(KEYS);
		int choice = random.nextInt(1000);
		if (choice < 10) {
			scan(client, key);
		}
		else if (choice < 40) {
			count("DELETE", client.delete(key));
		}
		else if (choice < 60) {
			batch(client, key);
		}
		else if (choice < 500) {
			count("GET", client.get(key));
		}
		else {
			count("PUT", client.put(key, Contents.of(key, choice, sizeBytes(random))));
		}
	}

	private static int sizeBytes(SplittableRandom random) {
		return (random.nextInt(100) == 0) ? 60_000 : random.nextInt(4000);
	}

	private void scan(NodeClient client, String start) throws IOException, InterruptedException {
		HttpResponse<InputStream> answer = client.openRange("limit=200&start=" + start);
		try (InputStream records = answer.body()) {
			records.transferTo(OutputStream.nullOutputStream());
		}
		count("SCAN " + answer.statusCode());
	}

	private void batch(NodeClient client, String key) throws IOException, InterruptedException {
		HttpResponse<InputStream> answer = client.openBatch("""
				{"op":"put","id":"%s","text":"of a batch"}
				{"op":"get","id":"%s"}
				""".formatted(key, key));
		try (InputStream lines = answer.body()) {
			lines.transferTo(OutputStream.nullOutputStream());
		}
		count("BATCH " + answer.statusCode());
	}

	private void crowd(ClusterProcesses cluster) throws Exception {
		for (int i = 0; i < 40; i++) {
			count("PUT", cluster.client("n1").put("crowd-" + i, Contents.of("crowd", i, 1000)));
		}
	}

	private void count(String operation, NodeAnswer answer) {
		count(operation + " " + answer.statusCode());
	}

	private void count(String what) {
		this.answers.merge(what, 1, Integer::sum);
	}

	private static List<Question> questions() {
		List<Question> questions = new ArrayList<>();
		for (Panel panel : WatchFiles.panels()) {
			for (Query query : panel.queries()) {
				// What is nothing when all is well has no labels then.
				Set<String> labels = query.expression().endsWith("vector(0)") ? Set.of() : labels(query.legend());
				if (!query.expression().contains(OF_HTTPS)) {
					questions.add(new Question(panel.toString(), query.over(CLUSTER, "10s"), labels));
				}
			}
		}
		// Else zeros would do.
		HAPPENED.forEach((series) -> questions.add(new Question("what happened", "sum(" + series + ") > 0", Set.of())));
		WatchFiles.recordings().forEach((rule) -> questions.add(new Question("recording", rule.name(), Set.of())));
		return questions;
	}

	private static Set<String> labels(String legend) {
		Map<String, String> labels = new TreeMap<>();
		LABEL.matcher(legend).results().forEach((label) -> labels.put(label.group(1), legend));
		return labels.keySet();
	}

	/** The query of a panel, and the labels by which the panel names its results. */
	private record Question(String where, String expression, Set<String> labels) {

		boolean isAnswered(PrometheusProcess.Client prometheus, Instant from) throws IOException, InterruptedException {
			return prometheus.query(this.expression, from)
				.stream()
				.anyMatch((series) -> this.labels.stream().allMatch((label) -> series.get("metric").has(label))
						&& series.get("values").valueStream().anyMatch(Question::isNumber));
		}

		private static boolean isNumber(JsonNode value) {
			return !value.get(1).asString().equals("NaN");
		}

	}

}
