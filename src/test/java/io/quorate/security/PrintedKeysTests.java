package io.quorate.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sources: no log line and no message of an exception or failure prints a key as it
 * is. A key is often somebody's address; {@link LoggedKey} prints it.
 */
class PrintedKeysTests {

	private static final Path SOURCES = Path.of("src/main/java");

	/* One of the exceptions takes a key, and prints its hash. */
	private static final Pattern PRINTS = Pattern.compile(
			"\\blog\\.\\w+\\(|new (?!MisorderedKey)\\w+Exception\\(|\\.formatted\\(|new Failure\\(|String\\.format\\(");

	private static final Pattern TEXT = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");

	/* Its own arguments may have brackets, and those brackets of their own. */
	private static final Pattern HASHED = Pattern
		.compile("LoggedKey\\.of\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\)");

	private static final Pattern KEY = Pattern.compile("(?<!\\w)\\w*[kK]ey(?:\\(\\))?(?=\\s*[,)+]|\\s*$)");

	@Test
	void keysArePrintedByTheirHash() throws IOException {
		try (Stream<Path> files = Files.walk(SOURCES)) {
			List<Path> sources = files.filter((file) -> file.toString().endsWith(".java")).toList();
			assertThat(sources).hasSizeGreaterThan(100);
			assertThat(sources).allSatisfy((file) -> assertThat(printedKeys(Files.readString(file))).isEmpty());
		}
	}

	@Test
	void keysAmongArgumentsAreFound() {
		String source = "import io.quorate.entry.Key;%n".formatted();
		assertThat(printedKeys(source + "log.warn(\"{} of {}\", entry, item.key());")).hasSize(1);
		assertThat(printedKeys(source + "log.warn(\"{}\", key, failure);")).hasSize(1);
		assertThat(printedKeys(source + "new IOException(\"no \" + firstKey);")).hasSize(1);
		assertThat(printedKeys(source + "\"a %s\".formatted(2, this.key);")).hasSize(1);
		assertThat(printedKeys(source + "log.warn(\"a key (of {})\", LoggedKey.of(item.key()));")).isEmpty();
		assertThat(printedKeys(source + "log.warn(\"{} keys\", keys.size());")).isEmpty();
	}

	/* What is printed where keys are known, with a key among it. */
	private static List<String> printedKeys(String source) {
		if (!source.contains("io.quorate.entry.Key;") && !source.startsWith("package io.quorate.entry;")) {
			return List.of();
		}
		return PRINTS.matcher(source)
			.results()
			.map((call) -> arguments(source, call.end()))
			.filter((arguments) -> KEY.matcher(HASHED.matcher(arguments).replaceAll("")).find())
			.toList();
	}

	/* Up to the bracket that closes, without texts. */
	private static String arguments(String source, int from) {
		String rest = TEXT.matcher(source.substring(from, Math.min(source.length(), from + 2000))).replaceAll("");
		int depth = 1;
		int end = 0;
		while (depth > 0 && end < rest.length()) {
			depth += switch (rest.charAt(end++)) {
				case '(' -> 1;
				case ')' -> -1;
				default -> 0;
			};
		}
		return rest.substring(0, Math.max(0, end - 1));
	}

}
