package io.quorate.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.quorate.process.WatchFiles.Panel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The states that dashboards make of several meters, against Prometheus' own reckoning:
 * of given meters each has the name that it should have. Needs Prometheus, and no
 * cluster.
 */
@Tag(Scale.FULL)
class DashboardStatesIT {

	private static final String CLUSTER = "one";

	private static final String END = "8m";

	private static final String BEFORE_ALERTS = "2m";

	/* Alerts come after 5 minutes. */
	private static final String ALERTS = "_x5 1x9";

	private final List<Map<String, String>> series = new ArrayList<>();

	private final List<Map<String, Object>> expected = new ArrayList<>();

	@Test
	void everyStateOfANodeIsNamed(@TempDir Path directory) throws Exception {
		node("n0", 1, 1, 0, 1);
		node("n1", 1, 1, 0, 0);
		node("n2", 1, 1, 1, 0);
		node("n3", 1, 0, 0, 0);
		meter("up", 0, "job=\"quorate\",node=\"n4\"");
		List<String> states = List.of("ready", "not ready", "rebuilding", "needs a restart", "down");
		expect("Overview", "State of nodes", END, named(states, (number) -> "{node=\"n%d\"}".formatted(number)));
		promtoolAgrees(directory);
	}

	@Test
	void everyStateOfAMemberIsNamedAndTheWorstIsShown(@TempDir Path directory) throws Exception {
		List<String> states = List.of("up", "draining", "suspect", "disconnected", "refused");
		for (int number = 0; number < states.size(); number++) {
			String state = states.get(number);
			view("a", "m" + number, state.equals("refused") ? "disconnected" : state, state.equals("refused"));
			view("b", "m" + number, "up", false);
		}
		expect("Overview", "Members as their peers see them", END,
				named(states, (number) -> "{member=\"m%d\"}".formatted(number)));
		List<Map.Entry<String, String>> views = new ArrayList<>(
				named(states, (number) -> "{member=\"m%d\",node=\"a\"}".formatted(number)));
		views.addAll(named(states.stream().map((state) -> "up").toList(),
				(number) -> "{member=\"m%d\",node=\"b\"}".formatted(number)));
		expect("Replication", "Members as their peers see them", END, views);
		promtoolAgrees(directory);
	}

	@Test
	void aNodeThatGainsCopiesUntilItHasAll(@TempDir Path directory) throws Exception {
		change("n0", 0, "1");
		change("n1", 1, "1");
		change("n2", 1, "0");
		change("n3", 1, "0.99");
		List<String> states = List.of("none", "under way", "copies", "copies");
		expect("Overview", "Change of members", END, named(states, (number) -> "{node=\"n%d\"}".formatted(number)));
		promtoolAgrees(directory);
	}

	@Test
	void everyAlertOfTheClusterIsShownWithItsSeverity(@TempDir Path directory) throws Exception {
		alert("One", "pending", "page", "cluster=\"%s\",node=\"n1\"".formatted(CLUSTER));
		alert("Two", "firing", "ticket", "cluster=\"%s\",node=\"n1\",peer=\"n2\"".formatted(CLUSTER));
		alert("Three", "firing", "page", "instance=\"127.0.0.1:1\"");
		alert("Four", "firing", "page", "cluster=\"other\",node=\"n1\"");
		expect("Overview", "Alerts that fire", BEFORE_ALERTS, List.of(Map.entry("{alertname=\"No alert\"}", "none")));
		expect("Overview", "Alerts that fire", END,
				List.of(Map.entry("{alertname=\"QuorateOne\",where=\"n1 \"}", "pending"),
						Map.entry("{alertname=\"QuorateTwo\",where=\"n1 n2\"}", "ticket"),
						Map.entry("{alertname=\"QuorateThree\",where=\" \"}", "page")));
		promtoolAgrees(directory);
	}

	private void node(String name, int isUp, int isLive, int isRebuilding, int isReady) {
		meter("up", isUp, "job=\"quorate\",node=\"" + name + "\"");
		meter("quorate_live", isLive, "job=\"quorate\",node=\"" + name + "\"");
		meter("quorate_rebuilding", isRebuilding, "job=\"quorate\",node=\"" + name + "\"");
		meter("quorate_ready", isReady, "job=\"quorate\",node=\"" + name + "\"");
	}

	private void view(String node, String member, String seen, boolean isRefused) {
		for (String state : List.of("up", "suspect", "draining", "disconnected")) {
			meter("quorate_internode_member", state.equals(seen) ? 1 : 0,
					"node=\"%s\",member=\"%s\",state=\"%s\"".formatted(node, member, state));
		}
		meter("quorate_internode_mismatch", isRefused ? 1 : 0, "node=\"%s\",peer=\"%s\"".formatted(node, member));
	}

	private void change(String node, int isJoint, String progress) {
		meter("quorate_layout_joint", isJoint, "node=\"" + node + "\"");
		series("quorate_move_progress_ratio{cluster=\"%s\",node=\"%s\"}".formatted(CLUSTER, node), progress + "x9");
	}

	private void alert(String name, String state, String severity, String labels) {
		series("ALERTS{alertname=\"Quorate%s\",alertstate=\"%s\",severity=\"%s\",%s}".formatted(name, state, severity,
				labels), ALERTS);
	}

	private void meter(String name, int value, String labels) {
		series("%s{cluster=\"%s\",%s}".formatted(name, CLUSTER, labels), value + "x9");
	}

	private void series(String series, String values) {
		this.series.add(Map.of("series", series, "values", values));
	}

	private static List<Map.Entry<String, String>> named(List<String> states, IntFunction<String> labels) {
		return IntStream.range(0, states.size())
			.mapToObj((number) -> Map.entry(labels.apply(number), states.get(number)))
			.toList();
	}

	private void expect(String dashboard, String title, String time, List<Map.Entry<String, String>> states) {
		Panel panel = WatchFiles.panels()
			.stream()
			.filter((each) -> each.toString().equals("Quorate / " + dashboard + ": " + title))
			.findFirst()
			.orElseThrow();
		this.expected
			.add(Map.of("expr", panel.queries().getFirst().over(CLUSTER, "1m"), "eval_time", time, "exp_samples",
					states.stream()
						.map((state) -> Map.of("labels", state.getKey(), "value", valueOf(panel, state.getValue())))
						.toList()));
	}

	private static int valueOf(Panel panel, String text) {
		return panel.states()
			.entrySet()
			.stream()
			.filter((state) -> state.getValue().equals(text))
			.mapToInt((state) -> Integer.parseInt(state.getKey()))
			.findFirst()
			.orElseThrow();
	}

	private void promtoolAgrees(Path directory) throws Exception {
		// JSON is YAML, too.
		Path test = Files.writeString(directory.resolve("states.yml"), JsonMapper.shared()
			.writeValueAsString(Map.of("evaluation_interval", "1m", "tests", List
				.of(Map.of("interval", "1m", "input_series", this.series, "promql_expr_test", this.expected)))));
		assertThat(PrometheusProcess.run("promtool", "test", "rules", test.toString())).contains("SUCCESS");
	}

}
