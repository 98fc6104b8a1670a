package io.quorate.api;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

import io.quorate.api.RawConnection.Answer;
import io.quorate.api.ScriptedChanges.Script;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Versioned;
import io.quorate.watch.WatchCursor;
import io.quorate.watch.WatchCursors;
import io.quorate.watch.WatchEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Polls of watches: lines of JSON, and the end of a poll. */
class WatchPollHttpTests extends HttpTests {

	private static final String TARGET = "/v0/watch?prefix=a/&wait=55";

	private static final String SHORT = "/v0/watch?prefix=a/&wait=1";

	private static final ScanRange RANGE = ScanRange.ascending(Key.of("a/"), Key.of("a0"));

	private static final WatchCursor FIRST = WatchCursors.of(RANGE, 1);

	private static final WatchCursor SECOND = WatchCursors.of(RANGE, 2);

	private static final Timestamp VERSION = new Timestamp(0x0192f3c5a1b20000L, 7);

	private static final String TAG = "\"etag\":\"\\\"0192f3c5a1b20000-00000007\\\"\"";

	private static final WatchEvent PUT = new WatchEvent.Put(Key.of("a/1"), VERSION, 3, Versioned.NEVER, null);

	private static final String PUT_LINE = "{\"event\":\"put\",\"key\":\"a/1\"," + TAG
			+ ",\"size\":3,\"expires\":null}\n";

	private static final WatchEvent STALLED = new WatchEvent.Stalled(List.of("n2"));

	private RawConnection connection;

	@BeforeEach
	void open() throws IOException {
		this.changes.isScripted = true;
		this.connection = connect();
	}

	@AfterEach
	void close() throws IOException {
		this.connection.close();
	}

	private Script poll(String target, String... fields) throws IOException {
		this.connection.request("GET", target, fields);
		return this.changes.script(0);
	}

	private Answer answer(String target) throws IOException {
		Answer answer = documented("GET", target, this.connection.answer());
		assertThat(answer.status).isEqualTo(200);
		assertThat(answer.headers).containsEntry("content-type", "application/x-ndjson");
		return answer;
	}

	private static String live(WatchCursor cursor) {
		return "{\"event\":\"live\",\"asOf\":\"2026-01-31T12:00:00.000Z\",\"cursor\":\"" + cursor.toText() + "\"}\n";
	}

	private static String stalled(String members, String cursor) {
		return "{\"event\":\"stalled\",\"members\":[" + members + "],\"cursor\":" + cursor + "}\n";
	}

	@Test
	void aPollEndsWithTheFirstEventsOfKeys() throws IOException {
		Script script = poll(TARGET);
		script.send(FIRST, ScriptedChanges.LIVE);
		script.send(FIRST, new WatchEvent.Quiet());
		script.send(SECOND, PUT, new WatchEvent.Delete(Key.of("a/2"), VERSION));
		assertThat(answer(TARGET).text())
			.isEqualTo(PUT_LINE + "{\"event\":\"delete\",\"key\":\"a/2\"," + TAG + "}\n" + live(SECOND));
		await().until(() -> script.isLeft);
	}

	@Test
	void aPollEndsAlsoWhereTheWatchIsStalled() throws IOException {
		Script script = poll(TARGET);
		script.send(null, STALLED);
		script.send(FIRST, PUT);
		assertThat(answer(TARGET).text()).isEqualTo(PUT_LINE + stalled("\"n2\"", "\"" + FIRST.toText() + "\""));
	}

	@Test
	void theStateIsSentToItsEndWhateverTheTime() throws IOException {
		Script script = poll(SHORT + "&cursor=0");
		assertThat(script.terms.cursor()).isEqualTo(WatchCursor.START);
		script.send(FIRST, new WatchEvent.Reset(), PUT);
		assertThat(this.connection.head().status).isEqualTo(200);
		assertThat(new String(requireNonNull(this.connection.chunk()), UTF_8))
			.isEqualTo("{\"event\":\"reset\"}\n" + PUT_LINE);
		// Another poll of the same time that has nothing to send ends first.
		assertThat(ask("GET", SHORT).status).isEqualTo(200);
		script.send(FIRST, PUT);
		assertThat(new String(requireNonNull(this.connection.chunk()), UTF_8)).isEqualTo(PUT_LINE);
		script.send(SECOND, ScriptedChanges.LIVE);
		assertThat(new String(requireNonNull(this.connection.chunk()), UTF_8)).isEqualTo(live(SECOND));
		assertThat(this.connection.chunk()).isNull();
	}

	static Stream<List<Object>> silences() {
		return Stream.of(List.of("", List.<WatchEvent>of(), stalled("", "null")),
				List.of("&cursor=" + SECOND.toText(), List.<WatchEvent>of(),
						stalled("", "\"" + SECOND.toText() + "\"")),
				List.of("", List.of(new WatchEvent.Quiet()), stalled("", "\"" + FIRST.toText() + "\"")),
				List.of("&cursor=" + SECOND.toText(), List.of(ScriptedChanges.LIVE), live(FIRST)),
				List.of("", List.of(STALLED), stalled("\"n2\"", "\"" + FIRST.toText() + "\"")));
	}

	@ParameterizedTest
	@MethodSource("silences")
	void aPollEndsWithItsTime(List<Object> silence) throws IOException {
		Script script = poll(SHORT + silence.get(0));
		List<?> events = (List<?>) silence.get(1);
		if (!events.isEmpty()) {
			script.send(FIRST, (WatchEvent) events.getFirst());
		}
		assertThat(answer(SHORT).text()).isEqualTo(silence.get(2));
		await().until(() -> script.isLeft);
	}

	@Test
	void aShortPollEndsBeforeALongOne() throws IOException {
		Script longer = poll(TARGET);
		assertThat(ask("GET", SHORT).status).isEqualTo(200);
		assertThat(longer.isLeft).isFalse();
	}

	@Test
	void aCatchUpThatStandsStillEndsBehindItsTime() throws IOException {
		Script script = poll(SHORT + "&cursor=" + FIRST.toText());
		script.send(null, PUT);
		assertThat(this.connection.head().status).isEqualTo(200);
		assertThat(this.connection.chunk()).isNotNull();
		assertThat(ask("GET", SHORT).status).isEqualTo(200);
		script.send(SECOND, new WatchEvent.Quiet());
		assertThat(new String(requireNonNull(this.connection.chunk()), UTF_8))
			.isEqualTo(stalled("", "\"" + SECOND.toText() + "\""));
		assertThat(this.connection.chunk()).isNull();
	}

	@Test
	void theEndOfAWatchIsTheLastLine() throws IOException {
		Script script = poll(TARGET);
		script.send(FIRST, ScriptedChanges.LIVE);
		script.send(FIRST, new WatchEvent.End("draining"));
		script.end();
		assertThat(answer(TARGET).text())
			.isEqualTo("{\"event\":\"end\",\"why\":\"draining\",\"cursor\":\"" + FIRST.toText() + "\"}\n");
	}

	@Test
	void aPollGoesOnWithTheLastEvent() throws IOException {
		Script script = poll(TARGET + "&value=true", "Last-Event-ID: " + SECOND.toText());
		assertThat(script.terms.cursor()).isEqualTo(SECOND);
		assertThat(script.terms.isReset()).isTrue();
		script.send(FIRST, PUT, ScriptedChanges.LIVE);
		assertThat(answer(TARGET).text()).contains(",\"value\":null}\n").endsWith(live(FIRST));
	}

}
