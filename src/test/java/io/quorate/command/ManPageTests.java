package io.quorate.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** The manual pages, against the model of the commands and the rules of roff. */
class ManPageTests {

	/* A request, or text in printable ASCII whose backslashes begin known escapes. */
	private static final Pattern SOUND = Pattern
		.compile("\\.(?:PP|TP|nf|fi|nh|ad l|IP \"\" 4|(?:SH|TH)(?: [^\\\\]+| .*)?)"
				+ "|(?!['.])(?:[ -\\[\\]-~]|\\\\(?:-|&|f[BIR]|\\((?:rs|aq|dq|ga|ha|ti)|\\[u[0-9A-F]{4,6}\\]))+");

	@TempDir
	Path home;

	static Stream<CommandLine> commands() {
		return below(Program.of(CommandRun.terminal()));
	}

	private static Stream<CommandLine> below(CommandLine command) {
		return Stream.concat(Stream.of(command),
				command.getSubcommands().values().stream().flatMap(ManPageTests::below));
	}

	private static String[] line(CommandSpec command) {
		return ("man " + command.qualifiedName(" ").replaceFirst("^quorate ?", "")).strip().split(" ", -1);
	}

	@Test
	void everyCommandHasAPage() throws IOException {
		Path folder = this.home.resolve("man").resolve("man1");
		CommandRun run = CommandRun.of("man", "--directory", folder.toString());
		assertThat(run).isEqualTo(new CommandRun(0, "", ""));
		try (Stream<Path> pages = Files.list(folder)) {
			assertThat(pages.map((page) -> page.getFileName().toString())).containsExactlyInAnyOrderElementsOf(
					commands().map((each) -> each.getCommandSpec().qualifiedName("-") + ".1").toList());
		}
		assertThat(folder.resolve("quorate-cluster-status.1"))
			.hasContent(CommandRun.of("man", "cluster", "status").out());
		assertThat(Files.readString(folder.resolve("quorate.1")))
			.contains(Program.names().stream().map((name) -> "\n\\fBquorate\\-" + name + "\\fR(1)\n").toList());
	}

	@ParameterizedTest
	@MethodSource("commands")
	void everyPageHasAllOptionsAndArguments(CommandLine command) {
		CommandSpec spec = command.getCommandSpec();
		String page = CommandRun.of(line(spec)).out();
		assertThat(page).contains(".SH \"NAME\"\n" + Roff.escaped(spec.qualifiedName("-")) + " \\- ",
				".SH \"SYNOPSIS\"\n", ".SH \"DESCRIPTION\"\n", ".SH \"OPTIONS\"\n", ".SH \"EXIT STATUS\"\n");
		assertThat(spec.options()).isNotEmpty();
		for (OptionSpec option : spec.options()) {
			if (!option.hidden()) {
				assertThat(page).contains(Stream.of(option.names()).map(Roff::bold).toList());
				assertDescribed(page, option);
			}
		}
		spec.positionalParameters().forEach((each) -> assertDescribed(page, each));
		spec.usageMessage()
			.exitCodeList()
			.forEach((code, meaning) -> assertThat(page).contains(Roff.bold(code) + "\n" + Roff.escaped(meaning)));
	}

	private static void assertDescribed(String page, ArgSpec argument) {
		assertThat(String.join(" ", argument.description())).as(argument.toString()).isNotBlank();
		assertThat(page).contains("\n" + Roff.escaped(String.join(" ", argument.description())) + "\n");
	}

	@ParameterizedTest
	@MethodSource("commands")
	void noLineOfAPageIsMistakenForARequest(CommandLine command) {
		assertThat(CommandRun.of(line(command.getCommandSpec())).out().lines())
			.allMatch((line) -> SOUND.matcher(line).matches());
	}

	@Test
	void aTextIsReadAsItWasWritten() throws Exception {
		Roff roff = new Roff("X", "", "x");
		roff.section("A 'title' \\n");
		List<String> texts = List.of(".PP is no request", "'tis none either", "C:\\new \\fB", "~/.x `a` ^b \"c\" --d-e",
				"Söhne 😀", "100 % of %s");
		texts.forEach((text) -> {
			roff.paragraph(text);
			roff.item(Roff.bold(text), text);
			roff.example(List.of(text));
		});
		assertThat(roff.text().lines()).allMatch((line) -> SOUND.matcher(line).matches());
		assertThat(rendered(roff.text(), "groff", "-man", "-Tutf8", "-P-cbou", "-rLL=2000n", "-ww")).contains(texts);
	}

	@ParameterizedTest
	@MethodSource("commands")
	void aPageReadsAsTheHelpDoes(CommandLine command) throws Exception {
		CommandSpec spec = command.getCommandSpec();
		String page = rendered(CommandRun.of(line(spec)).out(), "groff", "-man", "-Tutf8", "-P-cbou", "-rLL=2000n",
				"-ww");
		command.setUsageHelpWidth(2_000);
		assertThat(Stream.of(command.getUsageMessage().split("\\s+", -1)))
			.filteredOn((word) -> !word.matches("(?:Usage|Commands|Exit|codes):?") && !page.contains(word))
			.isEmpty();
	}

	@ParameterizedTest
	@MethodSource("commands")
	void aPageHasNoFaultsForMandoc(CommandLine command) throws Exception {
		assertThat(
				rendered(CommandRun.of(line(command.getCommandSpec())).out(), "mandoc", "-T", "lint", "-W", "warning"))
			.isEmpty();
	}

	/* A test that needs a formatter runs where there is one. */
	private String rendered(String page, String... formatter) throws Exception {
		Path file = Files.writeString(this.home.resolve("page.1"), page, StandardCharsets.US_ASCII);
		Process process;
		try {
			process = new ProcessBuilder(Stream.concat(Stream.of(formatter), Stream.of(file.toString())).toList())
				.redirectError(this.home.resolve("warnings").toFile())
				.redirectOutput(this.home.resolve("rendered").toFile())
				.start();
		}
		catch (IOException none) {
			Assumptions.abort("there is no " + formatter[0]);
			throw none;
		}
		assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
		assertThat(this.home.resolve("warnings")).isEmptyFile();
		return Files.readString(this.home.resolve("rendered"));
	}

	@Test
	void aPageOfNoCommandIsMisuse() {
		assertThat(CommandRun.of("man", "cluster", "start"))
			.matches((run) -> run.exitCode() == ExitCode.MISUSED && run.err().contains("no command 'cluster start'"));
		assertThat(CommandRun.of("man", "put", "-d", this.home.toString()).exitCode()).isEqualTo(ExitCode.MISUSED);
	}

	@Test
	void theLauncherReadsTheVariablesOfThePage() throws IOException {
		String page = CommandRun.of("man").out();
		String launcher = Files.readString(Path.of("bin/quorate"));
		for (String variable : List.of("JAVA_HOME", "QUORATE_JAVA_OPTS", "QUORATE_AOT")) {
			assertThat(page).contains("\\fB" + variable + "\\fR\n");
			assertThat(launcher).contains("${" + variable + ":-");
		}
		assertThat(page).contains("\\fBQUORATE_ENDPOINTS\\fR", "\\fBQUORATE_CONFIG\\fR");
		assertThat(CommandRun.of("man", "inspect").out()).doesNotContain(".SH \"ENVIRONMENT\"", ".SH \"FILES\"");
	}

}
