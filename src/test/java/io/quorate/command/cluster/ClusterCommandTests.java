package io.quorate.command.cluster;

import java.io.IOException;

import io.quorate.command.CommandRun;
import io.quorate.command.ScriptedNode;
import io.quorate.command.terminal.ExitCode;
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
	void peopleSeeTheChangeThatIsUnderWay() {
		this.node.answers(200, JSON,
				"""
						{"version":8,"hash":"0c","state":"joint","members":{"n0":{"state":"up","adopted":8,"partitions":16384},\
						"n3":{"state":"up","adopted":8,"partitions":4096}},"blockedBy":["n3 has not copied all that it gains"],\
						"change":{"kind":"replace","member":"n2","node":"n3","by":"an operator","since":"2026-11-26T08:00:00Z",\
						"step":"copying","progress":0.42,"bytes":123456,"expectedBytes":300000,"bytesPerSecond":1000000,\
						"etaSeconds":12,"gainers":{"n3":{"partitions":4096,"progress":0.42,"bytes":123456,"complete":false}}}}""");
		CommandRun run = status();
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.out().lines()).containsExactly(
				"Layout 8, joint, hash 0c, as %s has it".formatted(this.node.url()), "",
				"MEMBER  ZONE  STATE  ADOPTED  PARTITIONS", "n0      -     up     8        16,384",
				"n3      -     up     8        4,096", "",
				"Under way: n3 takes the place of n2: copying, 42 %, 123.5 kB of 300.0 kB, 1.0 MB/s, ETA 0:12",
				"Asked for by an operator, since 2026-11-26T08:00:00Z", "",
				"GAINER  PARTITIONS  PROGRESS  BYTES     COMPLETE", "n3      4,096       42 %      123.5 kB  no", "",
				"The next layout waits: n3 has not copied all that it gains");
	}

	@Test
	void aChangeIsShownAsFarAsItIsKnown() {
		String joint = """
				{"version":8,"state":"joint","members":{"n0":{"state":"up"},"n1":{"state":"up","partitions":7}},\
				"blockedBy":[],"change":{"kind":"%s","gainers":{"n1":{}}}}""";
		this.node.answers(200, JSON, joint.formatted("add")).answers(200, JSON, joint.formatted("other"));
		CommandRun add = status();
		assertThat(add.exitCode()).isZero();
		assertThat(add.out().lines()).endsWith("n0      -     up     -        -", "n1      -     up     -        7", "",
				"Under way: a member joins: changing", "", "GAINER  PARTITIONS  PROGRESS  BYTES  COMPLETE",
				"n1      -           -         -      -");
		assertThat(status().out()).contains("Under way: the members change: changing");
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
		assertThat(CommandRun.of("cluster", "stats").err()).contains("'stats'",
				"did you mean 'quorate cluster status'");
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
