package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The option {@code --help} of the scripts for developers. */
@Tag(Scale.FULL)
class ScriptHelpTests {

	/* They hand all arguments on, or have a help of their own, which another test has. */
	private static final Set<String> OTHERS = Set.of("tools/python-matplotlib", "tools/report", "tools/usage");

	private static final int SECONDS = 60;

	@TempDir
	private Path directory;

	static List<String> scripts() throws IOException {
		try (Stream<Path> files = Files.list(Path.of("tools"))) {
			return Stream
				.concat(files.filter(Files::isExecutable).map(Path::toString), Stream.of("bin/aot", "bin/cluster"))
				.filter((script) -> !OTHERS.contains(script))
				.sorted()
				.toList();
		}
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void helpSaysWhatTheScriptDoes(String script) throws Exception {
		String help = run(script, "--help");
		assertThat(help).startsWith("0 ").containsPattern("\\w{4}");
		List<String> header = header(script);
		if (header.getFirst().contains("--help' says how")) {
			assertThat(help).contains(script);
		}
		else if (!script.equals("bin/cluster")) {
			assertThat(help).isEqualTo("0 " + String.join("\n", header) + "\n");
		}
	}

	@Test
	void anOptionInTheMidstOfTheCommentIsNoEndOfIt() throws Exception {
		Path script = this.directory.resolve("script");
		Files.writeString(script, "#!/usr/bin/env bash\n# First.\n#   set of words\n# Last.\nset -e\n# Not this.\n");
		assertThat(run("tools/usage", script.toString())).isEqualTo("0 First.\n  set of words\nLast.\n");
	}

	private static List<String> header(String script) throws IOException {
		return Files.readAllLines(Path.of(script))
			.stream()
			.skip(1)
			.takeWhile((line) -> line.startsWith("#"))
			.map((line) -> line.replaceFirst("# ?", ""))
			.toList();
	}

	/* The exit code and what is printed. */
	private String run(String... command) throws IOException, InterruptedException {
		Path output = this.directory.resolve("output");
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as(String.join(" ", command)).isTrue();
			return process.exitValue() + " " + Files.readString(output);
		}
		finally {
			process.destroyForcibly();
		}
	}

}
