package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That the values of the chart, their schema and their table agree, and that the chart is
 * of this version. Whether the manifests of {@code k8s/} are those that the chart gives
 * is checked by {@code .ci/manifests}.
 */
class ChartTests {

	private static final Path CHART = Manifests.ROOT.resolve("chart");

	private static final JsonNode VALUES = WatchFiles.yaml(CHART.resolve("values.yaml"));

	private static final JsonNode SCHEMA = JsonMapper.shared()
		.readTree(WatchFiles.read(CHART.resolve("values.schema.json")));

	/* | `name` | `default` | meaning | */
	private static final Pattern ROW = Pattern.compile("(?m)^\\| `([\\w.]+)` \\| ([^|]*)\\|");

	@Test
	void theChartIsOfThisVersion() {
		JsonNode chart = WatchFiles.yaml(CHART.resolve("Chart.yaml"));
		assertThat(chart.get("appVersion")).isEqualTo(chart.get("version"));
		assertThat(WatchFiles.read(Path.of("pom.xml")))
			.contains("<artifactId>quorate</artifactId>\n\t<version>" + chart.get("version").asString() + "</version>");
	}

	/* Those of a node, with its AOT cache, need more than the memory of these pods. */
	@Test
	void podsOfCommandsHaveTheFlagsOfCommands() {
		assertThat(WatchFiles.read(Path.of("tools", "image"))).contains(">\"$app/app/commands.args\"");
		for (String file : List.of("backup.yaml", "tests/nodes.yaml")) {
			assertThat(WatchFiles.read(CHART.resolve("templates").resolve(file))).as(file)
				.contains("command: [/opt/jre/bin/java, \"@/app/commands.args\"]\n");
		}
		assertThat(Manifests.one("production/backup.yaml", "CronJob", "quorate-backup")
			.at("/spec/jobTemplate/spec/template/spec/containers/0/command/1")
			.asString()).isEqualTo("@/app/commands.args");
	}

	@Test
	void everyValueIsInTheSchema() {
		assertThat(leaves().keySet()).isNotEmpty();
		assertThat(names(SCHEMA, "", new ArrayList<>())).filteredOn((name) -> !name.equals("global"))
			.filteredOn((name) -> !name.equals("resources.claims") && !name.endsWith(".resources.claims"))
			.containsExactlyInAnyOrderElementsOf(leaves().keySet());
	}

	@Test
	void theSchemaRefusesUnknownValues() {
		assertThat(objects(SCHEMA, new ArrayList<>())).hasSizeGreaterThan(20)
			.allMatch((schema) -> !schema.path("additionalProperties").asBoolean(true), "is closed");
	}

	@Test
	void theTableHasEveryValueWithItsDefault() {
		String readme = WatchFiles.read(CHART.resolve("README.md"));
		String table = readme.substring(readme.indexOf("\n## Values\n"), readme.indexOf("\n## From open to closed\n"));
		Map<String, String> rows = new TreeMap<>();
		ROW.matcher(table)
			.results()
			.forEach((row) -> assertThat(rows.put(row.group(1), row.group(2).strip())).as(row.group(1)).isNull());
		Map<String, String> wanted = new TreeMap<>();
		leaves().forEach((name, value) -> wanted.put(name, cell(value)));
		assertThat(rows).isEqualTo(wanted);
	}

	private static String cell(JsonNode value) {
		if (value.isContainer()) {
			return value.isEmpty() ? "`" + value + "`" : "[values.yaml](values.yaml)";
		}
		return value.asString().isEmpty() ? "" : "`" + value.asString() + "`";
	}

	/* The chart has no copy: neither a rule nor a dashboard can differ. */
	@ParameterizedTest
	@CsvSource({ "rules, config/prometheus/rules", "dashboards, config/grafana/dashboards" })
	void rulesAndDashboardsAreThoseOfPrometheusAndGrafana(String link, Path directory) throws IOException {
		assertThat(Files.isSameFile(CHART.resolve("files").resolve(link), directory)).isTrue();
	}

	/* Without pods, for a while, the list would be empty: a command without a node. */
	@Test
	void aListOfPodsIsNeverEmpty() throws IOException {
		List<String> lists = new ArrayList<>();
		try (Stream<Path> templates = Files.walk(CHART.resolve("templates"))) {
			templates.filter(Files::isRegularFile)
				.forEach((file) -> WatchFiles.read(file)
					.lines()
					.filter((line) -> line.contains("until ("))
					.forEach(lists::add));
		}
		assertThat(lists).hasSizeGreaterThan(2)
			.allMatch((line) -> line.contains("(include \"quorate.pods\" . | int)")
					|| line.contains("(int .Values.members.first)"));
	}

	private static Map<String, JsonNode> leaves() {
		Map<String, JsonNode> leaves = new TreeMap<>();
		leaves(VALUES, SCHEMA, "", leaves);
		return leaves;
	}

	/* Down to where the schema names no properties any more. */
	private static void leaves(JsonNode values, JsonNode schema, String above, Map<String, JsonNode> leaves) {
		values.properties().forEach((value) -> {
			String name = above + value.getKey();
			JsonNode itself = schema.path("properties").path(value.getKey());
			assertThat(itself.isMissingNode()).as("%s is not in the schema", name).isFalse();
			if (itself.has("properties")) {
				leaves(value.getValue(), itself, name + ".", leaves);
			}
			else {
				leaves.put(name, value.getValue());
			}
		});
	}

	private static List<String> names(JsonNode schema, String above, List<String> names) {
		schema.path("properties").properties().forEach((property) -> {
			if (property.getValue().has("properties")) {
				names(property.getValue(), above + property.getKey() + ".", names);
			}
			else {
				names.add(above + property.getKey());
			}
		});
		return names;
	}

	private static List<JsonNode> objects(JsonNode schema, List<JsonNode> found) {
		if (schema.has("properties")) {
			found.add(schema);
			schema.get("properties").forEach((property) -> objects(property, found));
		}
		return found;
	}

}
