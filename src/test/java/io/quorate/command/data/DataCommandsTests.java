package io.quorate.command.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.quorate.SharedNode;
import io.quorate.command.CommandRun;
import io.quorate.command.ScriptedNode;
import io.quorate.command.terminal.ExitCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The subcommands for data, against a node. */
class DataCommandsTests {

	@TempDir
	private static Path home;

	@BeforeEach
	void empty() {
		SharedNode.OPEN.empty();
	}

	@Test
	void aValueIsStoredReadAndDeleted() {
		String key = "John Smith + Söhne/100%";
		assertThat(run("", "put", key, "Grüße\n")).isEqualTo(new CommandRun(0, "", ""));
		assertThat(run("", "get", key)).isEqualTo(new CommandRun(0, "Grüße\n", ""));
		assertThat(run("", "ls")).isEqualTo(new CommandRun(0, key + "\n", ""));
		assertThat(run("", "del", key, "absent")).isEqualTo(new CommandRun(0, "", ""));
		CommandRun absent = run("", "get", key);
		assertThat(absent.exitCode()).isEqualTo(ExitCode.ABSENT);
		assertThat(absent.out()).isEmpty();
		assertThat(absent.err()).contains("404 Not Found: there is no value under this key");
	}

	@Test
	void aValueComesFromStandardInputOrAFile() throws IOException {
		assertThat(run("from input", "put", "k").exitCode()).isZero();
		assertThat(run("", "get", "k").out()).isEqualTo("from input");
		Path file = Files.writeString(home.resolve("value"), "from a file");
		assertThat(run("", "put", "k", "--file", file.toString()).exitCode()).isZero();
		assertThat(run("", "get", "k").out()).isEqualTo("from a file");
		assertThat(run("", "put", "k", "v", "--file", file.toString()).exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run("", "put", "k", "--file", home.resolve("none").toString()).err()).contains("cannot be read");
	}

	@Test
	void programsGetJson() {
		assertThat(json(run("", "put", "k", "v", "--content-type=text/plain", "--ttl=1m", "-o", "json").out())
			.path("status")
			.asInt()).isEqualTo(201);
		JsonNode read = json(run("", "get", "k", "-o", "json").out());
		assertThat(read.path("value").asString()).isEqualTo("dg==");
		assertThat(read.path("contentType").asString()).isEqualTo("text/plain");
		assertThat(read.path("expires").asString()).matches("\\d{4}-.*Z");
		JsonNode listed = json(run("", "scan", "-o", "json").out());
		assertThat(listed.path("etag")).isEqualTo(read.path("etag"));
		assertThat(listed.path("value")).isEqualTo(read.path("value"));
	}

	@Test
	void aValueIsStoredOverTheVersionThatWasRead() {
		CommandRun created = run("", "cas", "--absent", "k", "one");
		assertThat(created.exitCode()).as(created.err()).isZero();
		String etag = json(run("", "get", "k", "-o", "json").out()).path("etag").asString();
		assertThat(created.out()).isEqualTo(etag + "\n");
		CommandRun again = run("", "cas", "--absent", "k", "two");
		assertThat(again.exitCode()).isEqualTo(ExitCode.CHANGED);
		assertThat(again.out()).isEmpty();
		assertThat(again.err()).hasLineCount(1).contains("412 ");
		// A shell takes the quotes away.
		JsonNode written = json(run("two", "cas", "k", etag.replace("\"", ""), "--ttl=1h", "-o", "json").out());
		assertThat(written.path("status").asInt()).isEqualTo(201);
		assertThat(run("", "cas", "k", etag, "three").exitCode()).isEqualTo(ExitCode.CHANGED);
		assertThat(run("", "get", "k").out()).isEqualTo("two");
		assertThat(run("", "cas", "none", etag, "v").exitCode()).isEqualTo(ExitCode.CHANGED);
	}

	@Test
	void aTouchedValueLivesLonger() {
		assertThat(run("", "touch", "k", "--ttl=1h").exitCode()).isEqualTo(ExitCode.ABSENT);
		run("", "put", "k", "v", "--ttl=1m");
		JsonNode before = json(run("", "get", "k", "-o", "json").out());
		assertThat(run("", "touch", "k", "--ttl=1h")).isEqualTo(new CommandRun(0, "", ""));
		JsonNode after = json(run("", "get", "k", "-o", "json").out());
		assertThat(after.path("etag")).isEqualTo(before.path("etag"));
		assertThat(after.path("expires").asString()).isGreaterThan(before.path("expires").asString());
	}

	@Test
	void peopleGetTablesWithoutControlCharacters() {
		run("", "put", "k\u001b[2J", "line\nnext", "--content-type=text/plain");
		assertThat(run("", "scan", "-o", "table").out().lines()).containsExactly(
				"KEY         BYTES  TYPE        EXPIRES  VALUE",
				"k\\u001b[2J  9      text/plain  -        line\\u000anext");
		assertThat(run("", "ls", "-o", "table").out()).startsWith("KEY         BYTES  EXPIRES\n");
	}

	@Test
	void aRangeHasBoundsADirectionAndALimit() {
		for (String key : new String[] { "a", "b1", "b2", "b\uD83D\uDE00", "c" }) {
			run("", "put", key, "v" + key);
		}
		assertThat(run("", "ls", "b").out()).isEqualTo("b1\nb2\nb\uD83D\uDE00\n");
		assertThat(run("", "ls", "--start=b2", "--end=c").out()).isEqualTo("b2\nb\uD83D\uDE00\n");
		assertThat(run("", "ls", "--reverse", "--limit=2").out()).isEqualTo("c\nb\uD83D\uDE00\n");
		assertThat(run("", "scan", "b", "--limit=1").out()).isEqualTo("b1\tvb1\n");
		assertThat(run("", "ls", "b", "--start=c").exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run("", "ls", "none")).isEqualTo(new CommandRun(0, "", ""));
	}

	@Test
	void allKeysWithAPrefixAreDeleted() {
		for (int i = 0; i < 250; i++) {
			run("", "put", "p:%03d".formatted(i), "v");
		}
		run("", "put", "other", "v");
		CommandRun dry = run("", "del", "--prefix", "p:00", "--dry-run");
		assertThat(dry.exitCode()).isZero();
		assertThat(dry.out().lines()).hasSize(10).startsWith("p:000").endsWith("p:009");
		assertThat(dry.err()).isEqualTo("10 keys would be deleted\n");
		assertThat(run("", "ls", "p:").out().lines()).hasSize(250);
		CommandRun run = run("", "del", "--prefix", "p:");
		assertThat(run.exitCode()).as(run.err()).isZero();
		assertThat(run.out()).isEmpty();
		assertThat(run.err()).contains("deleted 250 keys", "failed: 0");
		assertThat(run("", "ls").out()).isEqualTo("other\n");
		assertThat(run("", "del", "--prefix", "p:").err()).contains("deleted 0 keys");
	}

	@ParameterizedTest
	@ValueSource(strings = { "json", "null" })
	void keysOfStandardInputAreThoseThatAreListed(String form) {
		for (String key : new String[] { "a b", "a\nb", "a\tb", "a\"b", "a'b", "aä", "b" }) {
			run("", "put", key, "v");
		}
		boolean isJson = form.equals("json");
		String listed = (isJson ? run("", "ls", "a", "-o", "json") : run("", "ls", "a", "--null")).out();
		CommandRun run = isJson ? run(listed + "{\"last\":true}\n", "del", "-") : run(listed, "del", "-", "-0");
		assertThat(run.exitCode()).as(run.err()).isZero();
		assertThat(run.err()).contains("deleted 6 keys");
		assertThat(run("", "ls").out()).isEqualTo("b\n");
	}

	@ParameterizedTest
	@ValueSource(strings = { "b", "\"b\"", "{\"key\":1}", "{\"key\":\"\"}", "{\"key\":\"b\\ud83d\"}",
			"{\"key\":\"b\",\"key\":\"c\"}" })
	void aLineThatIsNoKeyEndsTheDeletion(String line) {
		run("", "put", "b", "v");
		run("", "put", "z", "v");
		CommandRun run = run("{\"key\":\"x\"}\n" + line + "\n{\"key\":\"z\"}\n", "del", "-");
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.err()).contains("line 2 of standard input is no key: ");
		assertThat(run("", "ls").out()).isEqualTo("b\nz\n");
	}

	@Test
	void bytesThatAreNoTextAreNoKey() {
		CommandRun run = CommandRun.of(Map.of("QUORATE_ENDPOINTS", SharedNode.OPEN.url()),
				new byte[] { 'a', (byte) 0xFF, 0 }, "del", "-", "--null");
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.err()).contains("text 1 of standard input is no key: it is not UTF-8");
	}

	@Test
	void aKeyWithAZeroIsNotListedByZeros() {
		assertThat(run("{\"key\":\"a\\u0000b\",\"text\":\"v\"}", "import", "-").exitCode()).isZero();
		CommandRun run = run("", "ls", "--null");
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.err()).contains("a\\u0000b has a zero itself");
	}

	@Test
	void aDeletionThatIsRefusedNamesItsKey() throws IOException {
		try (ScriptedNode node = new ScriptedNode()) {
			node.answers(200, "application/x-ndjson", """
					{"status":202,"etag":"1"}
					{"status":403,"problem":{"detail":"not yours"}}
					{"status":504,"problem":{"detail":"too few"}}
					""");
			CommandRun run = CommandRun.of(Map.of("QUORATE_ENDPOINTS", node.url()),
					"{\"key\":\"a\"}\n{\"key\":\"b\"}\n{\"key\":\"c\"}\n", "del", "-");
			assertThat(run.exitCode()).isEqualTo(ExitCode.UNKNOWN);
			assertThat(run.err()).contains("b: 403 not yours", "c: 504 too few",
					"1 deletions were refused, and 1 may have happened or not");
			assertThat(node.bodies).containsExactly("""
					{"op":"delete","id":"a"}
					{"op":"delete","id":"b"}
					{"op":"delete","id":"c"}
					""");
		}
	}

	@Test
	void aValueThatIsLargerThanAnyIsRefused() {
		byte[] large = new byte[16 * 1024 * 1024 + 1];
		CommandRun run = CommandRun.of(Map.of("QUORATE_ENDPOINTS", SharedNode.OPEN.url()), large, "put", "k");
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.err()).contains("a value has at most 16 MiB");
	}

	@Test
	void anEntryOfAClusterThatIsTooSmallIsRefused() {
		CommandRun run = run("", "put", "--replicas=2/3", "k", "v");
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.err()).contains("from is 3, above the replication factor of this cluster, 1");
	}

	@Test
	void theStateOfEachNodeIsPrinted() {
		CommandRun run = run("", "status");
		assertThat(run.exitCode()).isZero();
		assertThat(run.out().lines().toList().get(1)).matches("http://127.0.0.1:\\d+ +n7 +serves +\\d.*");
		CommandRun both = run("", "status", "-o", "json", "-e", SharedNode.OPEN.url() + ",http://127.0.0.1:1");
		assertThat(both.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(both.out().lines().map((line) -> json(line).path("serves").asBoolean())).containsExactly(true,
				false);
		assertThat(run("", "status", "-e", "http://127.0.0.1:1").exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
	}

	/* Such as a candidate that no member has taken, or one whose log has failed. */
	@Test
	void aNodeThatIsNotReadyDoesNotServe() throws IOException {
		try (ScriptedNode node = new ScriptedNode()) {
			node.answers(200, "application/json", "{\"state\":\"not-ready\"}");
			node.answers(200, "application/json", "{\"node\":\"n1\",\"rebuilding\":false}");
			CommandRun run = run("", "status", "-e", node.url());
			assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
			assertThat(run.out().lines().toList().get(1)).matches(".* n1 +is not ready .*");
		}
	}

	private static CommandRun run(String input, String... arguments) {
		return CommandRun.of(Map.of("QUORATE_ENDPOINTS", SharedNode.OPEN.url()), input, arguments);
	}

	private static JsonNode json(String text) {
		return JsonMapper.shared().readTree(text);
	}

}
