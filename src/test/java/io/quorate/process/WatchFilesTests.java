package io.quorate.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.micrometer.prometheusmetrics.PrometheusNamingConvention;
import io.quorate.Handbook;
import io.quorate.meter.DocumentedMeter;
import io.quorate.process.WatchFiles.Panel;
import io.quorate.process.WatchFiles.Query;
import io.quorate.process.WatchFiles.Rule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That rules and dashboards are whole, and speak of what the rooms measure by the names
 * that it has.
 */
class WatchFilesTests {

	/* Those of Prometheus itself, and of Spring Boot; DashboardsIT sees each of them. */
	private static final Set<String> NOT_OURS = Set.of("up", "ALERTS", "process_start_time_seconds",
			"process_uptime_seconds", "process_cpu_usage", "process_files_open_files", "process_files_max_files",
			"system_cpu_usage", "logback_events_total", "jvm_memory_usage_after_gc", "jvm_gc_pause_seconds_sum",
			"jvm_gc_pause_seconds_max");

	private static final String HANDBOOK = Handbook.WATCHING.file() + "#";

	private static final Set<String> EVERYWHERE = Set.of("cluster", "node", "job", "instance", "le");

	private static final Pattern STRING = Pattern.compile("\"[^\"]*\"");

	private static final Pattern SELECTOR = Pattern.compile("([a-zA-Z_:][\\w:]*)?\\{([^}]*)}");

	private static final Pattern SELECTED_LABEL = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)");

	private static final Pattern GROUPING = Pattern.compile("\\b(by|without|on|ignoring)\\s*\\([^)]*\\)");

	/* A name, unless a function's or of another kind. */
	private static final Pattern NAME = Pattern
		.compile("(?<![\\w.$])(?!(?:and|or|unless|offset|bool)\\b)([a-zA-Z_:][\\w:]*)(?!\\s*\\(|[\\w:])");

	private static final Pattern RANGE = Pattern.compile("\\[[^\\]]*]");

	private static final Pattern ANCHOR = Pattern.compile("<a id=\"(watch-[\\w-]+)\"></a>");

	private static final Pattern CLASS = Pattern.compile(".*/(io/quorate/.*)\\.class");

	@Test
	void everyAlertSaysWhatItIsAndWhereToRead() {
		Set<String> anchors = anchors();
		assertThat(WatchFiles.alerts()).hasSizeBetween(20, 30).allSatisfy((alert) -> {
			assertThat(alert.severity()).isIn("page", "ticket");
			assertThat(alert.yaml().get("annotations").propertyNames()).containsExactlyInAnyOrder("summary",
					"description", "runbook_url");
			assertThat(alert.yaml().get("annotations")).allMatch((annotation) -> !annotation.asString().isBlank());
			assertThat(alert.runbook()).startsWith(HANDBOOK);
			assertThat(anchors).contains(alert.runbook().substring(HANDBOOK.length()));
		});
	}

	@Test
	void everyLineOfTheHandbookNamesTheAlertsThatLeadToIt() {
		Map<String, Set<String>> leading = new TreeMap<>();
		for (Rule alert : WatchFiles.alerts()) {
			leading.computeIfAbsent(alert.runbook().substring(HANDBOOK.length()), (none) -> new TreeSet<>())
				.add(alert.name());
		}
		Map<String, Set<String>> named = new TreeMap<>();
		Handbook.WATCHING.text().lines().forEach((line) -> {
			Matcher anchor = ANCHOR.matcher(line);
			if (anchor.find()) {
				named.put(anchor.group(1),
						new TreeSet<>(Pattern.compile("`(Quorate\\w+)`")
							.matcher(line)
							.results()
							.map((name) -> name.group(1))
							.toList()));
			}
		});
		assertThat(named).isEqualTo(leading);
	}

	@Test
	void everyPanelThatTheHandbookSendsToIsThere() {
		Set<String> panels = new TreeSet<>(WatchFiles.panels().stream().map(Panel::toString).toList());
		Handbook.WATCHING.text().lines().filter((line) -> ANCHOR.matcher(line).find()).forEach((line) -> {
			String named = line.split("\\|", -1)[2];
			assertThat(named.split(";", -1)).as(line)
				.allMatch((panel) -> panels.contains("Quorate / " + panel.strip()), "is a panel");
		});
	}

	@Test
	void everyAlertHasACaseThatFiresAndOneThatDoesNot() {
		Map<String, List<Integer>> cases = WatchFiles.alertCases();
		assertThat(cases.keySet()).isEqualTo(new TreeSet<>(WatchFiles.alerts().stream().map(Rule::name).toList()));
		assertThat(cases).allSatisfy((alert, fired) -> assertThat(fired).contains(0).anyMatch((count) -> count > 0));
	}

	@Test
	void everyNameIsOfARuleOrOfAMeter() throws Exception {
		Set<String> unknown = new TreeSet<>();
		for (String expression : expressions()) {
			// A constant has no name.
			assertThat(names(expression).isEmpty()).as(expression).isEqualTo(expression.startsWith("vector("));
			unknown.addAll(names(expression));
		}
		unknown.removeAll(knownNames().keySet());
		assertThat(unknown).isEmpty();
	}

	@Test
	void everyLabelThatIsSelectedByIsOneOfTheMeter() throws Exception {
		Map<String, Set<String>> known = knownNames();
		for (String expression : expressions()) {
			SELECTOR.matcher(expression).results().forEach((selector) -> {
				Set<String> labels = known.getOrDefault(selector.group(1), Set.of());
				if (labels.isEmpty()) {
					return;
				}
				assertThat(SELECTED_LABEL.matcher(STRING.matcher(selector.group(2)).replaceAll(""))
					.results()
					.map((label) -> label.group(1))).as(expression)
					.allMatch((label) -> labels.contains(label) || EVERYWHERE.contains(label), "is a label of it");
			});
		}
	}

	/* A ticket waits before it is sent, a page does not. */
	@Test
	void everyEffectThatAnAlertMutesIsSentAfterItsCauseFires() {
		JsonNode alertmanager = WatchFiles.yaml(WatchFiles.ALERTMANAGER);
		Duration wait = DurationStyle.SIMPLE.parse(alertmanager.at("/route/routes/1/group_wait").asString());
		assertThat(alertmanager.get("inhibit_rules")).isNotEmpty().allSatisfy((inhibition) -> {
			List<Rule> causes = matching(inhibition.get("source_matchers"));
			List<Rule> effects = matching(inhibition.get("target_matchers"));
			assertThat(effects).isNotEmpty().doesNotContainAnyElementsOf(causes);
			Duration cause = causes.stream().map(Rule::lasts).max(Duration::compareTo).orElseThrow();
			assertThat(effects).as(inhibition.toString())
				.allSatisfy((effect) -> assertThat(
						effect.severity().equals("ticket") ? effect.lasts().plus(wait) : effect.lasts())
					.isGreaterThan(cause));
		});
	}

	@Test
	void everyRecordingHasItsOwnNameAndIsUsed() {
		List<String> recorded = WatchFiles.recordings().stream().map(Rule::name).toList();
		assertThat(recorded).doesNotHaveDuplicates().allMatch((name) -> name.split(":", -1).length == 3);
		Set<String> unused = new TreeSet<>(recorded);
		expressions().forEach((expression) -> unused.removeAll(names(expression)));
		assertThat(unused).isEmpty();
	}

	@Test
	void everyMeterThatAlertsAreMadeOfIsDrawn() {
		Map<String, Rule> recordings = new TreeMap<>();
		WatchFiles.recordings().forEach((rule) -> recordings.put(rule.name(), rule));
		Set<String> drawn = new HashSet<>();
		for (Panel panel : WatchFiles.panels()) {
			panel.queries().forEach((query) -> addBases(query.expression(), recordings, drawn));
		}
		Set<String> called = new TreeSet<>();
		WatchFiles.alerts().forEach((alert) -> addBases(alert.expression(), recordings, called));
		called.removeAll(drawn);
		// The dashboards have starts as marks.
		assertThat(called).containsExactly("process_start_time_seconds");
	}

	@Test
	void everyPanelSaysWhatItShows() {
		assertThat(WatchFiles.panels()).hasSizeBetween(60, 90).allSatisfy((panel) -> {
			assertThat(panel.title()).isNotBlank();
			assertThat(panel.description()).isNotBlank().endsWith(".");
			assertThat(panel.unit()).isNotBlank();
			assertThat(panel.queries()).isNotEmpty()
				.allSatisfy((query) -> assertThat(query.expression()).doesNotContain("@", "~]"));
		});
		assertThat(WatchFiles.panels().stream().map(Panel::toString)).doesNotHaveDuplicates();
		assertThat(WatchFiles.dashboards().stream().map((dashboard) -> dashboard.get("uid").asString()))
			.doesNotHaveDuplicates()
			.hasSize(5);
	}

	@Test
	void theDashboardsAreWhatTheirSourceSays(@TempDir Path written) throws Exception {
		Process writer = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				Path.of("tools", "Dashboards.java").toString(), written.toString())
			.inheritIO()
			.start();
		assertThat(writer.waitFor()).isZero();
		assertThat(contents(written)).as("run tools/dashboards").isEqualTo(contents(WatchFiles.DASHBOARDS));
	}

	@Test
	void theOtherFilesAreWellFormed() {
		Path provisioning = Path.of("config", "grafana", "provisioning");
		assertThat(WatchFiles.yaml(WatchFiles.PROMETHEUS.resolve("prometheus.yml")).has("scrape_configs")).isTrue();
		assertThat(WatchFiles.yaml(provisioning.resolve("datasources").resolve("prometheus.yml")).has("datasources"))
			.isTrue();
		assertThat(WatchFiles.yaml(provisioning.resolve("dashboards").resolve("quorate.yml")).has("providers"))
			.isTrue();
	}

	private static Map<String, String> contents(Path directory) {
		Map<String, String> contents = new TreeMap<>();
		WatchFiles.files(directory, ".json")
			.forEach((file) -> contents.put(file.getFileName().toString(), WatchFiles.read(file)));
		return contents;
	}

	/** The alerts of matchers by severity or by name, of which each name is one. */
	private static List<Rule> matching(JsonNode matchers) {
		List<String> values = matchers.valueStream()
			.flatMap((matcher) -> STRING.matcher(matcher.asString()).results())
			.flatMap((value) -> Stream.of(value.group().replace("\"", "").split("\\|", -1)))
			.toList();
		List<Rule> found = WatchFiles.alerts()
			.stream()
			.filter((alert) -> values.contains(alert.name()) || values.contains(alert.severity()))
			.toList();
		assertThat(found.stream().flatMap((alert) -> Stream.of(alert.name(), alert.severity()))).containsAll(values);
		return found;
	}

	private static Set<String> anchors() {
		return new TreeSet<>(
				ANCHOR.matcher(Handbook.WATCHING.text()).results().map((anchor) -> anchor.group(1)).toList());
	}

	private static List<String> expressions() {
		return Stream
			.concat(WatchFiles.rules().stream().map(Rule::expression),
					WatchFiles.panels().stream().flatMap((panel) -> panel.queries().stream()).map(Query::expression))
			.toList();
	}

	/** The names of what an expression is made of, without those of functions. */
	private static Set<String> names(String expression) {
		String bare = SELECTOR.matcher(STRING.matcher(expression).replaceAll(""))
			.replaceAll((selector) -> (selector.group(1) != null) ? selector.group(1) : "");
		bare = RANGE.matcher(GROUPING.matcher(bare).replaceAll("")).replaceAll("");
		return new TreeSet<>(NAME.matcher(bare).results().map((name) -> name.group(1)).toList());
	}

	private static void addBases(String expression, Map<String, Rule> recordings, Set<String> bases) {
		for (String name : names(expression)) {
			Rule recording = recordings.get(name);
			if (recording != null) {
				addBases(recording.expression(), recordings, bases);
			}
			else {
				bases.add(name.replaceFirst("_seconds_(bucket|count|sum|max)$", "_seconds"));
			}
		}
	}

	/** With the labels of each, none where they are not known. */
	private static Map<String, Set<String>> knownNames() throws Exception {
		Map<String, Set<String>> known = new TreeMap<>();
		NOT_OURS.forEach((name) -> known.put(name, Set.of()));
		WatchFiles.recordings().forEach((rule) -> known.put(rule.name(), Set.of()));
		List<DocumentedMeter> meters = meters();
		assertThat(meters).hasSizeGreaterThan(50);
		for (DocumentedMeter meter : meters) {
			Set<String> labels = new TreeSet<>(meter.declaration().keys());
			labels.addAll(EVERYWHERE);
			prometheusNames(meter).forEach((name) -> known.put(name, labels));
		}
		return known;
	}

	private static List<String> prometheusNames(DocumentedMeter meter) {
		String name = new PrometheusNamingConvention().name(meter.getName(), meter.getType(), meter.getBaseUnit());
		return switch (meter.getType()) {
			case TIMER, DISTRIBUTION_SUMMARY ->
				Stream.of("_bucket", "_count", "_sum", "_max").map((suffix) -> name + suffix).toList();
			// The convention leaves the suffix to the text format.
			case COUNTER -> List.of(name.endsWith("_total") ? name : name + "_total");
			// What is called so is information to the registry, and keeps its suffix.
			default -> List.of(meter.getName().endsWith(".info") ? name + "_info" : name);
		};
	}

	/** Those that the rooms declare, wherever they are. */
	private static List<DocumentedMeter> meters() throws Exception {
		List<DocumentedMeter> meters = new ArrayList<>();
		for (Resource room : new PathMatchingResourcePatternResolver()
			.getResources("classpath*:io/quorate/**/*Meters.class")) {
			Class<?> meterClass = Class
				.forName(CLASS.matcher(room.getURI().toString()).replaceFirst("$1").replace('/', '.'));
			if (DocumentedMeter.class.isAssignableFrom(meterClass)) {
				for (Object meter : meterClass.getEnumConstants()) {
					meters.add((DocumentedMeter) meter);
				}
			}
		}
		return meters;
	}

}
