package io.quorate.command.cluster;

import java.util.concurrent.TimeUnit;

import io.quorate.command.CommandRun;
import io.quorate.command.TwoNodes;
import io.quorate.command.cluster.NodeRates.Kind;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The screens of {@code quorate top}, and the rates that they show. */
class TopCommandTests extends TwoNodes {

	private static final String JSON = "application/json";

	private static final String CUTS_LINES = "\u001b[?7l";

	private static final String WRAPS_LINES = "\u001b[?7h";

	private CommandRun top(boolean isScreen) {
		this.first.answers(200, JSON, "{\"state\":\"ready\"}")
			.answers(200, JSON, "{\"node\":\"n0\",\"rebuilding\":false,\"peers\":[]}")
			.answers(200, "text/plain", "");
		this.second.refuses(503);
		String[] arguments = { "top", "--count", "1", "-e", this.first.url() + "," + this.second.url() };
		return isScreen ? CommandRun.onScreen(arguments) : CommandRun.of(arguments);
	}

	/* A line that goes on in the next one would make the table unreadable. */
	@Test
	void aScreenCutsLongLinesOfTheTableAndNoOthers() {
		CommandRun run = top(true);
		assertThat(run.exitCode()).isZero();
		int cut = run.out().indexOf(CUTS_LINES);
		int wrap = run.out().indexOf(WRAPS_LINES);
		assertThat(cut).isNotNegative().isLessThan(run.out().indexOf("1 of 2 nodes serve"));
		assertThat(run.out().indexOf("PEERS")).isPositive().isLessThan(wrap);
		assertThat(run.out()).endsWith(WRAPS_LINES);
	}

	@Test
	void aFileGetsTheTableWithoutTheSignsOfAScreen() {
		CommandRun run = top(false);
		assertThat(run.exitCode()).isZero();
		assertThat(run.out()).doesNotContain("\u001b")
			.contains("1 of 2 nodes serve", "NODE", "n0 ", "503 Refused")
			.containsPattern(
					"(?m)^NODE +STATE +ANSWERED +GET/S +PUT/S +DEL/S +SCAN/S +BATCH/S +FAIL/S +P99 +HINTS +PEERS$");
	}

	@Test
	void rateOfRequestsAreTakenFromMeters() {
		NodeRates before = NodeRates.parse("""
				quorate_request_seconds_count{cluster="q",node="n0",operation="get",outcome="success"} 100
				quorate_request_seconds_count{cluster="q",node="n0",operation="put",outcome="unavailable"} 5.0
				quorate_request_seconds_sum{cluster="q",node="n0",operation="put",outcome="success"} 7
				""", 0);
		NodeRates after = NodeRates.parse("""
				quorate_request_seconds_count{cluster="q",node="n0",operation="get",outcome="success"} 150
				quorate_request_seconds_count{cluster="q",node="n0",operation="get",outcome="not_found"} 50
				quorate_request_seconds_count{cluster="q",node="n0",operation="put",outcome="unavailable"} 9.0
				""", TimeUnit.SECONDS.toNanos(2));
		assertThat(after.since(before, Kind.GET)).isEqualTo(50);
		assertThat(after.since(before, Kind.PUT)).isEqualTo(2);
		assertThat(after.since(before, Kind.ERROR)).isEqualTo(2);
		assertThat(before.since(after, Kind.GET)).as("after a restart").isZero();
	}

}
