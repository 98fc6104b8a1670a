package io.quorate.command;

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
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.Output;
import io.quorate.command.terminal.Terminal;
import io.quorate.security.access.Token;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
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
		assertThat(wrong.err()).contains("'stats'", "did you mean", "'quorate status'");
	}

	@ParameterizedTest
	@CsvSource({ "get k --timeout 5,is no time", "get k --timeout 0s,is no time", "get k --replicas two,is no quorum",
			"get k -o yaml,expected one of", "get,KEY", "get k -e localhost:8080,is no node",
			"get k -e http://a/path,is no node", "get k -e http://a:8080#x,is no node",
			"get k -e http://a:65536,is no node", "get k --timeout 366d,at most 365d",
			"import - --timeout 366d,at most 365d", "put k v --ttl 1500ms,whole seconds", "del,KEY",
			"ls --limit 0,at least 1", "server data,nor a property", "server --server.port 8081,write --name=value",
			"server --prot=8081,nor a property", "server --port,PORT", "server --port --id n0,'--port'",
			"cas k,write KEY ETAG", "cas --absent k v w,--absent KEY [VALUE]", "cas k é v,is no ETAG",
			"cas k 1-a v w,index 4", "touch k,--ttl", "touch k --ttl 1500ms,whole seconds",
			"touch k --ttl 3651d,at most 3650d", "lock n,'-- CMD'", "lock n --ttl 4s -- true,at least 5s",
			"lock n --wait 0 -- true,is no time", "token A_B,is no name", "token app B_C,is no name",
			"token app 2027-13-01,is no day", "put k v --content-type ü,visible",
			"del - --dry-run,--dry-run is for --prefix", "del k --null,- stands for",
			"del --prefix p k,by --prefix alone", "del k --prefix,PREFIX", "ls --null -o json,a form of raw",
			"del --prefix p -o json,for --dry-run", "del - -o json,for --dry-run",
			"watch k --prefix p,in place of each other", "watch --prefix p --end q,in place of each other",
			"watch k -o table,json or raw", "watch k --exec true -o json,prints nothing",
			"restore a,DIRECTORY is missing", "restore --verify a b,BACKUP alone" })
	void wrongArgumentsAreExplained(String line, String message) {
		CommandRun run = CommandRun.of(line.split(" ", -1));
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.out()).isEmpty();
		assertThat(run.err()).startsWith("quorate: ").contains(message).hasLineCount(1);
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
	void anEmptyArgumentIsNoPathAndNoPrefix() {
		assertThat(CommandRun.of("put", "k", "--file", "").err()).contains("a path is not empty");
		assertThat(CommandRun.of("del", "--prefix", "").err()).contains("1 to 1,024 bytes");
	}

	@Test
	void aValueThatIsNoTextIsRefused() {
		for (String text : List.of("\uD83D", "a\uDE00")) {
			CommandRun run = CommandRun.of("put", "k", text);
			assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
			assertThat(run.err()).isEqualTo("quorate: the value is not Unicode\n");
		}
	}

	@ParameterizedTest
	@CsvSource({ "delete k,quorate del", "rm,quorate del", "SET k v,quorate put", "list,quorate ls", "keys,quorate ls",
			"tail,quorate watch", "expire k,quorate touch", "stat,quorate status" })
	void aNameOfAnotherStoreLeadsToOurs(String line, String meant) {
		CommandRun run = CommandRun.of(line.split(" ", -1));
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.err()).hasLineCount(1).contains(": did you mean '" + meant + "'");
	}

	@Test
	void everyOptionAndArgumentIsDescribed() {
		assertThat(specs(Program.of(CommandRun.terminal()).getCommandSpec()).flatMap((spec) -> spec.args().stream()))
			.allSatisfy((argument) -> assertThat(String.join(" ", argument.description())).isNotBlank());
	}

	@Test
	void theLauncherReadsTheVariablesOfItsHelp() throws IOException {
		assertThat(CommandRun.of("server", "--help").out()).contains("JAVA_HOME", "QUORATE_JAVA_OPTS", "QUORATE_AOT");
		assertThat(Files.readString(Path.of("bin/quorate"))).contains("${JAVA_HOME:-", "${QUORATE_JAVA_OPTS:-",
				"${QUORATE_AOT:-");
	}

	@Test
	void helpIsACommandToo() {
		assertThat(CommandRun.of("help", "put")).isEqualTo(CommandRun.of("put", "--help"));
		assertThat(CommandRun.of("help", "cluster", "add")).isEqualTo(CommandRun.of("cluster", "add", "--help"));
		assertThat(CommandRun.of("help")).isEqualTo(CommandRun.of("--help"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "server", "init", "token", "restore", "inspect", "completion", "cluster recover" })
	void aCommandThatAsksNoNodeSaysNothingOfNodes(String command) {
		List<String> line = new ArrayList<>(List.of(command.split(" ", -1)));
		line.add("--help");
		String help = CommandRun.of(line.toArray(String[]::new)).out();
		assertThat(help).doesNotContain("asks the first node", "QUORATE_ENDPOINTS")
			.containsPattern("(?m)^  0 ")
			.containsPattern("(?m)^  2 ")
			.doesNotContainPattern("(?m)^  [3-6] ");
	}

	@Test
	void theHelpOfAServerNamesWhatMostNodesNeed() {
		assertThat(CommandRun.of("server", "--help").out()).contains("--id=NAME", "--quorate.node.id", "--members=LIST",
				"--data=DIRECTORY", "--port=PORT", "--listen=ADDRESS", "--quorate.security.access=");
	}

	@Test
	void severalTokensArePrintedAtOnce() {
		CommandRun run = CommandRun.of("token", "app", "prometheus", "2027-06-01");
		assertThat(run.exitCode()).isZero();
		assertThat(run.out()).matches("""
				token: qk_app_\\S{43}
				line for principals\\.app\\.tokens in the access file:
				  - \\{sha256: "[0-9a-f]{64}", until: "2027-06-01"}
				token: qk_prometheus_\\S{43}
				line for principals\\.prometheus\\.tokens in the access file:
				  - \\{sha256: "[0-9a-f]{64}", until: "2027-06-01"}
				""");
		assertThat(CommandRun.of("token", "app").out()).doesNotContain("until");
	}

	@ParameterizedTest
	@ValueSource(strings = { "--help", "--version", "token app", "completion", "put --help" })
	void anOutputThatDoesNotTakeEverythingIsAFailure(String line) {
		assertThat(run(line, "No space left on device", false)).isEqualTo(new CommandRun(ExitCode.FAILED, "",
				"quorate: standard output has not taken everything: No space left on device\n"));
	}

	@Test
	void aReaderThatIsGoneIsNoFault() {
		CommandRun silent = new CommandRun(ExitCode.DONE, "", "");
		assertThat(run("help put", "Broken pipe", false)).isEqualTo(silent);
		assertThat(run("help put", "Relais brisé", true)).isEqualTo(silent);
	}

	@Test
	void anotherFailureKeepsItsExitCode() {
		assertThat(run("token A_B", "No space left on device", false).exitCode()).isEqualTo(ExitCode.MISUSED);
	}

	/* With an output that takes nothing. */
	private CommandRun run(String line, String reason, boolean isPipe) {
		ByteArrayOutputStream err = new ByteArrayOutputStream();
		OutputStream full = new OutputStream() {

			@Override
			public void write(int next) throws IOException {
				throw new IOException(reason);
			}

		};
		Terminal terminal = new Terminal(InputStream.nullInputStream(), new Output(full, isPipe),
				new PrintStream(err, false, StandardCharsets.UTF_8), Terminal.Screens.NONE, Map.of(), this.home);
		int exitCode = Program.run(List.of(line.split(" ", -1)), terminal);
		return new CommandRun(exitCode, "", err.toString(StandardCharsets.UTF_8));
	}

	@ParameterizedTest
	@CsvSource({ "get k --token-file /none,there is no file /none", "get k --ca /none,there is no file /none",
			"put k --file /none,there is no file /none", "put k --file .,Is a directory",
			"get k --token-file .,Is a directory", "import /none,there is no file /none", "import .,is a directory",
			"restore --verify /none,/none", "inspect /none,is no directory",
			"export --file /none/f -e http://127.0.0.1:1,no connection", "backup http://127.0.0.1:1,no connection",
			"cluster recover /none --members n0 --dry-run,/none", "status -e http://127.0.0.1:1,no connection" })
	void aMessageHasNoNameOfAnException(String line, String message) {
		CommandRun run = CommandRun.of(line.split(" ", -1));
		assertThat(run.exitCode()).isNotZero();
		assertThat(run.out() + run.err()).contains(message).doesNotContain("Exception", "java.", "\tat ");
	}

	@Test
	void aFileOfSettingsThatIsNoTextIsRefused() throws IOException {
		Path file = Files.write(this.home.resolve("latin.properties"), new byte[] { '#', (byte) 0xFC, '\n' });
		CommandRun run = CommandRun.of(Map.of("QUORATE_CONFIG", file.toString()), "", "get", "k");
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.err()).contains(file + " cannot be read: it is not UTF-8");
	}

	@ParameterizedTest
	@ValueSource(strings = { "get k", "ls", "scan -o json", "export", "status", "cluster status", "put k v", "del k",
			"del --prefix p" })
	void aPageOfAProxyIsNoAnswer(String line) throws IOException {
		try (ScriptedNode proxy = new ScriptedNode()) {
			for (int i = 0; i < 4; i++) {
				proxy.answers(200, "text/html", "<html>\n<body>Welcome</body>\n</html>\n");
			}
			List<String> words = new ArrayList<>(List.of(line.split(" ", -1)));
			words.addAll(List.of("-e", proxy.url()));
			CommandRun run = CommandRun.of(words.toArray(String[]::new));
			assertThat(run.exitCode()).isNotZero();
			assertThat(run.out() + run.err()).doesNotContain("Exception", "java.", "\tat ", "Source:", "Unexpected");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"key\":\"a\\ud83d\",\"value\":\"MQ==\"}", "{\"key\":1,\"value\":\"MQ==\"}",
			"{\"key\":\"a\",\"value\":\"#\"}" })
	void aRecordThatIsNoneIsNotPrinted(String line) throws IOException {
		try (ScriptedNode node = new ScriptedNode()) {
			for (int i = 0; i < 2; i++) {
				node.answers(200, "application/x-ndjson", line + "\n{\"last\":true,\"records\":1}\n");
			}
			CommandRun run = CommandRun.of("scan", "-e", node.url());
			assertThat(run.exitCode()).isNotZero();
			assertThat(run.err()).startsWith("quorate: ").doesNotContain("Exception", "\tat ");
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
	void theUsersFileNamesFilesBesideIt() throws IOException {
		Path file = Files.writeString(this.home.resolve("client.properties"), "token-file = no.token\nca = no.crt\n");
		assertThat(CommandRun.of(Map.of("QUORATE_CONFIG", file.toString()), "", "get", "k").err())
			.contains("there is no file " + this.home.resolve("no.token"));
		assertThat(CommandRun
			.of(Map.of("QUORATE_CONFIG", file.toString(), "QUORATE_TOKEN_FILE", "/none.token"), "", "get", "k")
			.err()).contains("there is no file /none.token");
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

}
