package io.quorate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That the handbook and the example configuration name every property of ours with the
 * default that it really has: the records of the rooms decide, by way of the metadata
 * that the compiler made of them.
 */
class HandbookTests {

	private static final String NONE = "";

	/* | `name` | `default` | meaning | */
	private static final Pattern HANDBOOK_ROW = Pattern
		.compile("(?m)^\\| `(quorate\\.[^`]+)` \\| (?:`([^`]*)`)?[^|]*\\|");

	/*
	 * A line that is commented out, without a space behind the mark: the name, the
	 * default.
	 */
	private static final Pattern EXAMPLE_LINE = Pattern.compile("(?m)^#(quorate\\.[\\w.-]+):(?: +(\\S+))?$");

	/* | `message`, `message` | ... */
	private static final Pattern MESSAGE_ROW = Pattern.compile("(?m)^\\| (`[^|]*`) \\|");

	private static final Pattern MESSAGE = Pattern.compile("`([^`]*)`");

	private static final Pattern STRING_CONTINUED = Pattern.compile("\"\\s*\\+\\s*\"");

	private static final Map<String, String> DEFAULTS = new TreeMap<>();

	@BeforeAll
	static void readMetadata() throws IOException {
		JsonNode metadata = JsonMapper.shared()
			.readTree(new ClassPathResource("META-INF/spring-configuration-metadata.json").getInputStream());
		for (JsonNode property : metadata.get("properties")) {
			String name = property.get("name").asString();
			JsonNode value = property.get("defaultValue");
			if (name.startsWith("quorate.")) {
				DEFAULTS.put(name, (value != null) ? value.asString() : NONE);
			}
		}
	}

	@Test
	void everyPropertyIsDescribedAtItsRecord() throws IOException {
		JsonNode metadata = JsonMapper.shared()
			.readTree(new ClassPathResource("META-INF/spring-configuration-metadata.json").getInputStream());
		assertThat(metadata.get("properties"))
			.filteredOn((property) -> property.get("name").asString().startsWith("quorate."))
			.allMatch((property) -> property.hasNonNull("description"), "has a description");
	}

	@Test
	void handbookNamesEveryPropertyWithItsDefault() throws IOException {
		assertThat(found(HANDBOOK_ROW, Handbook.PROPERTIES.file().toString())).isEqualTo(DEFAULTS);
	}

	@Test
	void exampleNamesEveryPropertyWithItsDefault() throws IOException {
		assertThat(found(EXAMPLE_LINE, "config/application.yml")).isEqualTo(DEFAULTS);
	}

	@Test
	void everyMessageOfTheTroubleshootingIsInTheSources() throws IOException {
		String sources = sources();
		Matcher rows = MESSAGE_ROW.matcher(Handbook.TROUBLESHOOTING.text());
		List<String> messages = new ArrayList<>();
		while (rows.find()) {
			messages.addAll(MESSAGE.matcher(rows.group(1)).results().map((result) -> result.group(1)).toList());
		}
		assertThat(messages).hasSizeGreaterThan(10).allMatch(sources::contains, "is in the sources");
	}

	private static String sources() throws IOException {
		StringBuilder text = new StringBuilder();
		try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
			for (Path file : files.filter((path) -> path.toString().endsWith(".java")).toList()) {
				text.append(Files.readString(file));
			}
		}
		return STRING_CONTINUED.matcher(text).replaceAll("");
	}

	private static Map<String, String> found(Pattern pattern, String file) throws IOException {
		Map<String, String> found = new TreeMap<>();
		Matcher matcher = pattern.matcher(Files.readString(Path.of(file)));
		while (matcher.find()) {
			String value = matcher.group(2);
			assertThat(found.put(matcher.group(1), (value != null) ? value : NONE)).as("%s twice", matcher.group(1))
				.isNull();
		}
		return found;
	}

}
