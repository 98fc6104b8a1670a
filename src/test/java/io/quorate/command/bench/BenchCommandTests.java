package io.quorate.command.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.quorate.SharedNode;
import io.quorate.command.CommandRun;
import io.quorate.command.ScriptedNode;
import io.quorate.command.terminal.ExitCode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

class BenchCommandTests {

	private static final String NO_KEYS = "{\"last\":true,\"records\":0}\n";

	private static Map<String, String> environment = Map.of();

	@BeforeAll
	static void start() {
		SharedNode.OPEN.empty();
		environment = Map.of("QUORATE_ENDPOINTS", SharedNode.OPEN.url());
	}

	private static CommandRun run(String... arguments) {
		return CommandRun.of(environment, "", arguments);
	}

	@Test
	void everyRequestIsMeasuredAndTheKeysAreGoneAtTheEnd() {
		// All can be under way at once: none is left out because the machine is slow.
		CommandRun run = run("bench", "--rate=40", "--duration=1s", "--warmup=500ms", "--keys=20", "--reads=0.75", "-o",
				"json");
		assertThat(run.exitCode()).as(run.err()).isZero();
		List<JsonNode> lines = run.out().lines().map(JsonMapper.shared()::readTree).toList();
		assertThat(lines).extracting((line) -> line.path("request").asString()).containsExactly("get", "put");
		assertThat(lines).extracting((line) -> line.path("done").asInt()).containsExactly(30, 10);
		for (JsonNode line : lines) {
			JsonNode latency = line.path("latencyMillis");
			assertThat(line.path("failed").asInt()).isZero();
			assertThat(latency.path("p50").asDouble()).isPositive()
				.isLessThanOrEqualTo(latency.path("p99.9").asDouble());
			assertThat(latency.path("p99.9").asDouble()).isLessThanOrEqualTo(latency.path("max").asDouble());
		}
		assertThat(run.err()).contains("wrote 20 keys in ", "sent 60 requests in ", "deleted 20 keys in ");
		assertThat(run("ls").out()).isEmpty();
	}

	@Test
	void aTableHasARowForEachKindOfRequest() {
		CommandRun run = run("bench", "--rate=50", "--duration=200ms", "--warmup=20ms", "--keys=1", "--reads=0",
				"--value-bytes=0");
		assertThat(run.exitCode()).as(run.err()).isZero();
		assertThat(run.out().lines()).hasSize(2);
		assertThat(run.out()).startsWith("REQUEST  ASKED/S  DONE/S  FAILED  P50 MS").contains("put      50 ");
	}

	@Test
	void batchesReadAndWriteAllOfTheirKeys() {
		CommandRun run = run("bench", "--rate=20", "--duration=1s", "--warmup=100ms", "--keys=20", "--batch=15",
				"--prefix=\"batch\":", "-o", "json");
		assertThat(run.exitCode()).as(run.err()).isZero();
		assertThat(run.out().lines().map(JsonMapper.shared()::readTree)).extracting((line) -> line.path("done").asInt())
			.containsExactly(10, 10);
		assertThat(run("ls").out()).isEmpty();
	}

	@Test
	void everyIntervalHasLinesOfItsOwn() {
		CommandRun run = run("bench", "--rate=20", "--duration=1s", "--warmup=100ms", "--keys=1", "--reads=0",
				"--interval=500ms", "-o", "json");
		assertThat(run.exitCode()).as(run.err()).isZero();
		assertThat(run.out().lines().map(JsonMapper.shared()::readTree))
			.extracting((line) -> line.path("seconds").asString(), (line) -> line.path("done").asInt())
			.containsExactly(tuple("0-0.5", 10), tuple("0.5-1", 10), tuple("all", 20));
	}

	/* One that is ready gets nothing before the others are. */
	@Test
	void aColdLoadBeginsWhenAllNodesAreReady() throws IOException {
		try (ScriptedNode first = new ScriptedNode(); ScriptedNode last = new ScriptedNode()) {
			first.answers(200, "application/json", "{\"state\":\"ready\"}")
				.answers(200, "application/x-ndjson", NO_KEYS)
				.acknowledges(201, "")
				.acknowledges(202, "");
			last.refuses(503)
				.answers(200, "application/json", "{\"state\":\"not-ready\"}")
				.answers(200, "application/json", "{\"state\":\"ready\"}")
				.acknowledges(201, "");
			CommandRun run = CommandRun.of("bench", "-e", first.url(), "-e", last.url(), "--cold", "--rate=10",
					"--duration=200ms", "--warmup=500ms", "--keys=1", "--reads=0");
			assertThat(run.exitCode()).as(run.err()).isZero();
			assertThat(run.err()).contains("warmed up by 5 requests in ", "sent 2 requests in ");
			assertThat(first.requests).extracting((request) -> request.replaceFirst("[?].*", ""))
				.containsExactly("GET /v0/status", "GET /v0/entities", "PUT /v0/entity", "DELETE /v0/entity");
			assertThat(last.requests).extracting((request) -> request.replaceFirst("[?].*", ""))
				.containsExactly("GET /v0/status", "GET /v0/status", "GET /v0/status", "PUT /v0/entity");
		}
	}

	@Test
	void aNodeThatRefusesTheTokenIsNotWaitedFor() throws IOException {
		try (ScriptedNode scripted = new ScriptedNode()) {
			scripted.refuses(401);
			CommandRun run = scripted(scripted, 1, "--cold");
			assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
			assertThat(run.err()).contains(scripted.url() + ": 401: the node asks for a token");
			assertThat(scripted.requests).hasSize(1);
		}
	}

	/* The stand-in, which warms the command up, acknowledges batches as nodes do. */
	@Test
	void aColdLoadMayBeOfBatches() {
		CommandRun run = run("bench", "--cold", "--rate=20", "--duration=500ms", "--warmup=500ms", "--reads=0",
				"--batch=3", "--keys=3");
		assertThat(run.exitCode()).as(run.err()).isZero();
		assertThat(run.err()).contains("warmed up by 10 requests in ")
			.contains("failed: 0")
			.doesNotContain("failed: 1");
	}

	@Test
	void keysOfOthersAreNotWrittenOver() {
		assertThat(run("put", "mine:1", "v").exitCode()).isZero();
		CommandRun run = run("bench", "--prefix=mine:", "--duration=100ms");
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.err()).contains("there is a key 'mine:1' already");
		assertThat(run("get", "mine:1").out()).isEqualTo("v");
		assertThat(run("del", "mine:1").exitCode()).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "--batch=0", "--batch=1000 --keys=999", "--batch=1001", "--interval=1ms", "--cold",
			"--rate=0", "--rate=100001", "--keys=0", "--value-bytes=-1", "--parallel=0", "--parallel=1025",
			"--reads=1.1", "--reads=NaN", "--duration=0s", "--warmup=x" })
	void numbersOutOfBoundsAreRefused(String option) {
		CommandRun run = run(("bench " + option).split(" "));
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.err()).isNotBlank();
	}

	@Test
	void aBatchWithAnItemThatFailsIsAFailure() throws IOException {
		try (ScriptedNode scripted = new ScriptedNode()) {
			String done = "{\"status\":201}\n";
			scripted.answers(200, "application/x-ndjson", NO_KEYS)
				.acknowledges(201, "")
				.acknowledges(201, "")
				.answers(200, "application/x-ndjson", done + done)
				.answers(200, "application/x-ndjson", done + "{\"status\":503,\"problem\":{}}\n")
				.answers(200, "application/x-ndjson", done)
				.acknowledges(202, "")
				.acknowledges(202, "");
			CommandRun run = scripted(scripted, 2, "--batch=2");
			assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
			assertThat(run.err()).contains("1 failed: " + scripted.url() + ": an item was answered 503",
					"1 failed: " + scripted.url() + ": not every item was answered");
			assertThat(scripted.bodies.get(3).lines()).hasSize(2)
				.allMatch((line) -> line.startsWith("{\"op\":\"put\",\"key\":\"quorate-bench:000000"));
		}
	}

	private static CommandRun scripted(ScriptedNode scripted, int keys, String... more) {
		return CommandRun.of(Stream
			.concat(Stream.of("bench", "-e", scripted.url(), "--rate=10", "--duration=200ms", "--warmup=100ms",
					"--keys=" + keys, "--reads=0", "--parallel=1"), Stream.of(more))
			.toArray(String[]::new));
	}

	@Test
	void failuresAreCountedWithTheirReasons() throws IOException {
		try (ScriptedNode scripted = new ScriptedNode()) {
			scripted.answers(200, "application/x-ndjson", NO_KEYS)
				.acknowledges(201, "")
				.refuses(503)
				.acknowledges(201, "")
				.refuses(503)
				.acknowledges(202, "");
			CommandRun run = scripted(scripted, 1);
			assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
			assertThat(run.out()).containsPattern("put      10       [0-9]+ +1 ");
			assertThat(run.err()).contains("1 failed: " + scripted.url() + ": 503 Refused: because of the script");
			assertThat(scripted.requests).last().asString().startsWith("DELETE");
		}
	}

	/*
	 * All requests of the last 200 ms were due while the node took 500 ms for the first.
	 */
	@Test
	void latencyCountsFromTheInstantAtWhichARequestWasDue() throws IOException {
		try (ScriptedNode scripted = new ScriptedNode()) {
			scripted.answers(200, "application/x-ndjson", NO_KEYS)
				.acknowledges(201, "")
				.acknowledges(201, "")
				.acknowledgesAfter(Duration.ofMillis(500), 201, "");
			for (int i = 1; i < 10; i++) {
				scripted.acknowledges(201, "");
			}
			scripted.acknowledges(202, "");
			CommandRun run = CommandRun.of("bench", "-e", scripted.url(), "--rate=50", "--duration=200ms",
					"--warmup=20ms", "--keys=1", "--reads=0", "--parallel=1", "-o", "json");
			assertThat(run.exitCode()).as(run.err()).isZero();
			JsonNode line = JsonMapper.shared().readTree(run.out());
			assertThat(line.path("done").asInt()).isEqualTo(10);
			assertThat(line.path("latencyMillis").path("p50").asDouble()).isGreaterThan(250);
			assertThat(line.path("latencyMillis").path("max").asDouble()).isGreaterThanOrEqualTo(500);
		}
	}

	@Test
	void aValueOfAProxyIsAFailure() throws IOException {
		try (ScriptedNode scripted = new ScriptedNode()) {
			scripted.answers(200, "application/x-ndjson", NO_KEYS)
				.acknowledges(201, "")
				.acknowledges(201, "")
				.answers(201, "text/html", "<html>")
				.acknowledges(201, "")
				.acknowledges(202, "");
			CommandRun run = scripted(scripted, 1);
			assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
			assertThat(run.err()).contains("1 failed: ");
		}
	}

	@Test
	void nothingIsSentWhenTheKeysCannotBeWritten() throws IOException {
		try (ScriptedNode scripted = new ScriptedNode()) {
			scripted.answers(200, "application/x-ndjson", NO_KEYS).refuses(503).refuses(503);
			CommandRun run = scripted(scripted, 1);
			assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
			assertThat(run.out()).isEmpty();
			assertThat(run.err()).contains("1 keys that begin with 'quorate-bench:' may be left", "deleted 0 keys in ",
					"503 Refused: because of the script");
			assertThat(scripted.requests).hasSize(3);
		}
	}

	@Test
	void aKeyThatIsNotWrittenOrDeletedIsCountedAndTheOthersAre() throws IOException {
		try (ScriptedNode scripted = new ScriptedNode()) {
			scripted.answers(200, "application/x-ndjson", NO_KEYS).refuses(503).acknowledges(201, "");
			for (int i = 0; i < 3; i++) {
				scripted.acknowledges(201, "");
			}
			scripted.refuses(504).acknowledges(202, "");
			CommandRun run = scripted(scripted, 2);
			assertThat(run.exitCode()).as(run.err()).isZero();
			assertThat(run.err()).contains("wrote 1 keys in ", "1 keys were not written, reads of them may fail: ",
					"503 Refused: because of the script", "deleted 1 keys in ",
					"1 keys that begin with 'quorate-bench:' may be left");
			assertThat(scripted.requests).hasSize(8);
		}
	}

	@Test
	void requestsGoToAllNodesInTurn() throws IOException {
		try (ScriptedNode one = new ScriptedNode(); ScriptedNode other = new ScriptedNode()) {
			one.answers(200, "application/x-ndjson", NO_KEYS).acknowledges(201, "");
			for (int i = 0; i < 3; i++) {
				one.acknowledges(201, "");
				other.acknowledges(201, "");
			}
			one.acknowledges(202, "");
			CommandRun run = CommandRun.of("bench", "-e", one.url(), "-e", other.url(), "--rate=20", "--duration=200ms",
					"--warmup=100ms", "--keys=1", "--reads=0", "--parallel=1");
			assertThat(run.exitCode()).as(run.err()).isZero();
			assertThat(one.requests).hasSize(6);
			assertThat(other.requests).hasSize(3)
				.allMatch((request) -> request.startsWith("PUT /v0/entity?id=") && request.contains("&ttl=600"));
		}
	}

}
