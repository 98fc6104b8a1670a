package io.quorate.client;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.quorate.client.HostileServer.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Ranges: bounds, pages, and the last line without which a range is no range. */
class RangeTests extends HostileTests {

	private static final String[] KEYS = IntStream.range(0, 10).mapToObj((i) -> "k0" + i).toArray(String[]::new);

	private static Script whole(String... lines) {
		return Scripts.sends(Scripts.lines(lines));
	}

	private static List<String> keys(RangeIterator<RangeRecord> range) {
		try (range) {
			return range.stream().map(RangeRecord::key).toList();
		}
	}

	private static RangeQuery directed(boolean isReverse) {
		return isReverse ? RangeQuery.all().reverse() : RangeQuery.all();
	}

	private static List<String> reversed(List<String> keys) {
		List<String> reversed = new ArrayList<>(keys);
		Collections.reverse(reversed);
		return reversed;
	}

	private static RangeStore store() {
		return new RangeStore(KEYS);
	}

	@Test
	void recordsHaveAllThatTheNodeSays() {
		String extended = RangeStore.record("a", "grün")
			.replace("}", ",\"contentType\":\"text/x\",\"expires\":\"2026-01-31T12:00:00.250Z\",\"new\":[1,{}]}");
		HostileServer server = node(whole(extended, RangeStore.record("b"), RangeStore.last(2)));
		try (RangeIterator<RangeRecord> range = client(server).range(RangeQuery.prefix("fruit: +"))) {
			RangeRecord first = range.next();
			assertThat(first.text()).isEqualTo("grün");
			assertThat(first.etag()).isEqualTo("\"1\"");
			assertThat(first.contentType()).isEqualTo("text/x");
			assertThat(first.expires()).isEqualTo(Instant.parse("2026-01-31T12:00:00.250Z"));
			RangeRecord second = range.next();
			assertThat(second.contentType()).isEqualTo("application/octet-stream");
			assertThat(second.expires()).isNull();
			assertThat(range.hasNext()).isFalse();
		}
		assertThat(server.received().get(0).fields()).containsEntry("accept", "application/x-ndjson");
		assertThat(server.received().get(0).target()).isEqualTo("/v0/entities?prefix=fruit%3A%20%2B&limit=1000");
	}

	@Test
	void keysComeWithoutValues() {
		HostileServer server = node(whole(
				"{\"key\":\"a\",\"etag\":\"1\",\"size\":7,\"expires\":\"2026-01-31T12:00:00Z\"}", RangeStore.last(1)));
		try (RangeIterator<KeyRecord> range = client(server).keys(RangeQuery.between("a", "b"))) {
			assertThat(range.next()).isEqualTo(new KeyRecord("a", "1", 7, Instant.parse("2026-01-31T12:00:00Z")));
			assertThat(range.hasNext()).isFalse();
		}
		assertThat(RangeStore.parameters(server.received().get(0)))
			.isEqualTo(Map.of("start", "a", "end", "b", "keys", "true", "limit", "1000"));
	}

	static Stream<Arguments> bounds() {
		String longest = "x".repeat(1_024) + "\0";
		return Stream.of(Arguments.of(RangeQuery.all(), Map.of("start", "\0")),
				Arguments.of(RangeQuery.prefix(""), Map.of("start", "\0")),
				Arguments.of(RangeQuery.between("a/b", "ä"), Map.of("start", "a/b", "end", "ä")),
				Arguments.of(RangeQuery.from(longest), Map.of("start", longest)),
				Arguments.of(RangeQuery.before("b"), Map.of("start", "\0", "end", "b")),
				Arguments.of(RangeQuery.all().reverse(), Map.of("reverse", "true")),
				Arguments.of(RangeQuery.before("b").reverse(), Map.of("reverse", "true", "end", "b")),
				Arguments.of(RangeQuery.prefix("a").reverse(), Map.of("reverse", "true", "prefix", "a")),
				Arguments.of(RangeQuery.cursor("AQ+/="), Map.of("cursor", "AQ+/=")));
	}

	@ParameterizedTest
	@MethodSource("bounds")
	void boundsAreSent(RangeQuery query, Map<String, String> sent) {
		HostileServer server = node(whole(RangeStore.last(0)));
		assertThat(keys(client(server).range(query.pageSize(7)))).isEmpty();
		Map<String, String> parameters = RangeStore.parameters(server.received().get(0));
		assertThat(parameters.remove("limit")).isEqualTo("7");
		assertThat(parameters).isEqualTo(sent);
	}

	@ParameterizedTest
	@CsvSource({ "1,false", "3,false", "10,false", "3,true", "1000,true" })
	void rangeIsReadInPages(int pageSize, boolean isReverse) {
		HostileServer server = node(store());
		List<String> read = keys(client(server).range(directed(isReverse).pageSize(pageSize)));
		assertThat(read).isEqualTo(isReverse ? reversed(List.of(KEYS)) : List.of(KEYS));
		assertThat(server.received()).hasSize((pageSize == 1_000) ? 1 : (10 + pageSize - 1) / pageSize);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 4, 10, 20 })
	void limitHasAllPages(int limit) {
		HostileServer server = node(store());
		assertThat(keys(client(server).range(RangeQuery.all().limit(limit).pageSize(3))))
			.containsExactly(Arrays.copyOf(KEYS, Math.min(10, limit)));
		assertThat(server.received()
			.stream()
			.mapToInt((each) -> Integer.parseInt(RangeStore.parameters(each).getOrDefault("limit", "0"))))
			.allMatch((each) -> each <= limit);
	}

	@Test
	void cursorLeadsToTheRest() {
		QuorateClient client = client(node(store()));
		Page<RangeRecord> page = client.page(RangeQuery.all().pageSize(4));
		assertThat(page.records()).extracting(RangeRecord::key).containsExactly("k00", "k01", "k02", "k03");
		assertThat(keys(client.range(RangeQuery.cursor(Objects.requireNonNull(page.cursor()))))).containsExactly("k04",
				"k05", "k06", "k07", "k08", "k09");
		Page<RangeRecord> last = client.page(RangeQuery.all().reverse().pageSize(4));
		String cursor = Objects.requireNonNull(last.cursor());
		assertThat(keys(client.range(RangeQuery.cursor(cursor).reverse().pageSize(4)))).containsExactly("k05", "k04",
				"k03", "k02", "k01", "k00");
		assertThat(caught(InvalidAnswerException.class, () -> keys(client.range(RangeQuery.cursor(cursor)))))
			.hasMessageContaining("other direction");
		assertThat(client.page(RangeQuery.all()).cursor()).isNull();
	}

	private static Map<String, String> lost() {
		Map<String, String> lost = new LinkedHashMap<>();
		String head = Scripts.head(200, "Transfer-Encoding: chunked");
		lost.put("the last line is missing", Scripts.lines(RangeStore.record("a"), RangeStore.record("b")));
		lost.put("the last chunk is missing", Scripts.begunLines(RangeStore.record("a"), RangeStore.record("b")));
		lost.put("a line is cut", head + Scripts.chunks("{\"key\":\"a\",\"etag\":\"1\",\"val"));
		lost.put("the last line has no end", head + Scripts.chunks("{\"last\":true,\"records\":0}") + "0\r\n\r\n");
		lost.put("there is nothing", Scripts.lines());
		return lost;
	}

	static Stream<String> lostNames() {
		return lost().keySet().stream();
	}

	@ParameterizedTest
	@MethodSource("lostNames")
	void rangeWithoutItsLastLineFails(String name) {
		String answer = Objects.requireNonNull(lost().get(name));
		QuorateClient client = client(node(Scripts.cutAfter(answer), Scripts.cutAfter(Scripts.lines())));
		IncompleteRangeException error = caught(IncompleteRangeException.class,
				() -> keys(client.range(RangeQuery.all())));
		boolean hasRecords = answer.contains("\"b\"");
		assertThat(error.records()).isEqualTo(hasRecords ? 2 : 0);
		assertThat(error.lastKey().orElse("")).isEqualTo(hasRecords ? "b" : "");
		assertThat(error.failures()).hasSize(2);
		caught(UnavailableException.class, () -> client.page(RangeQuery.all()));
	}

	@Test
	void recordsBeforeTheEndAreHandedOver() {
		HostileServer server = node(
				Scripts.cutAfter(Scripts.begunLines(RangeStore.record("a"), RangeStore.record("b"))), Scripts.CUT);
		try (RangeIterator<RangeRecord> range = client(server).range(RangeQuery.all())) {
			assertThat(range.next().key()).isEqualTo("a");
			assertThat(range.next().key()).isEqualTo("b");
			IncompleteRangeException error = caught(IncompleteRangeException.class, range::next);
			assertThat(error.lastKey()).hasValue("b");
			// And it stays so: a caller that asks again gets no end.
			caught(IncompleteRangeException.class, range::hasNext);
		}
	}

	@ParameterizedTest
	@CsvSource({ "0,false", "1,false", "2,false", "3,false", "0,true", "1,true", "2,true", "3,true" })
	void rangeGoesOnAtTheNextNode(int at, boolean isReverse) {
		List<HostileServer> nodes = List.of(node(store().breaksAfter(at)), node(store().breaksAfter(at)),
				node(store()));
		List<String> read = keys(client(nodes.toArray()).range(directed(isReverse).pageSize(3)));
		assertThat(read).isEqualTo(isReverse ? reversed(List.of(KEYS)) : List.of(KEYS));
		assertThat(nodes.get(2).received()).hasSize((10 - 2 * at + 2) / 3);
	}

	static Stream<RangeQuery> ranges() {
		return Stream
			.of(RangeQuery.all(), RangeQuery.prefix("k0"), RangeQuery.from("k00"), RangeQuery.before("k09\0"),
					RangeQuery.between("k00", "k09\0"), RangeQuery.all().limit(10))
			.flatMap((range) -> Stream.of(range, range.reverse()));
	}

	@ParameterizedTest
	@MethodSource("ranges")
	void eachRecordOfABrokenAnswerIsProgress(RangeQuery range) {
		List<HostileServer> nodes = List.of(node(store().breaksAfter(1, 1, 1, 1)),
				node(store().breaksAfter(1, 1, 1, 1)));
		assertThat(keys(client(nodes.toArray()).range(range)))
			.isEqualTo(range.isReverse() ? reversed(List.of(KEYS)) : List.of(KEYS));
		assertThat(nodes.get(0).received().size() + nodes.get(1).received().size()).isEqualTo(9);
	}

	@Test
	void restOfABrokenRangeIsAskedForAlone() {
		HostileServer server = node(store().breaksAfter(3, 2));
		assertThat(keys(client(server).range(RangeQuery.prefix("k0").limit(6))))
			.containsExactly(Arrays.copyOf(KEYS, 6));
		assertThat(server.received()).extracting(RangeStore::parameters)
			.containsExactly(Map.of("prefix", "k0", "limit", "6"), Map.of("start", "k02\0", "end", "k1", "limit", "3"),
					Map.of("start", "k04\0", "end", "k1", "limit", "1"));
	}

	@Test
	void brokenRangeThatHasItsMostRecordsIsWhole() {
		HostileServer server = node(store().breaksAfter(6));
		assertThat(keys(client(server).range(RangeQuery.all().limit(6)))).containsExactly(Arrays.copyOf(KEYS, 6));
		assertThat(server.received()).hasSize(1);
	}

	@Test
	void brokenPageOfACursorIsReadAgain() {
		HostileServer server = node(store().breaksAfter(2));
		assertThat(keys(client(server).range(RangeQuery.cursor("+k05")))).containsExactly("k06", "k07", "k08", "k09");
		assertThat(server.received()).extracting((each) -> RangeStore.parameters(each).get("cursor"))
			.containsExactly("+k05", "+k05");
	}

	@Test
	void keysThatComeAndGoChangeNothingThatWasRead() {
		HostileServer broken = node(new RangeStore("a", "c", "e").breaksAfter(2));
		HostileServer other = node(new RangeStore("a", "b", "d", "e"));
		assertThat(keys(client(broken, other).range(RangeQuery.all()))).containsExactly("a", "c", "d", "e");
	}

	@Test
	void brokenRangeHasNoMoreRecordsThanAskedFor() {
		HostileServer broken = node(new RangeStore("a", "c").breaksAfter(2));
		HostileServer other = node(new RangeStore("b", "d", "e"));
		assertThat(keys(client(broken, other).range(RangeQuery.all().limit(3)))).containsExactly("a", "c", "d");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void laterCallContinuesARange(boolean isReverse) {
		String begin = "k".repeat(1_023);
		String[] longest = { begin + "a", begin + "b", begin + "c", begin + "d" };
		RangeStore store = new RangeStore(longest);
		QuorateClient client = client(
				node(new RangeStore(longest).breaksAfter(2), Scripts.problem(503, "draining"),
						Scripts.problem(503, "draining"), store),
				node(Scripts.problem(503, "draining"), Scripts.problem(503, "draining"), store));
		String lastKey = caught(IncompleteRangeException.class, () -> keys(client.range(directed(isReverse)))).lastKey()
			.orElseThrow();
		RangeQuery rest = isReverse ? RangeQuery.before(lastKey).reverse() : RangeQuery.from(lastKey + "\0");
		assertThat(keys(client.range(rest)))
			.isEqualTo(isReverse ? List.of(longest[1], longest[0]) : List.of(longest[2], longest[3]));
	}

	static Stream<Script> ends() {
		return Stream.of(Scripts.BAD_GATEWAY, Scripts.problem(401, "unauthenticated"), Scripts.problem(503, "draining"),
				Scripts.CUT);
	}

	@ParameterizedTest
	@MethodSource("ends")
	void rangeThatHasBegunIsIncompleteWhateverEndsIt(Script end) {
		HostileServer server = node(
				Scripts.cutAfter(Scripts.begunLines(RangeStore.record("a"), RangeStore.record("b"))), end);
		IncompleteRangeException error = caught(IncompleteRangeException.class,
				() -> keys(client(server, node(end)).range(RangeQuery.all())));
		assertThat(error.records()).isEqualTo(2);
		assertThat(error).hasCauseInstanceOf(QuorateException.class).hasMessageContaining("broke off after 2 records");
	}

	@Test
	void rangeThatHasNotBegunFailsAsOtherReads() {
		caught(NotEnoughReplicasException.class,
				() -> keys(client(node(Scripts.problem(504, "not-enough-replicas"))).range(RangeQuery.all())));
		caught(NoNodeAnsweredException.class, () -> keys(client(unusedUrl()).range(RangeQuery.all())));
		caught(ForbiddenException.class,
				() -> keys(client(node(Scripts.problem(403, "forbidden"))).range(RangeQuery.all())));
	}

	private static Map<String, String[]> lies() {
		String a = RangeStore.record("a");
		String b = RangeStore.record("b");
		Map<String, String[]> lies = new LinkedHashMap<>();
		lies.put("out of order", new String[] { b, a, RangeStore.last(2) });
		lies.put("twice", new String[] { a, a, RangeStore.last(2) });
		lies.put("too few", new String[] { a, RangeStore.last(2) });
		lies.put("too many", new String[] { a, b, RangeStore.last(1) });
		lies.put("behind the last", new String[] { a, RangeStore.last(1), b });
		lies.put("no key", new String[] { "{\"etag\":\"1\",\"value\":\"\"}", RangeStore.last(1) });
		lies.put("half of a character", new String[] { a.replace("\"a\"", "\"a\\ud83d\""), RangeStore.last(1) });
		lies.put("no etag", new String[] { "{\"key\":\"a\",\"value\":\"\"}", RangeStore.last(1) });
		lies.put("no value", new String[] { "{\"key\":\"a\",\"etag\":\"1\",\"size\":3}", RangeStore.last(1) });
		lies.put("no base64", new String[] { a.replace("eA==", "#"), RangeStore.last(1) });
		lies.put("no base64 at all", new String[] { a.replace("eA==", "é"), RangeStore.last(1) });
		lies.put("no object", new String[] { "[\"a\"]", RangeStore.last(1) });
		lies.put("two objects", new String[] { a + a, RangeStore.last(2) });
		lies.put("not last", new String[] { "{\"last\":false,\"records\":0}" });
		lies.put("no number", new String[] { "{\"last\":true}" });
		lies.put("no URL", new String[] { RangeStore.last(0, "c").replace("/v0", "//[x/v0") });
		lies.put("no cursor", new String[] { a, RangeStore.last(1, "c").replace("cursor", "start") });
		lies.put("another place", new String[] { a, RangeStore.last(1, "c").replace("/v0", "http://a/v0") });
		lies.put("no progress", new String[] { RangeStore.last(0, "same") });
		lies.put("no instant", new String[] { a.replace("}", ",\"expires\":\"soon\"}"), RangeStore.last(1) });
		lies.put("no month",
				new String[] { a.replace("}", ",\"expires\":\"2026-13-01T00:00:00Z\"}"), RangeStore.last(1) });
		return lies;
	}

	static Stream<String> lieNames() {
		return lies().keySet().stream();
	}

	@ParameterizedTest
	@MethodSource("lieNames")
	void noRangeIsTakenThatIsNone(String name) {
		QuorateClient client = client(node(whole(Objects.requireNonNull(lies().get(name)))));
		caught(InvalidAnswerException.class, () -> keys(client.range(RangeQuery.all())));
		QuorateException error = caught(QuorateException.class, () -> client.page(RangeQuery.all()));
		assertThat(error).isInstanceOf(InvalidAnswerException.class);
	}

	@Test
	void restOfALieIsNotRead() {
		String a = RangeStore.record("a");
		String b = RangeStore.record("b");
		HostileServer lying = node(whole(b, a, a, RangeStore.record("c"), RangeStore.last(4)),
				new RangeStore("b", "d"));
		assertThat(keys(client(lying).range(RangeQuery.all()))).containsExactly("b", "d");
		assertThat(lying.received()).hasSize(2);
	}

	@Test
	void pageThatBeginsAgainFails() {
		HostileServer server = node(whole(RangeStore.record("a"), RangeStore.last(1, "x")));
		assertThat(caught(InvalidAnswerException.class, () -> keys(client(server).range(RangeQuery.all()))))
			.hasMessageContaining("out of order");
	}

	@Test
	void recordHasALargestSize() {
		String[] lines = Stream
			.concat(Stream.of(KEYS).map((key) -> RangeStore.record(key, "x".repeat(300))),
					Stream.of(RangeStore.last(10)))
			.toArray(String[]::new);
		HostileServer server = node(whole(lines));
		assertThat(keys(client((options) -> options.maxAnswerSize(1_000), server).range(RangeQuery.all()))).hasSize(10);
		caught(AnswerTooLargeException.class,
				() -> keys(client((options) -> options.maxAnswerSize(400), server).range(RangeQuery.all())));
		caught(AnswerTooLargeException.class,
				() -> client((options) -> options.maxAnswerSize(1_000), server).page(RangeQuery.all()));
	}

	@Test
	void errorOfARangeHasALargestSize() {
		HostileServer server = node(Scripts.answer(503, " ".repeat(100_000), "Content-Type: application/problem+json"));
		caught(NoNodeAnsweredException.class, () -> keys(client(server).range(RangeQuery.all())));
	}

	@Test
	void iteratorThatIsClosedEarlyEndsItsConnection() throws InterruptedException {
		HostileServer server = node(Scripts.standStillAfter(Scripts.begunLines(RangeStore.record("a"))));
		RangeIterator<RangeRecord> range = client(server).range(RangeQuery.all());
		assertThat(range.next().key()).isEqualTo("a");
		assertThat(server.openConnections()).isEqualTo(1);
		range.close();
		await(() -> server.openConnections() == 0);
		caught(IllegalStateException.class, range::hasNext);
	}

	@Test
	void closeByAnotherThreadEndsTheWaitForARecord() throws InterruptedException {
		HostileServer server = node(Scripts.STAND_STILL);
		RangeIterator<RangeRecord> range = client(server).range(RangeQuery.all());
		AtomicReference<Throwable> error = new AtomicReference<>();
		Thread thread = new Thread(() -> error.set(caught(IllegalStateException.class, range::hasNext)));
		thread.start();
		await(() -> server.received().size() == 1 && thread.getState() == Thread.State.WAITING);
		range.close();
		thread.join(millis(10_000).toMillis());
		assertThat(error.get()).hasMessage("the range is closed");
		await(() -> server.openConnections() == 0);
	}

	@Test
	void iteratorAsksForFewRecordsBeforehand() {
		AtomicInteger asked = new AtomicInteger();
		RangeIterator<Integer> range = new RangeIterator<>(
				(subscriber) -> subscriber.onSubscribe(new Flow.Subscription() {

					@Override
					public void request(long count) {
						for (int i = 0; i < count; i++) {
							subscriber.onNext(asked.incrementAndGet());
						}
					}

					@Override
					public void cancel() {
					}

				}));
		for (int i = 1; i < 5; i++) {
			assertThat(asked.get()).isEqualTo(i + 1);
			assertThat(range.next()).isEqualTo(i);
		}
		range.close();
	}

	@Test
	void linesAndChunksAreNotTheSame() {
		StringBuilder text = new StringBuilder();
		Stream.of(KEYS).forEach((key) -> text.append(RangeStore.record(key)).append('\n'));
		text.append(RangeStore.last(10)).append('\n');
		String[] bytes = text.chars().mapToObj((each) -> String.valueOf((char) each)).toArray(String[]::new);
		String head = Scripts.head(200, "Transfer-Encoding: chunked");
		HostileServer server = node(Scripts.sends(head + Scripts.chunks(bytes) + "0\r\n\r\n"),
				Scripts.sends(head + Scripts.chunks(text.toString()) + "0\r\n\r\n"));
		assertThat(keys(client(server).range(RangeQuery.all()))).containsExactly(KEYS);
		assertThat(keys(client(server).range(RangeQuery.all()))).containsExactly(KEYS);
	}

	@Test
	void orderIsThatOfBytesAndNotOfChars() {
		String[] keys = { "a", "\ue000", "\uffff", "😀", "😁" };
		String[] lines = Stream.concat(Stream.of(keys).map(RangeStore::record), Stream.of(RangeStore.last(5)))
			.toArray(String[]::new);
		assertThat(keys(client(node(whole(lines))).range(RangeQuery.all()))).containsExactly(keys);
		assertThat(Stream.of("😀", "\uffff", "ab", "", "a").sorted(Keys::compare)).containsExactly("", "a", "ab",
				"\uffff", "😀");
	}

	@Test
	void largeRangeComesWhole() {
		String[] many = IntStream.range(0, 5_000).mapToObj((i) -> "key/%05d".formatted(i)).toArray(String[]::new);
		HostileServer server = node(new RangeStore(many));
		assertThat(keys(client(server).range(RangeQuery.all()))).containsExactly(many);
		assertThat(server.received()).hasSize(5);
		assertThat(server.connections()).isEqualTo(1);
	}

}
