package io.quorate.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Batches through nodes that are killed in the middle of them: every answer that came is
 * true, items of a key take effect in the order of their lines, and of the items without
 * an answer each has happened as a whole or not at all.
 */
class BatchIT extends SharedCluster {

	private static final int WORKERS = 4;

	private static final int KEYS = 40;

	private static final int ITEMS = 300;

	private static final int CYCLES = Scale.of(2, 30);

	/* Of each worker; as many as the machine can do make every start of a node slow. */
	private static final Duration INTERVAL = Duration.ofMillis(Scale.of(200, 1));

	private static final Duration DOWN = Duration.ofSeconds(1);

	private static final Duration BETWEEN = Duration.ofMillis(1500);

	private static final Duration LIMIT = Duration.ofMinutes(Scale.of(3, 30));

	private static final String ABSENT = "";

	private final Map<String, Integer> counts = new ConcurrentSkipListMap<>();

	private final AtomicInteger dead = new AtomicInteger(-1);

	@Test
	void nothingIsWrongAfterNodesWereKilledInBatches() throws Exception {
		SplittableRandom random = new SplittableRandom(Scale.seed("BatchIT"));
		List<Model> models = IntStream.range(0, WORKERS).mapToObj((i) -> new Model("w" + i, random.split())).toList();
		AtomicBoolean over = new AtomicBoolean();
		try (Workers workers = Workers.begin(WORKERS, (number) -> {
			Pace pace = new Pace(INTERVAL);
			while (!over.get()) {
				batch(models.get(number));
				pace.await();
			}
		})) {
			for (int cycle = 0; cycle < CYCLES; cycle++) {
				new Pace(BETWEEN).await();
				int victim = random.nextInt(NODES);
				this.cluster.kill9("n" + victim);
				this.dead.set(victim);
				new Pace(DOWN).await();
				this.cluster.restart("n" + victim);
				this.cluster.awaitConnected();
				this.dead.set(-1);
			}
			new Pace(BETWEEN).await();
			over.set(true);
			workers.join(LIMIT);
		}
		Scale.report("BatchIT: %d kills, %s".formatted(CYCLES, this.counts));
		assertThat(this.counts.keySet()).contains("put 201", "delete 202", "get 200", "get 404");
		for (String name : this.cluster.names()) {
			for (Model model : models) {
				String gets = model.keys().map(Model::get).reduce("", String::concat);
				List<JsonNode> answers = read(client(name).openBatch(gets));
				assertThat(answers).hasSize(KEYS);
				for (int i = 0; i < KEYS; i++) {
					model.requirePossible(model.key(i), answers.get(i));
				}
			}
		}
	}

	@Test
	void aBatchWhoseNodeIsKilledIsDoneInPart() throws Exception {
		int items = 1000;
		StringBuilder puts = new StringBuilder();
		for (int i = 0; i < items; i++) {
			puts.append("{\"op\":\"put\",\"id\":\"cut-%d\",\"text\":\"%s\"}\n".formatted(i, content(i)));
		}
		int acknowledged = 0;
		HttpResponse<InputStream> answer = client("n1").openBatch(puts.toString());
		try (BufferedReader lines = lines(answer)) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				assertThat(line).startsWith("{\"status\":201,");
				if (++acknowledged == 5) {
					this.cluster.kill9("n1");
				}
			}
		}
		catch (IOException cutOff) {
			count("batches cut off");
		}
		Scale.report("BatchIT: killed after 5 answers, %d of %d were read".formatted(acknowledged, items));
		assertThat(acknowledged).isBetween(5, items);
		requireDone(acknowledged, items, "n0", "n2");
		this.cluster.restart("n1");
		this.cluster.awaitConnected();
		requireDone(acknowledged, items, "n0", "n1", "n2");
	}

	private void requireDone(int acknowledged, int items, String... names) throws Exception {
		StringBuilder gets = new StringBuilder();
		for (int i = 0; i < items; i++) {
			gets.append(Model.get("cut-" + i));
		}
		for (String name : names) {
			List<JsonNode> answers = read(client(name).openBatch(gets.toString()));
			assertThat(answers).hasSize(items);
			for (int i = 0; i < items; i++) {
				String found = Model.found(answers.get(i));
				assertThat(found).as("key %d through %s", i, name).isIn(content(i), (i < acknowledged) ? null : ABSENT);
			}
		}
	}

	private static String content(int number) {
		return ("value " + number + " ").repeat(40);
	}

	private void batch(Model model) throws InterruptedException {
		List<Item> items = model.next(ITEMS);
		List<JsonNode> answers = new ArrayList<>();
		try (BufferedReader lines = lines(living(model).openBatch(Item.lines(items)))) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				answers.add(JsonMapper.shared().readTree(line));
			}
			assertThat(answers).as("of an answer that ended well").hasSize(items.size());
		}
		catch (IOException cutOff) {
			count(answers.isEmpty() ? "batches without answer" : "batches cut off");
		}
		for (int i = 0; i < items.size(); i++) {
			JsonNode answer = (i < answers.size()) ? answers.get(i) : null;
			count(items.get(i).operation + " " + ((answer != null) ? answer.get("status").asInt() : "unknown"));
			model.note(items.get(i), answer);
		}
	}

	private static List<JsonNode> read(HttpResponse<InputStream> answer) throws IOException {
		try (BufferedReader lines = lines(answer)) {
			return lines.lines().map(JsonMapper.shared()::readTree).toList();
		}
	}

	private static BufferedReader lines(HttpResponse<InputStream> answer) {
		assertThat(answer.statusCode()).isEqualTo(200);
		return new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
	}

	private NodeClient living(Model model) {
		int node = model.random.nextInt(NODES);
		return client("n" + ((node == this.dead.get()) ? (node + 1) % NODES : node));
	}

	private NodeClient client(String name) {
		return this.cluster.client(name).with("replicas=2/3");
	}

	private void count(String event) {
		this.counts.merge(event, 1, Integer::sum);
	}

	/** An item of a batch. */
	private record Item(String operation, String key, String value) {

		private static String lines(List<Item> items) {
			StringBuilder lines = new StringBuilder();
			for (Item item : items) {
				lines.append("{\"op\":\"%s\",\"id\":\"%s\"".formatted(item.operation, item.key))
					.append(item.operation.equals("put") ? ",\"text\":\"%s\"}\n".formatted(item.value) : "}\n");
			}
			return lines.toString();
		}

	}

	/** The states in which the keys of one worker may be. */
	private static final class Model {

		private final String name;

		private final SplittableRandom random;

		private final Map<String, Set<String>> possible = new HashMap<>();

		private int written;

		private Model(String name, SplittableRandom random) {
			this.name = name;
			this.random = random;
			keys().forEach((key) -> this.possible.put(key, new HashSet<>(Set.of(ABSENT))));
		}

		private Stream<String> keys() {
			return IntStream.range(0, KEYS).mapToObj(this::key);
		}

		private String key(int number) {
			return this.name + "-" + number;
		}

		private static String get(String key) {
			return "{\"op\":\"get\",\"id\":\"%s\"}\n".formatted(key);
		}

		private List<Item> next(int count) {
			return IntStream.range(0, count).mapToObj((_) -> {
				String key = key(this.random.nextInt(KEYS));
				return switch (this.random.nextInt(5)) {
					case 0 -> new Item("delete", key, ABSENT);
					case 1, 2 -> new Item("get", key, ABSENT);
					default -> new Item("put", key, "%s value %d".formatted(key, this.written++));
				};
			}).toList();
		}

		private void note(Item item, @Nullable JsonNode answer) {
			Set<String> states = Objects.requireNonNull(this.possible.get(item.key));
			int status = (answer != null) ? answer.get("status").asInt() : 0;
			if (item.operation.equals("get")) {
				if (answer != null && status < 500) {
					requirePossible(item.key, answer);
				}
				return;
			}
			switch (status) {
				case 201, 202 -> {
					states.clear();
					states.add(item.value);
				}
				case 503 -> {
				}
				default -> {
					assertThat(status).isIn(0, 504);
					states.add(item.value);
				}
			}
		}

		private void requirePossible(String key, JsonNode answer) {
			assertThat(found(answer)).as(key).isIn(Objects.requireNonNull(this.possible.get(key)));
		}

		private static String found(JsonNode answer) {
			int status = answer.get("status").asInt();
			assertThat(status).isIn(200, 404);
			return (status == 404) ? ABSENT
					: new String(Base64.getDecoder().decode(answer.get("value").asString()), StandardCharsets.UTF_8);
		}

	}

}
