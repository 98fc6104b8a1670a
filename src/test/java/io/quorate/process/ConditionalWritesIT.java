package io.quorate.process;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.quorate.history.RegisterHistory.Verdict;
import io.quorate.history.RegisterHistory;
import io.quorate.process.PorcupineHistory.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients that write on conditions, alone and in batches, and touch what they have
 * written, through all nodes, some of which are killed: each key is one register.
 */
class ConditionalWritesIT {

	private static final int NODES = 3;

	private static final int CLIENTS = 10;

	private static final int OPERATIONS = Scale.of(3_000, 200_000);

	private static final int KILLS = Scale.of(3, 200);

	private static final int PER_EPOCH = 300;

	private static final int KEYS = 2;

	/* Its unconditional writes are plain, those of the other key linearizable. */
	private static final String MIXED = "key-1";

	/* No value expires while the test runs. */
	private static final String TTL = "36000";

	private static final int MOST_STATES = 2_000_000;

	private static final Duration LIMIT = Duration.ofMinutes(Scale.of(5, 120));

	/* The machine may be busy with much else. */
	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final HttpClient http = HttpClient.newHttpClient();

	private final Map<String, RegisterHistory> histories = new ConcurrentSkipListMap<>();

	private final Map<String, AtomicInteger> values = new ConcurrentHashMap<>();

	/* The value of each version that a client was told of. */
	private final Map<String, Integer> valueOf = new ConcurrentHashMap<>();

	private final Map<String, String> lastSeen = new ConcurrentHashMap<>();

	private final Map<String, AtomicInteger> outcomes = new ConcurrentSkipListMap<>();

	private final AtomicInteger begun = new AtomicInteger();

	private final AtomicBoolean isOver = new AtomicBoolean();

	@Test
	void eachKeyIsOneRegisterWhileNodesAreKilled(@TempDir Path home) throws Exception {
		SplittableRandom random = new SplittableRandom(Scale.seed("ConditionalWritesIT"));
		try (PorcupineHistory operations = new PorcupineHistory("ConditionalWritesIT")) {
			operateAndKill(home, operations, random);
			Scale.report("ConditionalWritesIT: " + this.outcomes);
			requireLinearizable();
			Scale.report("ConditionalWritesIT: " + operations.judge());
		}
	}

	private void operateAndKill(Path home, PorcupineHistory operations, SplittableRandom random) throws Exception {
		try (ClusterProcesses cluster = ClusterProcesses.in(home, NODES)
			.withHeap("128m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.start()) {
			List<SplittableRandom> seeds = IntStream.range(0, CLIENTS).mapToObj((_) -> random.split()).toList();
			try (Workers clients = Workers.begin(CLIENTS,
					(number) -> operate(cluster, operations, seeds.get(number)))) {
				for (int i = 0; i < KILLS; i++) {
					String victim = "n" + random.nextInt(NODES);
					new Pace(Duration.ofMillis(random.nextInt(300, 1500))).await();
					cluster.kill9(victim);
					new Pace(Duration.ofMillis(random.nextInt(200, 1500))).await();
					cluster.restart(victim);
					cluster.awaitConnected();
				}
				this.isOver.set(true);
				clients.join(LIMIT);
			}
			for (String key : this.histories.keySet()) {
				for (String name : cluster.names()) {
					read(cluster, operations, name, key);
				}
			}
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	/* Until enough were asked, and the last node is back. */
	private void operate(ClusterProcesses cluster, PorcupineHistory operations, SplittableRandom random)
			throws Exception {
		while (this.begun.get() < OPERATIONS || !this.isOver.get()) {
			String key = "epoch-%d-key-%d".formatted(this.begun.getAndIncrement() / PER_EPOCH, random.nextInt(KEYS));
			String node = "n" + random.nextInt(NODES);
			try {
				switch (random.nextInt(10)) {
					case 0, 1 -> read(cluster, operations, node, key);
					case 2 -> touch(cluster, operations, node, key);
					case 3 -> write(cluster, operations, node, key, "", false);
					case 4 -> write(cluster, operations, node, key, null, random.nextBoolean());
					case 5 -> write(cluster, operations, node, key, this.lastSeen.getOrDefault(key, ""), true);
					default -> write(cluster, operations, node, key, this.lastSeen.getOrDefault(key, ""), false);
				}
			}
			catch (IOException away) {
				count("no answer");
				new Pace(Duration.ofMillis(20)).await();
			}
		}
	}

	private void read(ClusterProcesses cluster, PorcupineHistory operations, String node, String key) throws Exception {
		Operation operation = operations.begin("read", key, null, null);
		long began = System.nanoTime();
		Reply reply = send(cluster, node, "GET", key + "?consistency=linearizable", null, null);
		count("read " + reply.status());
		if (reply.status() == 200 || reply.status() == 404) {
			int value = (reply.status() == 200) ? Integer.parseInt(reply.body()) : RegisterHistory.ABSENT;
			sees(key, reply.etag(), value);
			history(key).read(value, began, System.nanoTime());
			if (reply.status() == 200) {
				operations.end(operation, "read", Map.of("value", reply.body(), "version", reply.etag()));
			}
			else {
				operations.end(operation, "absent", Map.of("version", reply.version()));
			}
		}
	}

	/* A touch that succeeds has seen the version that it names. */
	private void touch(ClusterProcesses cluster, PorcupineHistory operations, String node, String key)
			throws Exception {
		String expected = this.lastSeen.getOrDefault(key, "");
		Integer value = this.valueOf.get(expected);
		if (value == null) {
			read(cluster, operations, node, key);
			return;
		}
		Operation operation = operations.begin("read", key, null, null);
		long began = System.nanoTime();
		Reply reply = send(cluster, node, "PATCH", key + "?ttl=" + TTL, "If-Match: " + expected, null);
		count("touch " + reply.status());
		if (reply.status() == 200) {
			assertThat(reply.etag()).isEqualTo(expected);
			history(key).read(value, began, System.nanoTime());
			operations.end(operation, "read", Map.of("value", value.toString(), "version", expected));
		}
		else if (reply.status() == 404) {
			sees(key, "", RegisterHistory.ABSENT);
			history(key).read(RegisterHistory.ABSENT, began, System.nanoTime());
			operations.end(operation, "absent", Map.of("version", reply.version()));
		}
	}

	private void sees(String key, String etag, int value) {
		if (!etag.isEmpty()) {
			this.valueOf.put(etag, value);
		}
		this.lastSeen.put(key, etag);
	}

	/**
	 * Writes a key.
	 * @param expected version to be replaced, empty for none; {@code null} for any
	 */
	private void write(ClusterProcesses cluster, PorcupineHistory operations, String node, String key,
			@Nullable String expected, boolean deletes) throws Exception {
		int value = deletes ? RegisterHistory.ABSENT
				: this.values.computeIfAbsent(key, (_) -> new AtomicInteger()).incrementAndGet();
		Integer before = (expected == null) ? null
				: expected.isEmpty() ? Integer.valueOf(RegisterHistory.ABSENT) : this.valueOf.get(expected);
		String condition = (expected == null) ? null
				: expected.isEmpty() ? "If-None-Match: *" : "If-Match: " + expected;
		Duration settled = (expected == null) ? null : PATIENCE;
		boolean isPlain = expected == null && key.endsWith(MIXED);
		String kind = (isPlain ? "plain-" : "") + (deletes ? "delete" : "put");
		Operation operation = operations.begin(kind, key, condition, deletes ? null : Integer.toString(value));
		long began = System.nanoTime();
		try {
			Reply reply = (condition != null && value % 3 == 0)
					? sendItem(cluster, node, key, condition, deletes ? null : Integer.toString(value))
					: send(cluster, node, deletes ? "DELETE" : "PUT",
							key + query(expected == null && !isPlain, condition != null && !deletes, value), condition,
							Integer.toString(value));
			count("write " + reply.status());
			switch (reply.status()) {
				case 201, 202 -> {
					sees(key, deletes ? "" : reply.etag(), value);
					written(key, before, value, began);
					operations.end(operation, "written", Map.of("version", reply.etag()));
				}
				case 412 -> {
					unmet(key, reply, began);
					operations.end(operation, "unmet", Map.of("current", reply.etag(), "version", reply.version()));
				}
				case 504 -> {
					JsonNode problem = JsonMapper.shared().readTree(reply.body());
					if ("not-written".equals(problem.path("outcome").asString(""))) {
						operations.end(operation, "not-written", Map.of());
					}
					else {
						unknown(key, before, value, began);
						operations.unknown(operation, problem.path("version").asString(""), settled);
					}
				}
				case 409, 503 -> operations.end(operation, "not-written", Map.of());
				default -> throw new AssertionError("a write was answered " + reply);
			}
		}
		catch (ConnectException unsent) {
			operations.end(operation, "not-written", Map.of());
			throw unsent;
		}
		catch (IOException away) {
			unknown(key, before, value, began);
			operations.unknown(operation, "", settled);
			throw away;
		}
	}

	/* Half of the conditional writes have a time to live, some keep that before. */
	private static String query(boolean isLinearizable, boolean mayKeep, int value) {
		if (isLinearizable) {
			return "?consistency=linearizable";
		}
		return !mayKeep ? "" : (value % 4 == 0) ? "?ttl=" + TTL : (value % 4 == 1) ? "?ttl=keep" : "";
	}

	/** As {@link #send}, as an item of a batch: a deletion without a value. */
	private Reply sendItem(ClusterProcesses cluster, String node, String key, String condition, @Nullable String value)
			throws IOException, InterruptedException {
		String[] parts = condition.split(": ", 2);
		Map<String, Object> item = new LinkedHashMap<>(Map.of("op", (value != null) ? "put" : "delete", "key", key,
				parts[0].equals("If-Match") ? "ifMatch" : "ifNoneMatch", parts[1]));
		if (value != null) {
			item.put("text", value);
		}
		HttpResponse<String> response = this.http.send(request(cluster, node, "/v0/batch")
			.POST(HttpRequest.BodyPublishers.ofString(JsonMapper.shared().writeValueAsString(item)))
			.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
		if (response.statusCode() != 200) {
			return new Reply(response.statusCode(), "", "", response.body());
		}
		JsonNode line = JsonMapper.shared().readTree(response.body());
		return new Reply(line.path("status").asInt(), line.path("etag").asString(""), line.path("version").asString(""),
				line.path("problem").toString());
	}

	private void written(String key, @Nullable Integer before, int value, long began) {
		if (before != null) {
			history(key).replaced(before, value, began, System.nanoTime());
		}
		else {
			history(key).written(value, began, System.nanoTime());
		}
	}

	private void unknown(String key, @Nullable Integer before, int value, long began) {
		if (before != null) {
			history(key).unknownReplaced(before, value, began, Long.MAX_VALUE);
		}
		else {
			history(key).unknown(value, began);
		}
	}

	/* A failed condition is a read, of a value if a client knows whose version it is. */
	private void unmet(String key, Reply reply, long began) {
		Integer value = reply.etag().isEmpty() ? Integer.valueOf(RegisterHistory.ABSENT)
				: this.valueOf.get(reply.etag());
		if (value != null) {
			sees(key, reply.etag(), value);
			history(key).read(value, began, System.nanoTime());
		}
	}

	private RegisterHistory history(String key) {
		return this.histories.computeIfAbsent(key, (_) -> new RegisterHistory());
	}

	private void count(String what) {
		this.outcomes.computeIfAbsent(what, (_) -> new AtomicInteger()).incrementAndGet();
	}

	private void requireLinearizable() {
		List<String> faults = new ArrayList<>();
		int operations = 0;
		long unknown = 0;
		for (var each : this.histories.entrySet()) {
			if (each.getValue().linearizable(MOST_STATES) != Verdict.LINEARIZABLE) {
				faults.add("%s:%n%s".formatted(each.getKey(), each.getValue()));
			}
			operations += each.getValue().size();
			unknown += each.getValue().unknowns();
		}
		assertThat(faults).isEmpty();
		assertThat(operations).as("operations that were judged").isGreaterThan(OPERATIONS / 2);
		assertThat(unknown).as("writes of unknown outcome").isLessThan(operations / 2);
	}

	private static HttpRequest.Builder request(ClusterProcesses cluster, String node, String target) {
		return HttpRequest.newBuilder(cluster.node(node).uri(target))
			.timeout(Duration.ofMinutes(1))
			.header("Quorate-Timeout", Long.toString(PATIENCE.toMillis()));
	}

	private Reply send(ClusterProcesses cluster, String node, String method, String keyAndQuery, @Nullable String field,
			@Nullable String body) throws IOException, InterruptedException {
		HttpRequest.Builder request = request(cluster, node, "/v0/entity/" + keyAndQuery);
		if (field != null) {
			String[] parts = field.split(": ", 2);
			request.header(parts[0], parts[1]);
		}
		boolean isPut = body != null && "PUT".equals(method);
		request.method(method, isPut ? HttpRequest.BodyPublishers.ofString(body) : HttpRequest.BodyPublishers.noBody());
		HttpResponse<String> response = this.http.send(request.build(),
				HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
		return new Reply(response.statusCode(), response.headers().firstValue("ETag").orElse(""),
				response.headers().firstValue("Quorate-Version").orElse(""), response.body());
	}

	private record Reply(int status, String etag, String version, String body) {
	}

}
