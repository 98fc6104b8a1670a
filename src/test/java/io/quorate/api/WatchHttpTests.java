package io.quorate.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.api.RawConnection.Answer;
import io.quorate.api.ScriptedChanges.Script;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.RefusedException;
import io.quorate.entry.ContentType;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.security.access.TestAccess;
import io.quorate.security.access.Token;
import io.quorate.watch.WatchCursor;
import io.quorate.watch.WatchCursors;
import io.quorate.watch.WatchEvent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Streams of events, and their bounds. */
class WatchHttpTests extends HttpTests {

	private static final String TARGET = "/v0/watch?prefix=a/";

	private static final ScanRange RANGE = ScanRange.ascending(Key.of("a/"), Key.of("a0"));

	private static final WatchCursor FIRST = WatchCursors.of(RANGE, 1);

	private static final WatchCursor SECOND = WatchCursors.of(RANGE, 2);

	private static final Timestamp VERSION = new Timestamp(0x0192f3c5a1b20000L, 7);

	private static final String TAG = "\\\"0192f3c5a1b20000-00000007\\\"";

	private static final String BEGIN = ": quorate\n\n";

	private static final Token READER = Token.generate("reader");

	private static final WatchEvent DELETE = new WatchEvent.Delete(Key.of("a/1"), VERSION);

	@Autowired
	private MeterRegistry meters;

	@Autowired
	private TestAccess access;

	private final List<RawConnection> connections = new ArrayList<>();

	@BeforeEach
	void script() {
		this.changes.isScripted = true;
	}

	@AfterEach
	void leave() throws IOException {
		this.access.reopen();
		for (RawConnection connection : this.connections) {
			connection.close();
		}
	}

	private RawConnection open(String target, String... fields) throws IOException {
		RawConnection connection = connect();
		this.connections.add(connection);
		connection.request("GET", target, fields);
		return connection;
	}

	/* One that has begun. */
	private RawConnection watch(String target, String... fields) throws IOException {
		RawConnection connection = open(target, fields);
		Answer head = documented("GET", target, connection.head());
		assertThat(head.status).isEqualTo(200);
		assertThat(chunk(connection)).isEqualTo(BEGIN);
		return connection;
	}

	private static String chunk(RawConnection connection) throws IOException {
		return new String(Objects.requireNonNull(connection.chunk()), StandardCharsets.UTF_8);
	}

	private static WatchEvent put(String key, long expiryMillis, WatchEvent.@Nullable Content content) {
		return new WatchEvent.Put(Key.of(key), VERSION, 3, expiryMillis, content);
	}

	private static WatchEvent put(String key) {
		return put(key, Versioned.NEVER, null);
	}

	@Test
	void aClientGetsTheHeadBeforeAnythingHappens() throws IOException {
		RawConnection connection = open(TARGET);
		Answer head = documented("GET", TARGET, connection.head());
		assertThat(head.status).isEqualTo(200);
		assertThat(head.headers).containsEntry("content-type", "text/event-stream")
			.containsEntry("cache-control", "no-store, no-transform")
			.containsEntry("x-accel-buffering", "no");
		assertThat(chunk(connection)).isEqualTo(BEGIN);
	}

	@Test
	void everyKindOfEventHasItsForm() throws IOException {
		Map<WatchEvent, String> forms = Map.of(put("a/1"),
				"event: put\ndata: {\"key\":\"a/1\",\"etag\":\"" + TAG + "\",\"size\":3,\"expires\":null}\n\n",
				put("a/2", 1_769_860_800_250L, null),
				"event: put\ndata: {\"key\":\"a/2\",\"etag\":\"" + TAG
						+ "\",\"size\":3,\"expires\":\"2026-01-31T12:00:00.250Z\"}\n\n",
				DELETE, "event: delete\ndata: {\"key\":\"a/1\",\"etag\":\"" + TAG + "\"}\n\n", ScriptedChanges.LIVE,
				"event: live\ndata: {\"asOf\":\"2026-01-31T12:00:00.000Z\"}\n\n",
				new WatchEvent.Stalled(List.of("n1", "n2")), "event: stalled\ndata: {\"members\":[\"n1\",\"n2\"]}\n\n",
				new WatchEvent.Reset(), "event: reset\ndata: {}\n\n", new WatchEvent.Quiet(), ":\n\n");
		RawConnection connection = watch(TARGET);
		for (Map.Entry<WatchEvent, String> form : forms.entrySet()) {
			this.changes.script(0).send(null, form.getKey());
			assertThat(chunk(connection)).isEqualTo(form.getValue());
		}
	}

	@Test
	void aBatchIsSentAtOnceAndItsCursorStandsAtItsEnd() throws IOException {
		RawConnection connection = watch(TARGET);
		Script script = this.changes.script(0);
		script.send(FIRST, new WatchEvent.Reset(), put("a/1"), DELETE, ScriptedChanges.LIVE);
		String whole = chunk(connection);
		assertThat(whole).containsOnlyOnce("id: ")
			.contains("\n\nid: " + FIRST.toText() + "\nevent: live\n")
			.containsSubsequence("event: reset", "event: put", "event: delete", "event: live");
		script.send(null, put("a/1"), DELETE);
		assertThat(chunk(connection)).doesNotContain("id: ");
		script.send(SECOND, put("a/1"), new WatchEvent.Quiet());
		assertThat(chunk(connection)).startsWith("id: " + SECOND.toText() + "\nevent: put\n").endsWith("\n\n:\n\n");
		script.send(SECOND, new WatchEvent.Quiet());
		assertThat(chunk(connection)).isEqualTo(":\nid: " + SECOND.toText() + "\n\n");
	}

	@Test
	void valuesComeAsInARange() throws IOException {
		WatchEvent.Content typed = new WatchEvent.Content(Value.copyOf("red".getBytes(StandardCharsets.UTF_8)),
				ContentType.of("text/plain"));
		WatchEvent.Content plain = new WatchEvent.Content(Value.EMPTY, null);
		RawConnection connection = watch(TARGET + "&value=true");
		Script script = this.changes.script(0);
		assertThat(script.terms.hasValues()).isTrue();
		script.send(null, put("a/1", Versioned.NEVER, typed));
		assertThat(chunk(connection)).contains(",\"expires\":null,\"value\":\"cmVk\",\"contentType\":\"text/plain\"}");
		script.send(null, put("a/1", Versioned.NEVER, plain));
		assertThat(chunk(connection)).contains(",\"value\":\"\"}");
		script.send(null, put("a/1"));
		assertThat(chunk(connection)).as("too large").contains(",\"value\":null}");
		script.send(null, DELETE);
		assertThat(chunk(connection)).doesNotContain("value");
		watch(TARGET + "&value=false");
		assertThat(this.changes.script(1).terms.hasValues()).isFalse();
	}

	@Test
	void noKeyEndsALine() throws IOException {
		RawConnection connection = watch(TARGET);
		this.changes.script(0).send(null, put("a/\n\r\u0085\u2028\u2029\"\u00e9"));
		String event = chunk(connection);
		assertThat(event).contains("\"key\":\"a/\\n\\r\\u0085\\u2028\\u2029\\\"\u00e9\"");
		assertThat(event.split("\\R")).hasSize(2);
	}

	@Test
	void aWatchIsOfARangeOrOfAKey() throws IOException {
		Map<String, ScanRange> ranges = Map.of("?prefix=a%2F", RANGE, "?start=a&end=b",
				ScanRange.ascending(Key.of("a"), Key.of("b")), "?start=a", ScanRange.ascending(Key.of("a"), null),
				"?key=a%20", ScanRange.only(Key.of("a ")), "?id=a", ScanRange.only(Key.of("a")), "",
				ScanRange.ascending(Key.wrap(new byte[1]), null), "?start=b&end=a",
				ScanRange.ascending(Key.of("b"), Key.of("a")));
		int number = 0;
		for (Map.Entry<String, ScanRange> range : ranges.entrySet()) {
			watch("/v0/watch" + range.getKey());
			assertThat(this.changes.script(number++).terms).as(range.getKey())
				.satisfies((terms) -> assertThat(terms.range()).isEqualTo(range.getValue()))
				.satisfies((terms) -> assertThat(terms.cursor()).isNull())
				.satisfies((terms) -> assertThat(terms.isReset()).isFalse())
				.satisfies((terms) -> assertThat(terms.hasValues()).isFalse());
		}
	}

	@Test
	void theLastEventBeatsTheCursorOfTheUrl() throws IOException {
		watch(TARGET + "&cursor=" + FIRST.toText());
		assertThat(this.changes.script(0).terms.cursor()).isEqualTo(FIRST);
		assertThat(this.changes.script(0).terms.isReset()).isFalse();
		watch(TARGET + "&cursor=" + FIRST.toText(), "Last-Event-ID: " + SECOND.toText());
		assertThat(this.changes.script(1).terms.cursor()).isEqualTo(SECOND);
		assertThat(this.changes.script(1).terms.isReset()).isTrue();
		watch(TARGET + "&cursor=0", "Last-Event-ID: ");
		assertThat(this.changes.script(2).terms.cursor()).isEqualTo(WatchCursor.START);
		assertThat(this.changes.script(2).terms.isReset()).isFalse();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			?limit=5                | parameter 'limit' is unknown here
			?prefix=a&reverse=true  | parameter 'reverse' is unknown here
			?values=true            | did you mean 'value'?
			?prefix=                | parameter 'prefix' is empty
			?prefix=a&start=a       | parameter 'prefix' stands beside
			?prefix=a&end=b         | parameter 'prefix' stands beside
			?key=a&prefix=a         | parameter 'key' stands beside 'prefix'
			?id=a&end=b             | parameter 'id' stands beside 'end'
			?key=a&id=b             | parameter 'key' stands beside another 'id'
			?key=a+b                | write %20 for a space
			?value=yes              | it is true or false
			?wait=0                 | between 1 and 55
			?wait=56                | between 1 and 55
			?wait=x                 | no whole number
			?cursor=                | parameter 'cursor' is none that a node gave
			?cursor=AQIDBA          | parameter 'cursor' is none that a node gave
			?cursor=0&cursor=0      | must stand only once
			?prefix=b&cursor=%s     | parameter 'cursor' is of another range
			""")
	void aRequestThatMeansNothingIsRefused(String query, String detail) throws IOException {
		assertProblem(ask("GET", "/v0/watch" + query.replace("%s", FIRST.toText())), 400, "bad-request", detail);
	}

	@Test
	void aHeaderFieldThatMeansNothingIsRefused() throws IOException {
		assertProblem(ask("GET", TARGET, "Last-Event-ID: x"), 400, "bad-request",
				"header Last-Event-ID is none that a node gave");
		assertProblem(ask("GET", "/v0/watch?prefix=b", "Last-Event-ID: " + FIRST.toText()), 400, "bad-request",
				"header Last-Event-ID is of another range");
		assertProblem(ask("GET", TARGET, "Content-Length: 1"), 400, "bad-request", "a watch has no body");
		assertProblem(ask("GET", TARGET, "Quorate-TTL: 5"), 400, "bad-request", "Quorate-TTL");
	}

	@ParameterizedTest
	@ValueSource(strings = { "POST", "PUT", "DELETE", "OPTIONS" })
	void aWatchIsAGet(String method) throws IOException {
		Answer refused = ask(method, TARGET, "Content-Length: 0");
		assertProblem(refused, 405, "method-not-allowed", "this path takes GET");
		assertThat(refused.headers).containsEntry("allow", "GET");
		assertProblem(ask("GET", "/v0/watch/a"), 400, "unknown-path", "watches under /v0/watch");
	}

	@Test
	void aClientIsWatchedForItsRights() throws IOException {
		this.access.become("principals: {reader: {tokens: [{sha256: %s}], read: [\"a/\"]}}".formatted(READER.sha256()));
		this.access.pass();
		String field = "Authorization: Bearer " + READER.text();
		assertProblem(ask("GET", "/v0/watch?prefix=a", field), 403, "forbidden", "`reader` may not read this range");
		assertProblem(ask("GET", "/v0/watch", field), 403, "forbidden", "`reader` may not read this range");
		RawConnection connection = watch(TARGET, field);
		Script script = this.changes.script(0);
		assertThat(script.terms.principal()).isEqualTo("reader");
		assertThat(script.terms.mayRead().getAsBoolean()).isTrue();
		this.access.become("principals: {other: {read: all}}");
		assertThat(script.terms.mayRead().getAsBoolean()).isFalse();
		script.send(null, new WatchEvent.End("rights"));
		script.end();
		assertThat(chunk(connection)).contains("data: {\"why\":\"rights\"}");
		assertThat(connection.chunk()).isNull();
	}

	@Test
	void aLostCursorIsAProblem() throws IOException {
		this.coordinator.failure = WatchCursors.lost();
		assertProblem(ask("GET", TARGET + "&cursor=" + FIRST.toText()), 410, "cursor-lost",
				"begin again with cursor=0");
		assertProblem(ask("GET", TARGET + "&wait=5&cursor=" + FIRST.toText()), 410, "cursor-lost",
				"begin again with cursor=0");
	}

	@ParameterizedTest
	@CsvSource({ "REQUESTS, overloaded, full", "DRAINING, draining, draining" })
	void aBrowserLearnsInAnAnswerThatItComesTooEarly(Why why, String problem, String word) throws IOException {
		this.coordinator.failure = new RefusedException(why, "as the test wants");
		Answer refused = ask("GET", TARGET + "&cursor=" + FIRST.toText());
		assertProblem(refused, 503, problem, "as the test wants");
		assertThat(refused.headers).containsKey("retry-after");
		assertProblem(ask("GET", TARGET + "&wait=5", "Last-Event-ID: " + FIRST.toText()), 503, problem,
				"as the test wants");
		Answer told = ask("GET", TARGET, "Last-Event-ID: " + FIRST.toText());
		assertThat(told.status).isEqualTo(200);
		assertThat(told.text())
			.matches(BEGIN + "retry: [1-5]\\d{3}\nevent: end\ndata: \\{\"why\":\"" + word + "\"}\n\n");
	}

	@Test
	void anotherFailureIsAnsweredAsElsewhere() throws IOException {
		this.coordinator.failure = new IllegalStateException("as the test wants");
		assertProblem(ask("GET", TARGET, "Last-Event-ID: " + FIRST.toText()), 500, "internal-error", "its log");
	}

	@Test
	void theEndOfAWatchIsTheEndOfTheAnswer() throws IOException {
		RawConnection connection = watch(TARGET);
		Script script = this.changes.script(0);
		script.send(FIRST, put("a/1"), new WatchEvent.End("draining"));
		script.end();
		assertThat(chunk(connection)).containsPattern(
				"\n\nid: " + FIRST.toText() + "\nretry: [1-5]\\d{3}\nevent: end\ndata: \\{\"why\":\"draining\"}\n\n$");
		assertThat(connection.chunk()).isNull();
		assertThat(connection.request("GET", "/v0/entity/a").answer().status).as("on the same connection")
			.isEqualTo(404);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "&wait=55" })
	void aClientThatGoesIsForgotten(String more) throws IOException {
		for (boolean isReset : new boolean[] { true, false }) {
			RawConnection connection = open(TARGET + more);
			int number = isReset ? 0 : 1;
			Script script = this.changes.script(number);
			if (isReset) {
				connection.reset();
			}
			else {
				script.send(FIRST, new WatchEvent.Quiet());
				connection.close();
			}
			await().until(() -> script.isLeft);
		}
	}

	@Test
	void aWatchHoldsNoPlaceAndIsNoSlowRequest() throws IOException {
		try (LoggedLines slow = new LoggedLines("io.quorate.slow")) {
			double before = measured();
			RawConnection connection = watch(TARGET);
			RawConnection poll = open(TARGET + "&wait=1");
			assertThat(poll.answer().status).isEqualTo(200);
			Script script = this.changes.script(0);
			script.send(FIRST, put("a/1"));
			assertThat(chunk(connection)).contains("a/1");
			assertThat(this.admission.requests()).isZero();
			assertThat(this.admission.bytes()).isZero();
			script.end();
			assertThat(connection.chunk()).isNull();
			assertThat(measured()).isEqualTo(before);
			assertThat(slow.lines()).isEmpty();
		}
	}

	private double measured() {
		return this.meters.get("quorate.request").timers().stream().mapToLong((timer) -> timer.count()).sum();
	}

	/* The one is closed by the rule that the other one has outlived. */
	@Test
	void aQuietClientOutlivesOneThatTakesNothing() throws IOException {
		RawConnection quiet = watch(TARGET);
		try (RawConnection idle = RawConnection.to(this.port, 64 * 1024)) {
			idle.request("GET", TARGET + "&value=true");
			Script flood = this.changes.script(1);
			WatchEvent large = new WatchEvent.Put(Key.of("a/1"), VERSION, 64 * 1024, Versioned.NEVER,
					new WatchEvent.Content(Value.wrap(new byte[64 * 1024]), null));
			WatchEvent[] batch = new WatchEvent[16];
			Arrays.fill(batch, large);
			await().until(() -> {
				if (!flood.isLeft && flood.isAsked()) {
					flood.send(FIRST, batch);
				}
				return flood.isLeft;
			});
		}
		this.changes.script(0).send(FIRST, put("a/1"));
		assertThat(chunk(quiet)).contains("a/1");
	}

}
