package io.quorate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;
import org.junit.jupiter.api.Test;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That the handbook lists every meter as its room declares it, by the name that
 * Prometheus sees, and none that there is not.
 */
class MeterHandbookTests {

	/* Of a histogram its maximum, a gauge of its own, is a part. */
	private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (\\w+(?<!_max)) (\\w+)$");

	/* | `name` | type | `tag`, `tag` | meaning | */
	private static final Pattern ROW = Pattern.compile("(?m)^\\| `quorate_\\w+` \\|.*$");

	/* Names of recording rules have colons. */
	private static final Pattern MENTION = Pattern.compile("(?<![\\w:])quorate_[a-z0-9_]+(?![\\w:])");

	private static final Path SOURCES = Path.of("src/main/java");

	private static final List<DocumentedMeter> METERS = declared();

	@Test
	void theHandbookListsEveryMeterAndNoOther() throws IOException {
		List<String> listed = ROW.matcher(Handbook.WATCHING.text()).results().map(MatchResult::group).toList();
		List<String> declared = METERS.stream().map(MeterHandbookTests::row).toList();
		List<String> missing = new ArrayList<>(declared);
		missing.removeAll(listed);
		List<String> unknown = new ArrayList<>(listed);
		unknown.removeAll(declared);
		assertThat(missing)
			.as("to be written into watching.md, \"Meters\":%n%n%s%n%nin the place of:%n%n%s%n",
					String.join("\n", missing), String.join("\n", unknown))
			.isEmpty();
		assertThat(unknown).as("rows of watching.md, \"Meters\", without a meter").isEmpty();
		assertThat(listed).doesNotHaveDuplicates();
	}

	@Test
	void filesNameNoMeterThatThereIsNot() throws IOException {
		String declared = METERS.stream()
			.map(MeterHandbookTests::type)
			.map((type) -> type.group(1) + (type.group(2).equals("gauge") ? "" : "(_bucket|_count|_sum|_max)?"))
			.collect(Collectors.joining("|"));
		List<String> unknown = new ArrayList<>();
		int files = 0;
		for (Path file : named()) {
			String text = Files.readString(file);
			files += MENTION.matcher(text).find() ? 1 : 0;
			MENTION.matcher(text)
				.results()
				.map(MatchResult::group)
				.filter((name) -> !(name.endsWith("_") ? isStart(name) : name.matches(declared)))
				.map((name) -> file + ": " + name)
				.forEach(unknown::add);
		}
		assertThat(unknown).as("names without a meter").isEmpty();
		assertThat(files).as("files that name meters").isGreaterThan(10);
	}

	/* Of all that begin in the same way: quorate_layout_* */
	private static boolean isStart(String name) {
		return METERS.stream().anyMatch((meter) -> type(meter).group(1).startsWith(name));
	}

	private static List<Path> named() throws IOException {
		List<Path> files = new ArrayList<>(List.of(Path.of("README.md"), Path.of("HELP.md")));
		for (String directory : List.of("src/docs", "config", "k8s")) {
			try (Stream<Path> its = Files.walk(Path.of(directory))) {
				its.filter((file) -> file.toString().matches(".*\\.(md|ya?ml|json)")).forEach(files::add);
			}
		}
		return files;
	}

	@Test
	void metersAreDeclaredOnce() {
		assertThat(METERS.stream().map(DocumentedMeter::getName)).isNotEmpty().doesNotHaveDuplicates();
		assertThat(METERS.stream().map((meter) -> type(meter).group(1))).doesNotHaveDuplicates();
	}

	@Test
	void meaningsFitIntoTheTable() {
		assertThat(METERS.stream().map((meter) -> meter.declaration().meaning()))
			.allMatch((meaning) -> !meaning.isBlank() && !meaning.contains("|") && !meaning.contains("\n"));
	}

	private static String row(DocumentedMeter meter) {
		MeterDeclaration declared = meter.declaration();
		String tags = declared.keys().stream().map((key) -> "`" + key + "`").collect(Collectors.joining(", "));
		Matcher type = type(meter);
		return "| `%s` | %s | %s | %s |".formatted(type.group(1), type.group(2), tags, declared.meaning());
	}

	/** The name and the type of a meter, as Prometheus is told of them. */
	private static Matcher type(DocumentedMeter meter) {
		PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		String[] values = meter.declaration().keys().toArray(String[]::new);
		switch (meter.getType()) {
			case TIMER -> meter.timer(registry, values);
			case DISTRIBUTION_SUMMARY -> meter.summary(registry, values);
			case COUNTER -> meter.counter(registry, values);
			case GAUGE -> meter.gauge(registry, meter, (_) -> 1, values);
			case LONG_TASK_TIMER, OTHER -> throw new AssertionError("nothing registers a " + meter.getType());
		}
		String text = registry.scrape();
		Matcher type = TYPE.matcher(text);
		assertThat(type.find()).as(text).isTrue();
		return type;
	}

	/* A rule of the architecture holds that only these declare meters. */
	private static List<DocumentedMeter> declared() {
		try (Stream<Path> files = Files.walk(SOURCES)) {
			return files.map((file) -> SOURCES.relativize(file).toString())
				.filter((file) -> file.endsWith("Meters.java"))
				.sorted()
				.map((file) -> file.replace(".java", "").replace('/', '.'))
				.flatMap((name) -> Stream.of(ClassUtils.resolveClassName(name, null).getEnumConstants()))
				.map(DocumentedMeter.class::cast)
				.toList();
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

}
