package io.quorate.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.springframework.boot.convert.DurationStyle;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The files by which a cluster is watched: Prometheus' rules and Grafana's dashboards.
 */
final class WatchFiles {

	static final Path PROMETHEUS = Path.of("config", "prometheus").toAbsolutePath();

	static final Path RULES = PROMETHEUS.resolve("rules");

	static final Path RULE_TESTS = PROMETHEUS.resolve("tests");

	static final Path ALERTMANAGER = PROMETHEUS.resolve("alertmanager.yml");

	static final Path DASHBOARDS = Path.of("config", "grafana", "dashboards").toAbsolutePath();

	private WatchFiles() {
	}

	static List<Rule> rules() {
		List<Rule> rules = new ArrayList<>();
		for (Path file : files(RULES, ".yml")) {
			for (JsonNode group : yaml(file).get("groups")) {
				group.get("rules").forEach((rule) -> rules.add(new Rule(rule)));
			}
		}
		return rules;
	}

	static List<Rule> alerts() {
		return rules().stream().filter(Rule::isAlert).toList();
	}

	static List<Rule> recordings() {
		return rules().stream().filter((rule) -> !rule.isAlert()).toList();
	}

	/** How often each alert is expected to fire, in each of its cases. */
	static Map<String, List<Integer>> alertCases() {
		Map<String, List<Integer>> cases = new TreeMap<>();
		for (Path file : files(RULE_TESTS, ".yml")) {
			for (JsonNode test : yaml(file).get("tests")) {
				for (JsonNode alert : test.path("alert_rule_test")) {
					cases.computeIfAbsent(alert.get("alertname").asString(), (name) -> new ArrayList<>())
						.add(alert.get("exp_alerts").size());
				}
			}
		}
		return cases;
	}

	static List<JsonNode> dashboards() {
		return files(DASHBOARDS, ".json").stream().map(WatchFiles::json).toList();
	}

	/** Those of closed rows, too. */
	static List<Panel> panels() {
		List<Panel> panels = new ArrayList<>();
		for (JsonNode dashboard : dashboards()) {
			panelsAndRows(dashboard).filter((panel) -> !isRow(panel))
				.forEach((panel) -> panels.add(new Panel(dashboard.get("title").asString(), panel)));
		}
		return panels;
	}

	/** What a dashboard shows when all its rows are open, from the top. */
	static Stream<JsonNode> panelsAndRows(JsonNode dashboard) {
		return dashboard.get("panels")
			.valueStream()
			.flatMap((panel) -> isRow(panel) ? Stream.concat(Stream.of(panel), panel.get("panels").valueStream())
					: Stream.of(panel));
	}

	static boolean isRow(JsonNode panel) {
		return panel.get("type").asString().equals("row");
	}

	static List<Path> files(Path directory, String suffix) {
		try (Stream<Path> files = Files.list(directory)) {
			return files.filter((file) -> file.toString().endsWith(suffix)).sorted().toList();
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

	static JsonNode yaml(Path file) {
		return JsonMapper.shared().valueToTree(new Yaml().load(read(file)));
	}

	static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

	private static JsonNode json(Path file) {
		return JsonMapper.shared().readTree(read(file));
	}

	/** A rule that records under a name, or calls. */
	record Rule(JsonNode yaml) {

		boolean isAlert() {
			return this.yaml.has("alert");
		}

		String name() {
			return this.yaml.get(isAlert() ? "alert" : "record").asString();
		}

		String expression() {
			return this.yaml.get("expr").asString();
		}

		String severity() {
			return this.yaml.at("/labels/severity").asString();
		}

		/** How long its expression has to hold until it fires. */
		Duration lasts() {
			return this.yaml.has("for") ? DurationStyle.SIMPLE.parse(this.yaml.get("for").asString()) : Duration.ZERO;
		}

		/** Where the handbook says what to do. */
		String runbook() {
			return this.yaml.at("/annotations/runbook_url").asString();
		}

		@Override
		public String toString() {
			return name();
		}

	}

	/** A panel of a dashboard. */
	record Panel(String dashboard, JsonNode json) {

		String title() {
			return this.json.get("title").asString();
		}

		String description() {
			return this.json.get("description").asString();
		}

		/** The unit of what is drawn upwards. */
		String unit() {
			return this.json.get("type").asString().equals("heatmap") ? this.json.at("/options/yAxis/unit").asString()
					: this.json.at("/fieldConfig/defaults/unit").asString();
		}

		/** Whether it shows states over time, each by its name and colour. */
		boolean hasStates() {
			return this.json.get("type").asString().equals("state-timeline");
		}

		/** The name of each state, by the value of the queries. */
		Map<String, String> states() {
			Map<String, String> states = new TreeMap<>();
			for (JsonNode mapping : this.json.at("/fieldConfig/defaults/mappings")) {
				mapping.get("options")
					.properties()
					.forEach((state) -> states.put(state.getKey(), state.getValue().get("text").asString()));
			}
			return states;
		}

		List<Query> queries() {
			List<Query> queries = new ArrayList<>();
			this.json.get("targets")
				.forEach((target) -> queries
					.add(new Query(target.get("expr").asString(), target.get("legendFormat").asString())));
			return queries;
		}

		@Override
		public String toString() {
			return this.dashboard + ": " + title();
		}

	}

	/** A query of a panel. */
	record Query(String expression, String legend) {

		/** As Grafana asks it when a cluster and all its nodes are chosen. */
		String over(String cluster, String rateInterval) {
			return this.expression.replace("$cluster", cluster)
				.replace("$node", ".*")
				.replace("$__rate_interval", rateInterval);
		}

	}

}
