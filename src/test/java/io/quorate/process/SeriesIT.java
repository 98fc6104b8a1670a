package io.quorate.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The series that a node exposes to Prometheus are bounded, whatever clients send: no
 * label has a value of a client.
 */
@Tag(Scale.FULL)
class SeriesIT {

	private static final int MOST_SAMPLES = 3_000;

	private static final int KEYS = 400;

	private static final int MOST_LOADS = 5;

	private static final Duration LIMIT = Duration.ofMinutes(5);

	private static final int ANSWER_BUFFER_BYTES = 64 * 1024;

	/* Part of every key, path, parameter and method that is sent here. */
	private static final String MARK = "zyzzyva";

	private static final Pattern LABEL = Pattern.compile("\\w+=\"([^\"]*)\"");

	private final Map<String, Integer> answers = new ConcurrentHashMap<>();

	@Test
	void seriesAreFewAndStaySo(@TempDir Path home) throws Exception {
		try (ClusterProcesses cluster = ClusterProcesses.in(home, 3)
			.withHeap("160m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.coordinator.max-requests", "4")
			.start()) {
			load(cluster, MARK + "-first");
			load(cluster, MARK + "-second");
			Map<String, Set<String>> before = Map.of();
			Map<String, Set<String>> after = series(cluster);
			// A stall of the machine is another outcome, and shows once.
			for (int i = 0; i < MOST_LOADS && !isSubset(after, before); i++) {
				load(cluster, MARK + "-further-" + i);
				before = after;
				after = series(cluster);
			}
			Scale.report("SeriesIT: %s samples; answers %s".formatted(sizes(after), new TreeMap<>(this.answers)));
			assertThat(this.answers).as("every kind of answer was among them")
				.containsKeys("200", "201", "202", "400", "404", "405", "413", "414", "431", "503", "504");
			for (Map.Entry<String, Set<String>> node : after.entrySet()) {
				requireBounded(node.getKey(), node.getValue(), before.getOrDefault(node.getKey(), Set.of()));
			}
			assertThat(cluster.alarms()).allMatch((line) -> line.contains("TooLongHttp"), "one of the mistakes");
		}
	}

	private static boolean isSubset(Map<String, Set<String>> after, Map<String, Set<String>> before) {
		return after.entrySet()
			.stream()
			.allMatch((node) -> ours(before.getOrDefault(node.getKey(), Set.of())).containsAll(ours(node.getValue())));
	}

	private static void requireBounded(String node, Set<String> series, Set<String> before) {
		assertThat(series).as("samples of %s", node).hasSizeBetween(100, MOST_SAMPLES);
		assertThat(ours(series)).as("series of %s, none of which the last load has added", node)
			.isSubsetOf(ours(before));
		assertThat(series.stream().flatMap(SeriesIT::labels)).as("values of the labels of %s", node)
			.noneMatch((label) -> label.contains(MARK) || label.contains("/") || label.contains("%"));
	}

	private void load(ClusterProcesses cluster, String mark) throws Exception {
		List<String> names = cluster.names();
		try (Workers clients = Workers.begin(names.size(), (node) -> {
			for (int number = node; number < KEYS; number += names.size()) {
				record(cluster.client(names.get(node)), mark + "-" + number, number % 5 == 0);
			}
		})) {
			clients.join(LIMIT);
		}
		for (String name : names) {
			scans(cluster, name, mark);
			mistakes(cluster.node(name), mark);
		}
		overload(cluster, mark);
		silence(cluster, mark);
	}

	private void record(NodeClient client, String key, boolean deleted) throws Exception {
		count(client.put(key, key.getBytes(StandardCharsets.UTF_8)).statusCode());
		count(client.get(key).statusCode());
		if (deleted) {
			count(client.with("replicas=1/3").delete(key).statusCode());
			count(client.with("replicas=3/3").get(key).statusCode());
		}
	}

	private void scans(ClusterProcesses cluster, String name, String mark) throws Exception {
		NodeClient client = cluster.client(name);
		String large = mark + "-large-" + name;
		count(client.with("replicas=3/3").put(large, Contents.of(large, 0, 300_000)).statusCode());
		count(client.get(large).statusCode());
		try (InputStream all = client.scan(MARK)) {
			assertThat(all.readAllBytes()).isNotEmpty();
		}
		try (InputStream some = client.scanPrefix(mark)) {
			assertThat(some.readAllBytes()).isNotEmpty();
		}
		try (InputStream lines = client.scanLines(MARK)) {
			assertThat(new String(lines.readAllBytes(), StandardCharsets.UTF_8)).contains("\"last\":true");
		}
		try (RawRequest broken = RawRequest.send(cluster.node(name), 1024, "GET", "/v0/entities?start=" + MARK)) {
			count(broken.statusLine());
			broken.reset();
		}
		count(client.openRange("start=").statusCode());
		count(client.openRange("limit=" + mark + "&start=a").statusCode());
	}

	/** What clients may do wrong. */
	private void mistakes(NodeProcess node, String mark) throws IOException {
		String entity = "/v0/entity?id=" + mark;
		for (String target : List.of("/" + mark, "/v0/" + mark, "/v0/entity/" + mark, "/actuator/" + mark,
				"/actuator/prometheus/" + mark, "/actuator/health/" + mark, entity + "%zz", entity + "&ack=" + mark,
				entity + "&replicas=5/3", "/v0/entity?" + mark, entity + "-nothing", "/v0/status/" + mark,
				entity + "x".repeat(2_000))) {
			once(node, "GET", target);
		}
		for (String method : List.of("POST", "PATCH", "OPTIONS", "TRACE", "HEAD", mark.toUpperCase(Locale.ROOT))) {
			once(node, method, entity);
			once(node, method, "/" + mark);
		}
		once(node, "GET", entity, "Quorate-Timeout: " + mark);
		once(node, "GET", entity, mark + ": " + mark, "traceparent: " + mark);
		once(node, "GET", entity + "x".repeat(20_000));
		once(node, "GET", entity, mark + ": " + "x".repeat(20_000));
		once(node, "PUT", entity, "Content-Length: 99999999", "Expect: 100-continue");
		once(node, "PUT", entity + "&ttl=" + mark, "Content-Length: 0");
		try (RawRequest left = RawRequest.send(node, ANSWER_BUFFER_BYTES, "PUT", entity, "Content-Length: 100")) {
			left.body(new byte[50], 50);
			left.reset();
		}
	}

	private void once(NodeProcess node, String method, String target, String... headers) throws IOException {
		try (RawRequest request = RawRequest.send(node, ANSWER_BUFFER_BYTES, method, target, headers)) {
			count(request.statusLine());
		}
	}

	/** More at once than a node takes. */
	private void overload(ClusterProcesses cluster, String mark) {
		await().atMost(LIMIT).pollInterval(Duration.ofMillis(1)).until(() -> {
			List<CompletableFuture<NodeAnswer>> writes = new ArrayList<>();
			for (int number = 0; number < 32; number++) {
				writes.add(cluster.client("n0").putLater(mark + "-busy-" + number, new byte[20_000]));
			}
			return writes.stream()
				.map(CompletableFuture::join)
				.filter((answer) -> count(answer.statusCode()) == 503)
				.count() > 0;
		});
	}

	/** A node that does not answer the others. */
	private void silence(ClusterProcesses cluster, String mark) throws Exception {
		cluster.freeze("n2");
		NodeClient hasty = cluster.client("n0").with("replicas=3/3").within(Duration.ofMillis(200));
		for (int number = 0; number < 3 || (!this.answers.containsKey("504") && number < 100); number++) {
			count(hasty.put(mark + "-silent-" + number, new byte[1]).statusCode());
			count(hasty.get(mark + "-silent-" + number).statusCode());
			count(cluster.client("n1").get(mark + "-silent-" + number).statusCode());
		}
		cluster.thaw("n2");
		cluster.awaitConnected();
	}

	private int count(int status) {
		this.answers.merge(Integer.toString(status), 1, Integer::sum);
		return status;
	}

	private void count(String statusLine) {
		this.answers.merge(statusLine.split(" ", -1)[1], 1, Integer::sum);
	}

	/** Of each node all series that Prometheus sees. */
	private static Map<String, Set<String>> series(ClusterProcesses cluster) throws Exception {
		Map<String, Set<String>> series = new TreeMap<>();
		for (String name : cluster.names()) {
			series.put(name,
					NodeClient.text(cluster.client(name).getPath("/actuator/prometheus"))
						.lines()
						.filter((line) -> !line.startsWith("#"))
						.map((line) -> line.substring(0, line.lastIndexOf(' ')))
						.collect(Collectors.toCollection(TreeSet::new)));
		}
		return series;
	}

	private static Map<String, Integer> sizes(Map<String, Set<String>> series) {
		return series.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, (node) -> node.getValue().size()));
	}

	/* Those of the JVM come with what it does: a cause of a collection is a label. */
	private static Set<String> ours(Set<String> series) {
		return series.stream().filter((name) -> name.startsWith("quorate_")).collect(Collectors.toSet());
	}

	private static Stream<String> labels(String series) {
		return LABEL.matcher(series).results().map(SeriesIT::value);
	}

	private static String value(MatchResult label) {
		return label.group(1);
	}

}
