package io.quorate.process;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.quorate.process.AlertmanagerProcess.Notification;
import io.quorate.process.WatchFiles.Rule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Alerts as one system, by the programs of Prometheus and Alertmanager: the rules, and
 * what an operator gets of a fault. Needs both programs, and no cluster.
 */
class AlertsIT {

	private static final Path SCENARIOS = WatchFiles.RULE_TESTS.resolve("scenarios.yml");

	private static final Duration LIMIT = Duration.ofMinutes(1);

	private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

	/* The cluster of alerts that are no scenario's. */
	private static final String MARK = "mark";

	/* The one page of each fault. */
	private static final Map<String, String> PAGES = Map.of("killed node", "QuorateNodeDown", "full disk",
			"QuorateDiskFull", "slow disk", "QuorateDiskSlow", "wrong clock", "QuorateClockOffset", "certificate",
			"QuorateCertificateLastDay", "overload", "QuorateErrorBudgetBurnsFast");

	/* Of a certificate there is a ticket days before. */
	private static final Map<String, String> TICKETS = Map.of("certificate", "QuorateCredentialExpires");

	@Test
	void rulesAreRightAndEveryAlertFiresWhenItShould() throws Exception {
		List<String> check = new ArrayList<>(List.of("check", "rules"));
		WatchFiles.files(WatchFiles.RULES, ".yml").forEach((file) -> check.add(file.toString()));
		PrometheusProcess.run("promtool", check.toArray(String[]::new));
		PrometheusProcess.run("promtool", "check", "config",
				WatchFiles.PROMETHEUS.resolve("prometheus.yml").toString());
		List<String> test = new ArrayList<>(List.of("test", "rules"));
		WatchFiles.files(WatchFiles.RULE_TESTS, ".yml").forEach((file) -> test.add(file.toString()));
		PrometheusProcess.run("promtool", test.toArray(String[]::new));
	}

	@Test
	@Tag(Scale.FULL)
	void pagesAndTicketsHaveRoutesToReceiversOfTheirOwn() throws Exception {
		String configuration = WatchFiles.ALERTMANAGER.toString();
		PrometheusProcess.run("amtool", "check-config", configuration);
		for (String route : List.of("pager severity=page", "tickets severity=ticket")) {
			String[] receiverAndLabel = route.split(" ", -1);
			PrometheusProcess.run("amtool", "config", "routes", "test", "--config.file=" + configuration,
					"--verify.receivers=" + receiverAndLabel[0], receiverAndLabel[1]);
		}
	}

	/*
	 * That these alerts fire is what promtool proves. Each scenario is a cluster of its
	 * own, and one moment of all is played before the next.
	 */
	@Test
	@Tag(Scale.FULL)
	void everyFaultIsOnePageWithALinkThatWorks(@TempDir Path home) throws Exception {
		Map<String, List<JsonNode>> scenarios = WatchFiles.yaml(SCENARIOS)
			.get("tests")
			.valueStream()
			.collect(Collectors.toMap((test) -> test.get("name").asString(),
					(test) -> test.get("promql_expr_test").valueStream().toList()));
		int moments = scenarios.values().stream().mapToInt(List::size).max().orElseThrow();
		try (AlertmanagerProcess alertmanager = AlertmanagerProcess.start(home)) {
			Set<Map<String, String>> before = new HashSet<>();
			for (int moment = 0; moment < moments; moment++) {
				Set<Map<String, String>> firing = new HashSet<>();
				for (Map.Entry<String, List<JsonNode>> scenario : scenarios.entrySet()) {
					if (moment < scenario.getValue().size()) {
						firing.addAll(alerts(scenario.getKey(), scenario.getValue().get(moment)));
					}
				}
				before.removeAll(firing);
				post(alertmanager, firing, before);
				// The second one waits for whatever the first one has overtaken.
				mark(alertmanager, "Mark%da".formatted(moment));
				mark(alertmanager, "Mark%db".formatted(moment));
				before = firing;
			}
			assertThat(got(alertmanager, "pager")).isEqualTo(beginsAndEnds(PAGES));
			assertThat(got(alertmanager, "tickets")).isEqualTo(beginsAndEnds(TICKETS));
			assertThat(alertmanager.notifications()).filteredOn(AlertsIT::isOfScenario)
				.flatExtracting(Notification::alerts)
				.allSatisfy((alert) -> leadsToItsRow(alert.at("/annotations/runbook_url").asString()));
		}
	}

	/** All alerts that fire at a moment of a scenario. */
	private static List<Map<String, String>> alerts(String scenario, JsonNode moment) {
		return moment.get("exp_samples")
			.valueStream()
			.map((sample) -> labels(sample.get("labels").asString(), scenario))
			.toList();
	}

	private static Map<String, String> labels(String alert, String cluster) {
		Map<String, String> labels = LABEL.matcher(alert)
			.results()
			.collect(Collectors.toMap((label) -> label.group(1), (label) -> label.group(2)));
		labels.remove("alertstate");
		labels.put("cluster", cluster);
		return labels;
	}

	private static void post(AlertmanagerProcess alertmanager, Set<Map<String, String>> firing,
			Set<Map<String, String>> over) throws Exception {
		List<Map<String, Object>> alerts = new ArrayList<>();
		firing.forEach((labels) -> alerts.add(alert(labels, runbook(labels), LIMIT.multipliedBy(60))));
		over.forEach((labels) -> alerts.add(alert(labels, runbook(labels), Duration.ZERO)));
		alertmanager.post(alerts);
	}

	private static Map<String, Object> alert(Map<String, String> labels, String runbook, Duration goesOn) {
		Instant now = Instant.now();
		return Map.of("labels", labels, "annotations", Map.of("runbook_url", runbook), "startsAt",
				now.minusSeconds(1).toString(), "endsAt", now.plus(goesOn).toString());
	}

	private static String runbook(Map<String, String> labels) {
		return WatchFiles.alerts()
			.stream()
			.filter((rule) -> rule.name().equals(labels.get("alertname")))
			.map(Rule::runbook)
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Waits until what was posted has been sent: an alert posted later has been, in a
	 * group of its own.
	 */
	private static void mark(AlertmanagerProcess alertmanager, String name) throws Exception {
		Map<String, String> labels = Map.of("alertname", name, "cluster", MARK, "severity", "page");
		alertmanager.post(List.of(alert(labels, "", LIMIT.multipliedBy(60))));
		await().atMost(LIMIT)
			.until(() -> alertmanager.notifications()
				.stream()
				.anyMatch((notification) -> notification.label("alertname").equals(name)));
	}

	private static boolean isOfScenario(Notification notification) {
		return !notification.label("cluster").equals(MARK);
	}

	/** The notifications of a receiver, in order, of each scenario. */
	private static Map<String, List<String>> got(AlertmanagerProcess alertmanager, String receiver) {
		return alertmanager.notifications()
			.stream()
			.filter((notification) -> isOfScenario(notification) && notification.receiver().equals(receiver))
			.collect(Collectors.groupingBy((notification) -> notification.label("cluster"),
					Collectors.mapping(Notification::toString, Collectors.toList())));
	}

	private static Map<String, List<String>> beginsAndEnds(Map<String, String> alerts) {
		Map<String, List<String>> both = new HashMap<>();
		alerts.forEach((scenario, alert) -> both.put(scenario, List.of("firing " + alert, "resolved " + alert)));
		return both;
	}

	private static void leadsToItsRow(String link) {
		String[] fileAndAnchor = link.split("#", -1);
		assertThat(fileAndAnchor).as(link).hasSize(2);
		assertThat(WatchFiles.read(Path.of(fileAndAnchor[0])))
			.contains("| <a id=\"%s\"></a>".formatted(fileAndAnchor[1]));
	}

}
