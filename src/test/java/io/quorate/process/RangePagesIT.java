package io.quorate.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A client that reads a range a part at a time, and goes on at another node when the one
 * that gave it the cursor is gone; and keys of large values, which are not read.
 */
class RangePagesIT extends SharedCluster {

	private static final int KEYS = Scale.of(180, 250);

	private static final int LIMIT = 45;

	private static final String PREFIX = "pages-walked-";

	private static final int LARGE = Scale.of(40, 400);

	private static final int LARGE_BYTES = 1024 * 1024;

	private static final Pattern LINK = Pattern.compile("<([^>]+)>; rel=\"next\"");

	private final SplittableRandom random = new SplittableRandom(Scale.seed("RangePagesIT"));

	@Test
	void everyKeyComesOnceThoughEachNodeOfACursorIsKilled() throws Exception {
		NavigableMap<String, byte[]> records = fill();
		List<Walk> walks = List.of(new Walk(records, false, false), new Walk(records, true, true));
		String node = "n0";
		while (!walks.stream().allMatch(Walk::isOver)) {
			for (Walk walk : walks) {
				walk.step(node);
			}
			this.cluster.kill9(node);
			node = this.cluster.others(node).get(this.random.nextInt(NODES - 1));
			// The others are enough, and are asked while the node is down.
			for (Walk walk : walks) {
				walk.requireNext(node);
			}
			this.cluster.heal();
		}
		for (Walk walk : walks) {
			walk.requireEnd();
		}
	}

	@Test
	void keysOfLargeValuesAreListedWithoutReadingThem() throws Exception {
		for (int number = 0; number < LARGE; number++) {
			String key = "pages-large-%05d".formatted(number);
			byte[] value = Contents.of(key, 0, LARGE_BYTES);
			// By all of them: what a replica reads later would count.
			NodeClient client = this.cluster.client("n" + number % NODES).with("replicas=3/3").patient();
			assertThat(client.put(key, value).statusCode()).isEqualTo(201);
		}
		String range = "/v0/entities?prefix=pages-large-&replicas=3/3";
		// A compaction of other keys reads, too, and ends; each listing takes the same.
		await().atMost(PATIENCE).untilAsserted(() -> {
			long before = readBytes();
			HttpResponse<byte[]> keys = this.cluster.client("n0").getPath(range + "&keys=true");
			HttpResponse<byte[]> reverse = this.cluster.client("n1").getPath(range + "&keys=true&reverse=true");
			long ofKeys = readBytes() - before;
			assertThat(NodeClient.text(keys).lines().filter((line) -> line.contains("\"size\":" + LARGE_BYTES)))
				.hasSize(LARGE);
			assertThat(NodeClient.text(reverse).lines().toList()).hasSize(LARGE + 1);
			assertThat(ofKeys).as("what their keys take").isLessThan(LARGE_BYTES);
		});
		long before = readBytes();
		try (InputStream values = this.cluster.client("n0").scanPrefix("pages-large-")) {
			assertThat(values.skip(Long.MAX_VALUE)).isGreaterThan((long) LARGE * LARGE_BYTES);
		}
		long ofValues = readBytes() - before;
		assertThat(ofValues).as("what the values take").isGreaterThan((long) LARGE * LARGE_BYTES);
	}

	/** Bytes that all nodes have read with system calls, from the page cache or not. */
	private long readBytes() throws IOException {
		long bytes = 0;
		for (NodeProcess node : this.cluster.nodes()) {
			for (String line : Files.readAllLines(Path.of("/proc/%d/io".formatted(node.pid())))) {
				bytes += line.startsWith("rchar: ") ? Long.parseLong(line.substring("rchar: ".length())) : 0;
			}
		}
		return bytes;
	}

	/** Puts and deletions through all nodes; returns what is there then. */
	private NavigableMap<String, byte[]> fill() throws Exception {
		NavigableMap<String, byte[]> records = new TreeMap<>();
		for (int number = 0; number < KEYS; number++) {
			String key = PREFIX + "%04d".formatted(number) + (this.random.nextBoolean() ? "" : "ü");
			NodeClient client = this.cluster.client("n" + number % NODES);
			byte[] value = Contents.of(key, this.random.nextLong(), this.random.nextInt(2000));
			assertThat(client.put(key, value).statusCode()).isEqualTo(201);
			records.put(key, value);
			if (this.random.nextInt(10) == 0) {
				assertThat(client.delete(key).statusCode()).isEqualTo(202);
				records.remove(key);
			}
		}
		return records;
	}

	private static List<String> keys(HttpResponse<byte[]> answer, Map<String, byte[]> records) {
		List<String> keys = new ArrayList<>();
		List<String> lines = NodeClient.text(answer).lines().toList();
		for (String line : lines.subList(0, lines.size() - 1)) {
			JsonNode record = JsonMapper.shared().readTree(line);
			String key = record.get("key").asString();
			assertThat(record.get("size").asInt()).as(key).isEqualTo(value(records, key).length);
			keys.add(key);
		}
		assertThat(JsonMapper.shared().readTree(lines.getLast()).get("records").asInt()).isEqualTo(keys.size());
		return keys;
	}

	private static List<String> keysWithValues(HttpResponse<byte[]> answer, Map<String, byte[]> records) {
		List<String> lines = NodeClient.text(answer).lines().toList();
		List<String> keys = new ArrayList<>();
		for (String line : lines.subList(0, lines.size() - 1)) {
			JsonNode record = JsonMapper.shared().readTree(line);
			String key = record.get("key").asString();
			assertThat(Base64.getDecoder().decode(record.get("value").asString())).as(key).isEqualTo(records.get(key));
			keys.add(key);
		}
		return keys;
	}

	private static byte[] value(Map<String, byte[]> records, String key) {
		return records.getOrDefault(key, new byte[0]);
	}

	private static @Nullable String nextOf(HttpResponse<byte[]> answer, boolean isJson) {
		if (isJson) {
			JsonNode next = JsonMapper.shared()
				.readTree(new String(answer.body(), StandardCharsets.UTF_8).lines().toList().getLast())
				.get("next");
			return (next != null) ? next.asString() : null;
		}
		Matcher link = LINK.matcher(answer.headers().firstValue("Link").orElse(""));
		return link.matches() ? link.group(1) : null;
	}

	/** A client's way through the range, a page at a time. */
	private final class Walk {

		private final NavigableMap<String, byte[]> records;

		private final boolean isKeysOnly;

		private final List<String> pages = new ArrayList<>();

		private final List<List<String>> found = new ArrayList<>();

		private @Nullable String next;

		Walk(NavigableMap<String, byte[]> records, boolean isReverse, boolean isKeysOnly) {
			this.records = isReverse ? records.descendingMap() : records;
			this.isKeysOnly = isKeysOnly;
			this.next = "/v0/entities?prefix=%s&limit=%d&replicas=2/3%s%s".formatted(PREFIX, LIMIT,
					isReverse ? "&reverse=true" : "", isKeysOnly ? "&keys=true" : "");
		}

		boolean isOver() {
			return this.next == null;
		}

		void step(String node) throws Exception {
			String page = this.next;
			if (page != null) {
				HttpResponse<byte[]> answer = get(node, page);
				this.pages.add(page);
				this.found.add(keysOf(answer));
				assertThat(this.found).hasSizeLessThanOrEqualTo(KEYS);
				this.next = nextOf(answer, this.isKeysOnly);
			}
		}

		void requireNext(String node) throws Exception {
			String page = this.next;
			if (page != null) {
				get(node, page);
			}
		}

		void requireEnd() throws Exception {
			assertThat(this.found.stream().flatMap(List::stream)).containsExactlyElementsOf(this.records.keySet());
			assertThat(this.pages).hasSizeGreaterThan(3);
			for (String name : RangePagesIT.this.cluster.names()) {
				assertThat(keysOf(get(name, this.pages.get(1)))).as("an old cursor at %s, which was restarted", name)
					.isEqualTo(this.found.get(1));
			}
		}

		private List<String> keysOf(HttpResponse<byte[]> answer) {
			return this.isKeysOnly ? keys(answer, this.records) : keysWithValues(answer, this.records);
		}

		private HttpResponse<byte[]> get(String node, String page) throws Exception {
			HttpResponse<byte[]> answer = RangePagesIT.this.cluster.client(node).getPath(page);
			assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(200);
			return answer;
		}

	}

}
