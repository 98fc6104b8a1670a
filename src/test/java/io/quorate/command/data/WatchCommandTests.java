package io.quorate.command.data;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.quorate.command.CommandRun;
import io.quorate.command.Program;
import io.quorate.command.TwoNodes;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.Output;
import io.quorate.command.terminal.Terminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The subcommand {@code watch}, against nodes that send events as the test says. */
class WatchCommandTests extends TwoNodes {

	private static final String END = "retry: 0\nevent: end\ndata: {\"why\":\"time\"}\n\n";

	@TempDir
	private Path folder;

	private static String event(String type, String data) {
		return "event: " + type + "\ndata: " + data + "\n\n";
	}

	private static String put(String key, String etag, String more) {
		return event("put",
				"{\"key\":\"" + key + "\",\"etag\":\"\\\"" + etag + "\\\"\",\"size\":3,\"expires\":null" + more + "}");
	}

	private static String put(String key) {
		return put(key, "1", "");
	}

	private static String live(String cursor) {
		return "id: " + cursor + "\n" + event("live", "{\"asOf\":\"2026-01-31T12:00:00.250Z\"}");
	}

	private static String delete(String key) {
		return event("delete", "{\"key\":\"" + key + "\",\"etag\":\"\\\"9\\\"\"}");
	}

	/* The node ends the watch, and refuses the next one. */
	private CommandRun run(String events, String... arguments) {
		this.first.streams(": quorate\n\n" + events + END).refuses(403);
		List<String> all = new ArrayList<>(List.of("watch", "-e", this.first.url()));
		all.addAll(List.of(arguments));
		CommandRun run = CommandRun.of(all.toArray(String[]::new));
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.err()).contains(this.first.url() + ": 403");
		return run;
	}

	@Test
	void peopleGetALineForEachEvent() {
		CommandRun run = run(put("a") + live("c1") + live("c2") + delete("b")
				+ event("stalled", "{\"members\":[\"n1\",\"n2\"]}") + live("c3") + event("reset", "{}"), "--prefix",
				"k");
		assertThat(run.out()).isEqualTo("""
				put\ta\t"1"
				live\t2026-01-31T12:00:00.250Z
				delete\tb\t"9"
				stalled\tn1,n2
				live\t2026-01-31T12:00:00.250Z
				gap
				""");
		assertThat(this.first.requests.getFirst()).isEqualTo("GET /v0/watch?prefix=k");
	}

	@Test
	void programsGetAnObjectForEachEvent() {
		CommandRun run = run(
				put("a", "1", ",\"value\":\"dg==\",\"contentType\":\"text/plain\"") + put("b", "2", ",\"value\":null")
						+ delete("a") + event("stalled", "{\"members\":[\"n1\"]}") + event("reset", "{}") + live("c1"),
				"k", "--values", "-o", "json");
		assertThat(run.out()).isEqualTo(
				"""
						{"event":"put","key":"a","etag":"\\"1\\"","size":3,"expires":null,"contentType":"text/plain","value":"dg=="}
						{"event":"put","key":"b","etag":"\\"2\\"","size":3,"expires":null,"value":null}
						{"event":"delete","key":"a","etag":"\\"9\\""}
						{"event":"stalled","members":["n1"]}
						{"event":"gap"}
						{"event":"live","asOf":"2026-01-31T12:00:00.250Z","cursor":"c1"}
						""");
		assertThat(this.first.requests.getFirst()).isEqualTo("GET /v0/watch?key=k&value=true");
	}

	@Test
	void aScreenGetsNoControlCharacters() {
		this.first.streams("id: c1\n" + put("a\\u001b[2J\\t", "1", ",\"value\":\"G1sySg==\"") + END).refuses(403);
		assertThat(CommandRun.onScreen("watch", "--values", "-e", this.first.url()).out())
			.isEqualTo("put\ta\\u001b[2J\\u0009\t\"1\"\t\\u001b[2J\n");
	}

	@ParameterizedTest
	@CsvSource({ "watch,/v0/watch", "watch --start a --end b,/v0/watch?start=a&end=b",
			"watch --end b,/v0/watch?start=%00&end=b", "watch --start a --state,/v0/watch?start=a&cursor=0",
			"watch a/b,/v0/watch?key=a%2Fb" })
	void theOptionsNameTheKeysAndTheBeginning(String line, String target) {
		this.first.refuses(400);
		List<String> all = new ArrayList<>(List.of(line.split(" ", -1)));
		all.addAll(List.of("-e", this.first.url()));
		assertThat(CommandRun.of(all.toArray(String[]::new)).exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(this.first.requests).containsExactly("GET " + target);
	}

	@Test
	void aNodeThatIsLostIsNamedAndTheNextOneGoesOn() {
		this.first.streams(live("c1") + put("a"));
		this.second.streams(put("b") + END);
		this.first.refuses(401);
		CommandRun run = CommandRun.of("watch", "-e", this.first.url() + "," + this.second.url());
		assertThat(run.out()).isEqualTo("live\t2026-01-31T12:00:00.250Z\nput\ta\t\"1\"\nput\tb\t\"1\"\n");
		assertThat(run.err()).contains("quorate: " + this.first.url() + ": ", "goes on at the next node",
				"401: the node asks for a token");
		assertThat(this.second.lastEventIds).containsExactly("c1");
	}

	@Test
	void theFileOfTheCursorLeadsToTheRest() throws IOException {
		Path file = this.folder.resolve("cursor");
		run(put("a") + live("c1") + put("b"), "k", "--state", "--cursor-file", file.toString());
		assertThat(file).hasContent("c1\n");
		run("id: c2\n" + put("b"), "k", "--state", "--cursor-file", file.toString());
		assertThat(file).hasContent("c2\n");
		assertThat(this.first.requests).element(0).isEqualTo("GET /v0/watch?key=k&cursor=0");
		assertThat(this.first.requests).element(2).isEqualTo("GET /v0/watch?key=k&cursor=c1");
		try (var files = Files.list(this.folder)) {
			assertThat(files).containsExactly(file);
		}
	}

	@ParameterizedTest
	@CsvSource({ "''", "'two words'", "ä" })
	void aFileWithoutACursorIsRefused(String content) throws IOException {
		Path file = Files.writeString(this.folder.resolve("cursor"), content);
		CommandRun run = CommandRun.of("watch", "k", "--cursor-file", file.toString(), "-e", this.first.url());
		assertThat(run).isEqualTo(
				new CommandRun(ExitCode.MISUSED, "", "quorate: " + file + " has no cursor: delete it to begin anew\n"));
		assertThat(this.first.requests).isEmpty();
	}

	@Test
	void aFileThatCannotBeWrittenEndsTheCommand() {
		this.first.streams(live("c1"));
		Path file = this.folder.resolve("none").resolve("cursor");
		CommandRun run = CommandRun.of("watch", "k", "--cursor-file", file.toString(), "-e", this.first.url());
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.err()).contains("there is no file " + file);
	}

	@Test
	void theHandlerHasTheChangeInItsEnvironmentAndTheValueAsItsInput() throws IOException {
		Path log = this.folder.resolve("log");
		CommandRun run = run(
				put("grün 'a'", "1", ",\"value\":\"dmFsdWU=\"") + put("b", "2", ",\"value\":null") + delete("b")
						+ live("c1"),
				"--values", "--exec", "echo \"$QUORATE_EVENT|$QUORATE_KEY|$QUORATE_ETAG|$(cat)\" >> '" + log + "'");
		assertThat(run.out()).isEmpty();
		assertThat(Files.readAllLines(log)).containsExactly("put|grün 'a'|\"1\"|value", "put|b|\"2\"|",
				"delete|b|\"9\"|");
	}

	@Test
	void theCursorMovesBehindWhatWasHandled() throws IOException {
		Path log = this.folder.resolve("log");
		Path file = this.folder.resolve("cursor");
		run("id: c1\n" + put("a") + "id: c2\n" + put("b") + live("c3"), "--cursor-file", file.toString(), "--exec",
				"echo \"$QUORATE_KEY $(cat '" + file + "')\" >> '" + log + "' 2>&1");
		assertThat(Files.readAllLines(log)).hasSize(2)
			.satisfies((lines) -> assertThat(lines.getFirst()).doesNotContain("c1", "c2"))
			.satisfies((lines) -> assertThat(lines.getLast()).isEqualTo("b c1"));
		assertThat(file).hasContent("c3\n");
	}

	@Test
	void aGapAndAStalledWatchAreToldToThePerson() {
		CommandRun run = run(event("stalled", "{\"members\":[\"n1\"]}") + event("reset", "{}"), "--exec", "false");
		assertThat(run.err()).contains("too few replicas are reached, changes may come late; without: n1",
				"changes were missed, also deletions");
	}

	@ParameterizedTest
	@CsvSource({ "raw", "json" })
	void aReaderThatIsGoneEndsTheWatch(String format) {
		this.first.standsStillStreaming(put("a") + put("b") + put("c"));
		OutputStream gone = new OutputStream() {

			private boolean hasLine;

			@Override
			public void write(int next) throws IOException {
				if (this.hasLine) {
					throw new IOException("Broken pipe");
				}
				this.hasLine = next == '\n';
			}

		};
		ByteArrayOutputStream err = new ByteArrayOutputStream();
		Terminal terminal = new Terminal(InputStream.nullInputStream(), new Output(gone, true),
				new PrintStream(err, false, StandardCharsets.UTF_8), Terminal.Screens.NONE, Map.of(), this.folder);
		assertThat(Program.run(List.of("watch", "-o", format, "-e", this.first.url()), terminal))
			.isEqualTo(ExitCode.DONE);
		assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
	}

}
