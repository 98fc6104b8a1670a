package io.quorate.spring.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

import io.quorate.spring.boot.metrics.CallMeters;
import io.quorate.spring.boot.store.StoreFailures;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.json.JsonParserFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Ties between the documents and the starter. */
class DocumentsTests {

	private static final Path HOME = Path.of("").toAbsolutePath().resolve("../..").normalize();

	private static final String CHAPTER = read(HOME.resolve("src/docs/spring.md"));

	private static final Pattern ROW = Pattern
		.compile("(?m)^\\| `((?:quorate|management)\\.[a-z.-]+)` \\| ([^|]*) \\|");

	private static final Pattern BLOCK = Pattern.compile("(?s)```java\\n(.*?)```");

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException failure) {
			throw new IllegalStateException(failure);
		}
	}

	/** Returns the properties of the metadata with their defaults. */
	private static Map<String, String> properties() {
		Map<String, Object> metadata = JsonParserFactory.getJsonParser()
			.parseMap(read(Path.of("target/classes/META-INF/spring-configuration-metadata.json")));
		Map<String, String> properties = new TreeMap<>();
		for (Object each : (List<?>) metadata.getOrDefault("properties", List.of())) {
			Map<?, ?> property = (Map<?, ?>) each;
			assertThat(property.get("description")).as("the description of %s", property.get("name"))
				.asString()
				.endsWith(".");
			Object value = property.get("defaultValue");
			properties.put(String.valueOf(property.get("name")), (value != null) ? value.toString() : "");
		}
		return properties;
	}

	@Test
	void chapterHasEachPropertyWithItsDefault() {
		Map<String, String> documented = new TreeMap<>();
		ROW.matcher(CHAPTER)
			.results()
			.forEach((row) -> documented.put(row.group(1), row.group(2).replace("`", "").strip()));
		assertThat(documented).isEqualTo(properties());
	}

	@Test
	void chapterHasEachMeter() {
		Matcher names = Pattern.compile("`(quorate\\.client\\.[a-z.]+)` \\(").matcher(CHAPTER);
		assertThat(names.results().map((name) -> name.group(1))).containsExactlyInAnyOrder(CallMeters.CALLS,
				CallMeters.ACKNOWLEDGED, CallMeters.FAILED_ATTEMPTS, StoreFailures.METER);
	}

	@Test
	void blocksOfTheDocumentsCompile(@TempDir Path directory) throws IOException {
		for (String document : List.of("src/docs/spring.md", "clients/spring-boot-starter/README.md")) {
			TreeSet<String> imports = new TreeSet<>();
			List<String> types = new ArrayList<>();
			BLOCK.matcher(read(HOME.resolve(document)))
				.results()
				.flatMap((block) -> block.group(1).lines())
				.forEach((line) -> (line.startsWith("import ") ? imports : types).add(line));
			assertThat(types).as(document).isNotEmpty();
			Path source = Files.writeString(directory.resolve("Blocks.java"),
					String.join("\n", imports) + "\n" + String.join("\n", types) + "\n");
			assertThat(ToolProvider.getSystemJavaCompiler()
				.run(null, null, null, "-proc:none", "-d", directory.toString(), "-cp",
						System.getProperty("java.class.path"), source.toString()))
				.as(document)
				.isZero();
		}
	}

}
