package io.quorate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.quorate.golden.GoldenFiles;
import io.quorate.storage.FormatLevel;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The versions of all formats: the constants of the program, the table of
 * {@code src/docs/formats.md}, that of the newest release in {@code CHANGELOG.md}, and
 * the golden files agree.
 */
class VersionTablesTests {

	private static final Path FORMATS = Path.of("src/docs/formats.md");

	private static final Path CHANGELOG = Path.of("CHANGELOG.md");

	private static final Pattern CONSTANT = Pattern.compile("\\[`\\w+`]\\(([^)]+)\\)`\\.(\\w+)`");

	private static final Pattern VERSION = Pattern
		.compile("static final int (VERSION|FORMAT_VERSION|LAYOUT_VERSION) = (\\d+|FormatLevel\\.NEWEST);");

	private static final Pattern OLDEST = Pattern.compile("static final int OLDEST_VERSION = (\\d+);");

	/**
	 * The golden file of each version that is read, by format; behind a blank the name in
	 * a file of several.
	 */
	private static final Map<String, String> GOLDEN = Map.ofEntries(Map.entry("`MANIFEST`", "storage.txt manifest-%d"), //
			Map.entry("segments of the log and of hints", "storage.txt segment-%d"), //
			Map.entry("sorted tables", "table-%d-none.sst.gz"), //
			Map.entry("value files", "storage.txt values-%d"), //
			Map.entry("`CLOCK`", "CLOCK-%d"), //
			Map.entry("`NODE`", "NODE-%d"), //
			Map.entry("`LAYOUT`", "LAYOUT-%d"), //
			Map.entry("`SHARES`", "SHARES-%d.gz"), //
			Map.entry("small text files", "small-%d/PEERS"), //
			Map.entry("frames between nodes", "wire-%d.txt"), //
			Map.entry("cursors of ranges", "cursor-%d.txt"), //
			Map.entry("places of keys on members", "../ring/layout.txt"));

	/**
	 * A row of the table in the documents.
	 *
	 * @param constant class and name
	 * @param source file of the constant
	 */
	private record Format(String constant, Path source, int writes, List<Integer> reads) {
	}

	@Test
	void theDocumentsHaveTheVersionsOfTheProgram() throws IOException {
		Map<String, Integer> documented = formats().values()
			.stream()
			.collect(Collectors.toMap(Format::constant, Format::writes));
		assertThat(documented).as("the constants of the program, and the table in " + FORMATS).isEqualTo(constants());
		for (Format format : formats().values()) {
			assertThat(format.reads().getLast()).as("the newest that is read, " + format.constant())
				.isEqualTo(format.writes());
			OLDEST.matcher(Files.readString(format.source()))
				.results()
				.forEach((oldest) -> assertThat(format.reads().getFirst())
					.as("the oldest that is read, " + format.constant())
					.isEqualTo(Integer.valueOf(oldest.group(1))));
		}
	}

	@Test
	void theNewestReleaseHasTheVersionsOfTheDocuments() throws IOException {
		Map<String, String> released = new LinkedHashMap<>();
		for (List<String> row : rows(newestRelease(), "| format | writes | reads |")) {
			released.put(row.getFirst(), row.get(1) + " of " + numbers(row.get(2)));
		}
		Map<String, String> documented = new LinkedHashMap<>();
		formats().forEach((name, format) -> documented.put(name, format.writes() + " of " + format.reads()));
		assertThat(released).as("the tables in %s and %s", CHANGELOG, FORMATS).isEqualTo(documented);
	}

	@Test
	void eachVersionThatIsReadHasAGoldenFile() throws IOException {
		Map<String, Format> formats = formats();
		assertThat(GOLDEN.keySet()).isEqualTo(formats.keySet());
		List<String> missing = new ArrayList<>();
		formats.forEach((name, format) -> format.reads()
			.stream()
			.map((version) -> GOLDEN.getOrDefault(name, "none of " + name).replace("%d", version.toString()))
			.filter((golden) -> !isGolden(golden))
			.forEach(missing::add));
		assertThat(missing).as("golden files").isEmpty();
	}

	private static boolean isGolden(String golden) {
		List<String> parts = List.of(golden.split(" ", -1));
		boolean exists = GoldenFiles.class.getResource(parts.getFirst()) != null;
		return exists && (parts.size() == 1 || GoldenFiles.hex(parts.getFirst()).containsKey(parts.get(1)));
	}

	private static Map<String, Format> formats() throws IOException {
		Map<String, Format> formats = new LinkedHashMap<>();
		for (List<String> row : rows(Files.readString(FORMATS), "| format | constant | now | read |")) {
			Matcher constant = CONSTANT.matcher(row.get(1));
			assertThat(constant.matches()).as(row.get(1)).isTrue();
			Path source = FORMATS.resolveSibling(constant.group(1)).normalize();
			formats.put(row.getFirst(), new Format(className(source) + "." + constant.group(2), source,
					Integer.parseInt(row.get(2)), numbers(row.get(3))));
		}
		return formats;
	}

	private static String newestRelease() throws IOException {
		String text = Files.readString(CHANGELOG);
		int begin = text.indexOf("\n## ");
		int end = text.indexOf("\n## ", begin + 1);
		return text.substring(begin, (end < 0) ? text.length() : end);
	}

	/* The cells of the rows below a heading. */
	private static List<List<String>> rows(String text, String heading) {
		List<List<String>> rows = text.substring(text.indexOf(heading) + heading.length())
			.lines()
			.skip(2)
			.takeWhile((line) -> line.startsWith("|"))
			.map((line) -> Pattern.compile("\\|").splitAsStream(line).skip(1).map(String::strip).toList())
			.toList();
		assertThat(rows).as(heading).isNotEmpty();
		return rows;
	}

	/* Of "3", "1, 2", "1 to 4" or "up to 2". */
	private static List<Integer> numbers(String text) {
		List<Integer> numbers = Pattern.compile("\\d+")
			.matcher(text)
			.results()
			.map(MatchResult::group)
			.map(Integer::valueOf)
			.toList();
		int last = numbers.getLast();
		int first = text.startsWith("up to") ? 1 : numbers.getFirst();
		return text.contains("to") ? IntStream.rangeClosed(first, last).boxed().toList() : numbers;
	}

	private static Map<String, Integer> constants() throws IOException {
		Map<String, Integer> constants = new LinkedHashMap<>();
		try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
			for (Path file : files.filter((path) -> path.toString().endsWith(".java")).toList()) {
				VERSION.matcher(Files.readString(file))
					.results()
					.forEach((constant) -> constants.put(className(file) + "." + constant.group(1),
							constant.group(2).equals("FormatLevel.NEWEST") ? Integer.valueOf(FormatLevel.NEWEST)
									: Integer.valueOf(constant.group(2))));
			}
		}
		return constants;
	}

	private static String className(Path source) {
		return String.valueOf(source.getFileName()).replace(".java", "");
	}

}
