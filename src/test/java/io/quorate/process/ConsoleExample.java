package io.quorate.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.Handbook;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A command of a document, and what it must print. A line {@code ...} stands for any
 * lines, and dots in a line for any text.
 */
record ConsoleExample(String command, String output) {

	private static final Pattern CONSOLE = Pattern.compile("(?s)```console\n(.*?)```");

	/** The examples of a chapter of the README, in their order. */
	static List<ConsoleExample> ofReadme(String chapter) throws IOException {
		return of(Path.of("README.md"), "## " + chapter);
	}

	/** The examples of a section of a chapter of the handbook, in their order. */
	static List<ConsoleExample> ofHandbook(Handbook chapter, String section) throws IOException {
		return of(chapter.file(), "## " + section);
	}

	private static List<ConsoleExample> of(Path document, String title) throws IOException {
		String text = Files.readString(document);
		String heading = "\n" + title + "\n";
		int start = text.indexOf(heading);
		assertThat(start).as(heading).isNotNegative();
		Matcher next = Pattern.compile("\n#{2,%d} ".formatted(title.indexOf(' '))).matcher(text);
		int end = next.find(start + heading.length()) ? next.start() : text.length();
		List<ConsoleExample> examples = new ArrayList<>();
		Matcher blocks = CONSOLE.matcher(text.substring(start, end));
		while (blocks.find()) {
			for (String step : blocks.group(1).split("(?m)^\\$ ", -1)) {
				if (!step.isEmpty()) {
					int line = step.indexOf('\n');
					examples.add(new ConsoleExample(step.substring(0, line), step.substring(line + 1).strip()));
				}
			}
		}
		return examples;
	}

	/**
	 * Types it into a shell, and compares what is printed.
	 * @param here what has to be said here in the place of what is written there
	 * @return what is printed
	 */
	String verify(UnaryOperator<String> here) throws IOException, InterruptedException {
		String typed = here.apply(this.command).replaceFirst("^curl", "curl -sS --max-time 120");
		Process shell = new ProcessBuilder("bash", "-c", typed).redirectErrorStream(true).start();
		Pattern expected = pattern(here.apply(this.output));
		if (this.command.contains(" -N ")) {
			return begin(shell, expected);
		}
		String printed = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8).replace("\r", "")
			.strip();
		assertThat(shell.waitFor()).as(printed).isZero();
		assertThat(printed.isEmpty() ? printed : printed + "\n").matches(expected);
		return printed;
	}

	/* A stream has no end: its reader ends it when all is there. */
	private static String begin(Process stream, Pattern expected) throws IOException {
		StringBuilder printed = new StringBuilder();
		try (BufferedReader lines = stream.inputReader(StandardCharsets.UTF_8)) {
			while (!expected.matcher(printed).matches()) {
				String line = lines.readLine();
				assertThat(line).as(printed.toString()).isNotNull();
				printed.append(line).append('\n');
			}
			return printed.toString();
		}
		finally {
			stream.destroy();
		}
	}

	private static Pattern pattern(String expected) {
		return Pattern.compile(expected.lines().map(ConsoleExample::patternOfLine).collect(Collectors.joining()));
	}

	// One group for all lines that do not matter: a group for each takes stack for each
	private static String patternOfLine(String line) {
		if (line.equals("...")) {
			return "(?:(?s:.*)\n)?";
		}
		return Stream.of(line.split("\\.\\.\\.", -1)).map(Pattern::quote).collect(Collectors.joining(".*")) + "\n";
	}

}
