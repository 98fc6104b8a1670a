package io.quorate.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.quorate.security.access.Token;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.Model.CommandSpec;

import static org.assertj.core.api.Assertions.assertThat;

/** Help, misuse and settings, the same for all subcommands. */
class ProgramTests {

	@TempDir
	Path home;

	static Stream<String> subcommands() {
		return Program.names().stream();
	}

	@ParameterizedTest
	@MethodSource("subcommands")
	void everySubcommandExplainsItself(String name) {
		CommandRun help = CommandRun.of(name, "--help");
		assertThat(help.exitCode()).isZero();
		assertThat(help.err()).isEmpty();
		assertThat(help.out()).contains("quorate " + name, "Exit codes:");
		assertThat(CommandRun.of("--help").out()).contains("\n  " + name + " ");
		assertThat(CommandRun.of(name, "--version").out()).matches("quorate \\S+ \\(Java \\S+\\)\\R");
	}

	/*
	 * Each entry of a footer is wrapped by itself: one that ends in a sentence leaves a
	 * short line.
	 */
	@Test
	void aFooterIsWrappedBySentences() {
		List<String> broken = specs(Program.of(CommandRun.terminal()).getCommandSpec()).flatMap((spec) -> {
			List<String> lines = List.of(spec.usageMessage().footer());
			return IntStream.range(0, Math.max(0, lines.size() - 1))
				.filter((i) -> !lines.get(i).isEmpty() && !lines.get(i).startsWith("  ")
						&& !lines.get(i).matches(".*[.:]"))
				.mapToObj((i) -> spec.qualifiedName() + ": " + lines.get(i));
		}).toList();
		assertThat(broken).isEmpty();
	}

	private static Stream<CommandSpec> specs(CommandSpec spec) {
		return Stream.concat(Stream.of(spec),
				spec.subcommands().values().stream().flatMap((sub) -> specs(sub.getCommandSpec())));
	}

	@Test
	void theProgramAloneIsMisused() {
		assertThat(CommandRun.of().err()).contains("Missing required subcommand");
		CommandRun wrong = CommandRun.of("stats");
		assertThat(wrong.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(wrong.err()).contains("'stats'", "Did you mean", "quorate status");
	}

	@ParameterizedTest
	@CsvSource({ "get k --timeout 5,is no time", "get k --timeout 0s,is no time", "get k --replicas two,is no quorum",
			"get k -o yaml,expected one of", "get,KEY", "get k -e localhost:8080,is no node",
			"get k -e http://a/path,is no node", "put k v --ttl 1500ms,whole seconds", "del,KEY",
			"ls --limit 0,at least 1", "server data,is no property", "token A_B,is no name",
			"restore a,DIRECTORY is missing", "restore --verify a b,BACKUP alone" })
	void wrongArgumentsAreExplained(String line, String message) {
		CommandRun run = CommandRun.of(line.split(" ", -1));
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.out()).isEmpty();
		assertThat(run.err()).startsWith("quorate: ").contains(message);
	}

	@Test
	void aTokenInThePlaceOfSomethingElseIsNotQuoted() throws IOException {
		String token = Token.generate("ops").text();
		Path file = Files.writeString(this.home.resolve("client.properties"), token + "\n");
		for (CommandRun run : List.of(CommandRun.of("token", token), CommandRun.of("get", "k", "--token-file", token),
				CommandRun.of("get", "k", "--ca", token), CommandRun.of("get", "k", "-e", token),
				CommandRun.of("get", "k", "--timeout", token), CommandRun.of("get", "k", "x", token),
				CommandRun.of(token), CommandRun.of(Map.of("QUORATE_CONFIG", file.toString()), "", "get", "k"),
				CommandRun.of("put", "k", "--file", token))) {
			assertThat(run.exitCode()).isNotZero();
			assertThat(run.out() + run.err()).contains("qk_ops_***").doesNotContain(token.substring(7));
		}
	}

	@Test
	void aKeyThatIsNoKeyIsRefusedBeforeANodeIsAsked() {
		for (String key : List.of("", "k".repeat(1025), "\uD800")) {
			assertThat(CommandRun.of("get", key).exitCode()).isEqualTo(ExitCode.MISUSED);
		}
	}

	@Test
	void argumentsPrecedeTheEnvironmentAndThatTheFile() throws IOException {
		Path file = Files.writeString(this.home.resolve("client.properties"), "endpoints = http://127.0.0.1:3\n");
		Map<String, String> environment = Map.of("QUORATE_CONFIG", file.toString(), "QUORATE_ENDPOINTS",
				"http://127.0.0.1:2");
		assertThat(CommandRun.of(environment, "", "get", "-e", "http://127.0.0.1:1", "k").err())
			.contains("http://127.0.0.1:1: no connection");
		assertThat(CommandRun.of(environment, "", "get", "k").err()).contains("http://127.0.0.1:2: no connection");
		assertThat(CommandRun.of(Map.of("QUORATE_CONFIG", file.toString()), "", "get", "k").err())
			.contains("http://127.0.0.1:3: no connection");
	}

	@Test
	void aFileThatIsInTheUsersFolderIsFound() throws IOException {
		Path folder = Files.createDirectories(this.home.resolve("quorate"));
		Files.writeString(folder.resolve("client.properties"), "endpoints = http://127.0.0.1:4\n");
		assertThat(CommandRun.of(Map.of("XDG_CONFIG_HOME", this.home.toString()), "", "get", "k").err())
			.contains("http://127.0.0.1:4: no connection");
	}

	@Test
	void aSettingThatNothingReadsIsRefused() throws IOException {
		Path file = Files.writeString(this.home.resolve("client.properties"), "endpoint = http://127.0.0.1:3\n");
		CommandRun run = CommandRun.of(Map.of("QUORATE_CONFIG", file.toString()), "", "get", "k");
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.err()).contains("has 'endpoint', which nothing reads");
		assertThat(CommandRun.of(Map.of("QUORATE_CONFIG", this.home.resolve("none").toString()), "", "get", "k"))
			.matches((none) -> none.exitCode() == ExitCode.MISUSED && none.err().contains("there is no file"));
	}

	@Test
	void theCompletionKnowsAllSubcommands() {
		CommandRun run = CommandRun.of("completion");
		assertThat(run.exitCode()).isZero();
		assertThat(run.out()).startsWith("#!/usr/bin/env bash").contains(Program.names());
	}

	@Test
	void theChapterHasAllSubcommandsAndExitCodes() throws IOException {
		String chapter = Files.readString(Path.of("src/docs/command-line.md"));
		String listed = chapter.substring(chapter.indexOf("| command |"), chapter.indexOf("```sh"));
		assertThat(Pattern.compile("(?m)^\\| (`[^|]+`) \\|")
			.matcher(listed)
			.results()
			.flatMap((row) -> Stream.of(row.group(1).replace("`", "").split(", ", -1)))
			.map((command) -> command.replaceFirst(" .*", ""))).containsExactlyElementsOf(Program.names());
		String help = CommandRun.of("--help").out();
		String codes = help.substring(help.indexOf("Exit codes:"));
		assertThat(Pattern.compile("(?m)^\\| ([0-9]) \\|").matcher(chapter).results().map((row) -> row.group(1)))
			.containsExactlyElementsOf(
					Pattern.compile("(?m)^  ([0-9]) ").matcher(codes).results().map((row) -> row.group(1)).toList());
	}

	@Test
	void keysBehindAPrefixAreInTheOrderOfBytes() {
		assertThat(Keys.behindAllWith("a")).isEqualTo("b");
		assertThat(Keys.behindAllWith("a\uD7FF")).isEqualTo("a\uE000");
		assertThat(Keys.behindAllWith("a" + Character.toString(Character.MAX_CODE_POINT))).isEqualTo("b");
		assertThat(Keys.behindAllWith(Character.toString(Character.MAX_CODE_POINT))).isNull();
	}

}
