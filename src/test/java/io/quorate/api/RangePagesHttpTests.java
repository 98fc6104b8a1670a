package io.quorate.api;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.quorate.api.RawConnection.Answer;
import io.quorate.coordinator.QuorumNotReachedException;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients that read a range a part at a time, each part by the link of the one before.
 */
class RangePagesHttpTests extends HttpTests {

	private static final String JSON = "Accept: application/x-ndjson";

	private static final String CHUNKS = "Accept: application/octet-stream";

	private static final Pattern LINK = Pattern.compile("<(/v0/entities\\?cursor=[\\w-]+[^>]*)>; rel=\"next\"");

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			start=a&limit=4 |
			start=a&limit=3 | c
			start=a&end=c&limit=3 |
			start=a&end=c&limit=2 | ba
			prefix=b&limit=1 | ba
			prefix=b&limit=2 |
			start=c&limit=1 |
			start=x&limit=1 |
			start=a |
			reverse=true&limit=3 | a
			reverse=true&limit=4 |
			start=a&end=c&reverse=true&limit=1 | b
			start=b&end=c&reverse=true&limit=2 |
			prefix=b&reverse=true&limit=1 | b
			start=b&keys=true&limit=1 | ba
			prefix=b&reverse=true&keys=true&limit=1 | b
			""")
	void theLinkIsThereIfThereIsMore(String query, @Nullable String next) throws IOException {
		List.of("a", "b", "ba", "c").forEach((key) -> hold(key, 1));
		Answer lines = ask("GET", "/v0/entities?" + query, JSON);
		Answer any = ask("GET", "/v0/entities?" + query);
		assertThat(any.headers.get("link")).isEqualTo(lines.headers.get("link"));
		assertThat(nextOf(lines)).isEqualTo(linkOf(lines));
		String link = linkOf(lines);
		assertThat(link != null).isEqualTo(next != null);
		if (link != null) {
			Answer rest = ask("GET", link, JSON);
			assertThat(keysOf(rest).getFirst()).isEqualTo(next);
			assertThat(rest.text().contains("\"size\":1")).isEqualTo(query.contains("keys"));
		}
	}

	@Test
	void theLinkHasTheTermsOfTheRequest() throws IOException {
		List.of("a", "b", "c").forEach((key) -> hold(key, 1));
		this.coordinator.replicationFactor = 3;
		String link = requireNonNull(
				linkOf(ask("GET", "/v0/entities?utm_source=x&from=3&start=a&limit=1&ack=%33", "Quorate-Timeout: 500")));
		assertThat(link).endsWith("&limit=1&ack=%33&from=3").doesNotContain("utm");
		assertThat(keysOf(ask("GET", link.replace("limit=1", "limit=9"), JSON))).containsExactly("b", "c");
		assertThat(requireNonNull(this.coordinator.lastConsistency).ack()).isEqualTo(3);
		link = requireNonNull(linkOf(ask("GET", "/v0/entities?start=a&limit=1&replicas=1%2F2")));
		assertThat(link).endsWith("&limit=1&replicas=1%2F2");
	}

	@Test
	void aLargeAnswerSaysItInTheLastLineAlone() throws IOException {
		for (int i = 0; i < 40; i++) {
			hold("k%02d".formatted(i), 10_000);
		}
		Answer large = ask("GET", "/v0/entities?start=k&limit=39", JSON);
		assertThat(large.headers).doesNotContainKey("link");
		assertThat(keysOf(large)).hasSize(39);
		assertThat(keysOf(ask("GET", requireNonNull(nextOf(large)), JSON))).containsExactly("k39");
		Answer whole = ask("GET", "/v0/entities?start=k&limit=40", JSON);
		assertThat(nextOf(whole)).isNull();
		Answer chunks = ask("GET", "/v0/entities?start=k&limit=39", "Accept: application/octet-stream");
		assertThat(chunks.chunks).hasSize(39);
		assertThat(chunks.headers).doesNotContainKey("link");
	}

	@Test
	void recordsAreHeldWithinTheirBoundAndCounted() throws IOException {
		for (int i = 0; i < 100; i++) {
			hold("k%03d".formatted(i), 100_000);
		}
		try (RawConnection connection = RawConnection.to(this.port, 4096)) {
			connection.request("GET", "/v0/entities?start=k&limit=99");
			assertThat(connection.head().headers).doesNotContainKey("link");
			await().during(Duration.ofMillis(300)).until(() -> this.admission.bytes() > 0);
			assertThat(this.admission.bytes()).isLessThan(2 * 256 * 1024 + 2 * 100_010);
		}
	}

	@Test
	void anErrorWhileTheHeadIsHeldIsAProblem() throws IOException {
		List.of("a", "b", "c").forEach((key) -> hold(key, 1));
		this.coordinator.mostOnAPage = 1;
		this.coordinator.pagesBeforeFailure = 2;
		this.coordinator.failure = new QuorumNotReachedException(1, 0, false, List.of());
		assertProblem(ask("GET", "/v0/entities?start=a&limit=3", JSON), 504, "not-enough-replicas", "had to answer");
	}

	@Test
	void aSlowScanBeginsBeforeItKnows() throws IOException {
		for (int i = 0; i < 12; i++) {
			hold("k%02d".formatted(i), 1);
		}
		this.coordinator.mostOnAPage = 1;
		// Ten pages take more than half of the deadline, at any speed of the machine.
		this.coordinator.delay = Duration.ofMillis(600);
		Answer answer = ask("GET", "/v0/entities?start=k&limit=10", JSON, "Quorate-Timeout: 10000");
		assertThat(answer.headers).doesNotContainKey("link");
		assertThat(keysOf(answer)).hasSize(10);
		assertThat(keysOf(ask("GET", requireNonNull(nextOf(answer)), JSON))).containsExactly("k10", "k11");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void theLongestKeysArePassed(boolean isJson) throws IOException {
		List<String> keys = new ArrayList<>();
		for (String end : List.of("a", "b", "ü", "\uD83D\uDE00")) {
			keys.add("k".repeat(Key.MAX_SIZE_BYTES - end.getBytes(UTF_8).length) + end);
		}
		keys.add("k".repeat(Key.MAX_SIZE_BYTES - 1));
		keys.forEach((key) -> hold(key, 1));
		assertThat(all("start=k&limit=1", isJson)).containsExactlyInAnyOrderElementsOf(keys);
		assertThat(all("start=k&reverse=true&limit=1", isJson)).containsExactlyInAnyOrderElementsOf(keys);
		String longest = encoded("k".repeat(Key.MAX_SIZE_BYTES - 1) + "a");
		assertThat(ask("GET", "/v0/entities?reverse=true&end=" + longest + "%00&limit=1", CHUNKS).text())
			.startsWith("k".repeat(Key.MAX_SIZE_BYTES - 1) + "a\n");
	}

	/* Whatever comes and goes meanwhile, a key that stays comes once. */
	@Test
	void everyKeyComesOnceOverAllParts() throws IOException {
		long seed = System.nanoTime();
		Random random = new Random(seed);
		for (int round = 0; round < 40; round++) {
			this.coordinator.reset();
			NavigableMap<Key, Integer> model = new TreeMap<>();
			int most = random.nextInt(1, 200);
			int bytes = (random.nextInt(4) == 0) ? 60_000 : 300;
			for (int i = 0; i < most; i++) {
				Key key = key(random);
				model.put(key, random.nextInt(bytes));
				hold(key.toString(), model.get(key));
			}
			this.coordinator.mostOnAPage = random.nextInt(1, 60);
			Key start = key(random);
			Key end = random.nextBoolean() ? key(random) : null;
			NavigableMap<Key, Integer> expected = model.tailMap(start, true);
			if (end != null) {
				expected = (end.compareTo(start) <= 0) ? new TreeMap<>() : model.subMap(start, true, end, false);
			}
			boolean isDescending = random.nextBoolean();
			boolean isKeysOnly = random.nextBoolean();
			String query = "start=%s%s%s%s&limit=%d".formatted(start, (end != null) ? "&end=" + end : "",
					isDescending ? "&reverse=true" : "", isKeysOnly ? "&keys=true" : "", random.nextInt(1, 60));
			assertThat(all(query, isKeysOnly || random.nextBoolean())).as("seed %d, round %d: %s", seed, round, query)
				.isEqualTo((isDescending ? expected.descendingMap() : expected).keySet()
					.stream()
					.map(Key::toString)
					.toList());
		}
	}

	private static Key key(Random random) {
		StringBuilder key = new StringBuilder("k");
		for (int i = random.nextInt(7); i > 0; i--) {
			key.append((char) ('a' + random.nextInt(3)));
		}
		return Key.of(key.toString());
	}

	/** All keys of a range, by as many requests as it takes. */
	private List<String> all(String query, boolean isJson) throws IOException {
		List<String> keys = new ArrayList<>();
		String next = "/v0/entities?" + query;
		int limit = Integer.parseInt(query.substring(query.indexOf("limit=") + 6));
		while (next != null) {
			Answer answer = ask("GET", next, isJson ? JSON : CHUNKS);
			assertThat(answer.status).as(answer.text()).isEqualTo(200);
			List<String> part = isJson ? keysOf(answer) : chunkKeysOf(answer);
			assertThat(part).hasSizeLessThanOrEqualTo(limit);
			keys.addAll(part);
			assertThat(keys).as("keys so far").hasSizeLessThan(1000);
			String link = linkOf(answer);
			next = isJson ? nextOf(answer) : link;
			assertThat(link).isIn(next, null);
			if (next != null) {
				assertThat(part).hasSize(limit);
			}
			else if (!isJson && part.size() == limit) {
				// As the handbook says: nothing has shown that this is all.
				next = linkBehind(part.getLast(), query);
			}
		}
		return keys;
	}

	private static String linkBehind(String key, String query) {
		String bound = query.contains("reverse") ? "end=" + encoded(key) : "start=" + encoded(key) + "%00";
		String other = query.replaceAll("(^|&)" + bound.substring(0, bound.indexOf('=')) + "=[^&]*", "");
		return "/v0/entities?" + bound + "&" + other;
	}

	private static String encoded(String key) {
		StringBuilder encoded = new StringBuilder();
		for (byte octet : key.getBytes(UTF_8)) {
			encoded.append("%%%02x".formatted(octet));
		}
		return encoded.toString();
	}

	private static List<String> keysOf(Answer answer) {
		List<String> lines = answer.text().lines().toList();
		JsonNode end = JsonMapper.shared().readTree(lines.getLast());
		assertThat(end.get("last").asBoolean()).isTrue();
		assertThat(end.get("records").asInt()).isEqualTo(lines.size() - 1);
		return lines.subList(0, lines.size() - 1)
			.stream()
			.map((line) -> JsonMapper.shared().readTree(line).get("key").asString())
			.toList();
	}

	private static List<String> chunkKeysOf(Answer answer) {
		return answer.chunks.stream().map((chunk) -> new String(chunk, UTF_8).split("\n", 2)[0]).toList();
	}

	/** What the last line names. */
	private static @Nullable String nextOf(Answer answer) {
		JsonNode next = JsonMapper.shared().readTree(answer.text().lines().toList().getLast()).get("next");
		return (next != null) ? next.asString() : null;
	}

	private static @Nullable String linkOf(Answer answer) {
		String link = answer.headers.get("link");
		if (link == null) {
			return null;
		}
		Matcher matcher = LINK.matcher(link);
		assertThat(matcher.matches()).as(link).isTrue();
		return matcher.group(1);
	}

	private void hold(String key, int valueBytes) {
		this.coordinator.hold(Key.of(key), Value.wrap(new byte[valueBytes]));
	}

}
