package io.quorate.command;

import java.io.IOException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The layout of the cluster, as the command line prints it. */
class ClusterCommandTests {

	private static final String JSON = "application/vnd.spring-boot.actuator.v3+json";

	private static final String WAITING = """
			{"version":1,"hash":"5d1c1ab53af9a7b3","state":"configured","members":{"n0":{"state":"up","adopted":1},\
			"n1":{"zone":"b","state":"disconnected"}},"blockedBy":["n1 is disconnected"]}""";

	private static final String DECIDED = """
			{"version":2,"hash":"0c","state":"stable","members":{"n0":{"state":"up","adopted":2}},"blockedBy":[]}""";

	private ScriptedNode node;

	@BeforeEach
	void start() throws IOException {
		this.node = new ScriptedNode();
	}

	@AfterEach
	void stop() {
		this.node.close();
	}

	@Test
	void peopleGetATableAndWhatTheNextLayoutWaitsFor() {
		this.node.answers(200, JSON, WAITING);
		CommandRun run = status();
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.out().lines()).containsExactly(
				"Layout 1, configured, hash 5d1c1ab53af9a7b3, as %s has it".formatted(this.node.url()), "",
				"MEMBER  ZONE  STATE         ADOPTED", "n0      -     up            1", "n1      b     disconnected  -",
				"", "The next layout waits: n1 is disconnected");
		assertThat(this.node.requests).containsExactly("GET /actuator/cluster");
	}

	@Test
	void scriptsGetTheDocumentOrAWordForEachMember() {
		this.node.answers(200, JSON, DECIDED).answers(200, JSON, WAITING);
		assertThat(status("-o", "json")).isEqualTo(new CommandRun(0, DECIDED + "\n", ""));
		assertThat(status("-o", "raw").out()).isEqualTo("n0\tup\nn1\tdisconnected\n");
	}

	@Test
	void aNodeThatDoesNotShowTheLayoutIsExplained() {
		this.node.refuses(404).answers(200, JSON, "{}").answers(200, "text/html", "<h1>").answers(403, JSON, "");
		assertThat(status().err()).contains(this.node.url() + ": 404", "management.server.port");
		assertThat(status().err()).contains("the answer is no layout");
		assertThat(status().err()).contains("the answer is no layout");
		assertThat(status().err()).contains("403: the principal of the token has no right");
	}

	@Test
	void theCommandAloneIsMisused() {
		CommandRun run = CommandRun.of("cluster");
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.err()).contains("Missing required subcommand", "'quorate cluster --help'");
		assertThat(CommandRun.of("cluster", "status", "--help").out()).contains("quorate cluster status",
				"Exit codes:");
		assertThat(CommandRun.of("cluster", "stats").err()).contains("'stats'", "Did you mean: cluster status?");
	}

	private CommandRun status(String... options) {
		String[] line = new String[options.length + 4];
		line[0] = "cluster";
		line[1] = "status";
		line[2] = "-e";
		line[3] = this.node.url();
		System.arraycopy(options, 0, line, 4, options.length);
		return CommandRun.of(line);
	}

}
