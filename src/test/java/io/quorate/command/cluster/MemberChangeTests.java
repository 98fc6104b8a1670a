package io.quorate.command.cluster;

import java.util.ArrayList;
import java.util.List;

import io.quorate.command.CommandRun;
import io.quorate.command.ScriptedNode;
import io.quorate.command.TwoNodes;
import io.quorate.command.terminal.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The commands that change the members, up to the answer of the node. */
class MemberChangeTests extends TwoNodes {

	private static final String JSON = "application/vnd.spring-boot.actuator.v3+json";

	private static final String LAYOUT = """
			{"version":7,"hash":"0c","state":"stable","members":{"n0":{"state":"up","adopted":7,"partitions":5}},\
			"blockedBy":[]}""";

	private static final String OLDER = LAYOUT.replace(",\"partitions\":5", "");

	private static final String BEGUN = "{\"version\":8,\"result\":\"version 8 (af) is decided\"}";

	private static final String PLAN = """
			{"result":"version 8 would have n3","plan":{"moves":{"n0":{"partitions":4096,"bytes":300000},\
			"n3":{"partitions":12288,"bytes":900000}},"partitions":16384,"bytes":1200000}}""";

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			value = { "add n3@10.0.0.4:7100/b | {\"version\":7,\"member\":\"n3@10.0.0.4:7100/b\"}",
					"add n3@[::1]:7100 | {\"version\":7,\"member\":\"n3@[::1]:7100\"}",
					"remove n2 | {\"version\":7,\"member\":\"n2\"}",
					"remove --dead n2 | {\"version\":7,\"member\":\"n2\",\"dead\":true}",
					"replace n2 n3@h:1 | {\"version\":7,\"member\":\"n2\",\"node\":\"n3@h:1\"}",
					"replace n2 n3@h:1 --dead | {\"version\":7,\"member\":\"n2\",\"node\":\"n3@h:1\",\"dead\":true}",
					"replication 4 | {\"version\":7,\"factor\":4}", "abort | {\"version\":7}" })
	void aNodeIsAskedByTheVersionThatItHas(String line, String body) {
		this.first.answers(200, JSON, LAYOUT).answers(202, JSON, BEGUN);
		CommandRun run = change(line, "--no-wait");
		assertThat(run).isEqualTo(new CommandRun(0, "version 8 (af) is decided\n", ""));
		assertThat(this.first.requests).containsExactly("GET /actuator/cluster",
				"POST /actuator/cluster/" + line.replaceFirst(" .*", ""));
		assertThat(this.first.bodies).containsExactly("", body);
	}

	@Test
	void theVersionThatTheUserHasSeenIsNotLookedUp() {
		this.first.answers(409, JSON, "{\"result\":\"the layout has version 7, not 3\"}");
		CommandRun run = change("remove n2", "--layout=3");
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.out()).isEmpty();
		assertThat(run.err())
			.isEqualToIgnoringNewLines("quorate: %s: 409 the layout has version 7, not 3".formatted(this.first.url()));
		assertThat(this.first.bodies).containsExactly("{\"version\":3,\"member\":\"n2\"}");
	}

	@Test
	void aChangeThatMayBeDecidedLaterIsUndecided() {
		this.first.answers(504, JSON, "{\"result\":\"it is not decided within 10 s, and may be later: x\"}");
		CommandRun run = change("abort", "--layout=7");
		assertThat(run.exitCode()).isEqualTo(ExitCode.UNKNOWN);
		assertThat(run.err()).contains("504 it is not decided within 10 s, and may be later: x. The change may have",
				"happened or not; it was not repeated.");
		assertThat(this.second.requests).isEmpty();
	}

	@Test
	void aChangeWithoutAnAnswerIsNotRepeated() {
		this.first.answers(ScriptedNode.SILENT, JSON, "");
		CommandRun run = change("abort", "--layout=7");
		assertThat(run.exitCode()).isEqualTo(ExitCode.UNKNOWN);
		assertThat(run.err()).contains(this.first.url(), "The change may have happened or not; it was not repeated.");
		assertThat(this.second.requests).isEmpty();
	}

	@Test
	void anAnswerOfAProxyIsNoBegin() {
		this.first.answers(202, "text/html", "<h1>queued</h1>").answers(200, JSON, LAYOUT).answers(202, JSON, "{}");
		CommandRun proxy = change("abort", "--layout=7");
		assertThat(proxy.exitCode()).isEqualTo(ExitCode.UNKNOWN);
		assertThat(proxy.err()).contains("the answer is not that of a node");
		assertThat(change("abort").exitCode()).isEqualTo(ExitCode.UNKNOWN);
	}

	@Test
	void aNodeThatIsGoneIsPassed() {
		String gone = this.first.url();
		this.first.close();
		this.second.answers(200, JSON, LAYOUT).answers(202, JSON, BEGUN);
		CommandRun run = CommandRun.of("cluster", "remove", "n0", "-e", gone + "," + this.second.url(), "--no-wait");
		assertThat(run.exitCode()).isZero();
		assertThat(this.second.bodies).containsExactly("", "{\"version\":7,\"member\":\"n0\"}");
	}

	@Test
	void aNodeWithoutTheCommandIsExplained() {
		this.first.answers(404, JSON, "{\"result\":\"there is no command 'replication', but add\"}").refuses(404);
		CommandRun unknown = change("replication 4", "--layout=7");
		assertThat(unknown.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(unknown.err()).contains("404: there is no command 'replication', but add");
		CommandRun elsewhere = change("abort", "--layout=7");
		assertThat(elsewhere.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(elsewhere.err()).contains("management.server.port");
	}

	@Test
	void aDryRunPrintsThePlan() {
		this.first.answers(200, JSON, LAYOUT).answers(200, JSON, PLAN);
		CommandRun run = change("add n3@h:1", "--dry-run");
		assertThat(run.exitCode()).isZero();
		assertThat(run.out().lines()).containsExactly("version 8 would have n3", "", "GAINER  PARTITIONS  BYTES",
				"n0      4,096       300.0 kB", "n3      12,288      900.0 kB", "all     16,384      1.2 MB", "");
		assertThat(this.first.bodies).containsExactly("", "{\"version\":7,\"member\":\"n3@h:1\",\"dryRun\":true}");
	}

	@Test
	void scriptsGetThePlanAsTheNodeHasIt() {
		this.first.answers(200, JSON, LAYOUT).answers(200, JSON, PLAN);
		assertThat(change("add n3@h:1", "--dry-run", "-o", "json")).isEqualTo(new CommandRun(0, PLAN + "\n", ""));
		this.first.answers(200, JSON, LAYOUT).answers(200, JSON, PLAN);
		assertThat(change("add n3@h:1", "--dry-run", "-o", "raw").out())
			.isEqualTo("n0\t4096\t300000\nn3\t12288\t900000\n");
		this.first.answers(200, JSON, LAYOUT).answers(202, JSON, BEGUN);
		assertThat(change("add n3@h:1", "--no-wait", "-o", "json").out()).isEqualTo(BEGUN + "\n");
		this.first.answers(200, JSON, LAYOUT).answers(202, JSON, BEGUN);
		assertThat(change("add n3@h:1", "--no-wait", "-o", "raw").out()).isEqualTo("8\n");
	}

	@Test
	void anOlderNodeIsAskedForNoDryRun() {
		this.first.answers(200, JSON, OLDER);
		CommandRun run = change("remove n2", "--dry-run", "--layout=7");
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.err()).contains("knows no dry run. It was not asked for the change");
		assertThat(this.first.requests).containsExactly("GET /actuator/cluster");
	}

	@Test
	void aDryRunThatHasBegunTheChangeFailsLoudly() {
		this.first.answers(200, JSON, LAYOUT).answers(202, JSON, BEGUN);
		CommandRun run = change("remove n2", "--dry-run");
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.err()).contains("HAS BEGUN the change", "quorate cluster abort");
	}

	@ParameterizedTest
	@CsvSource({ "add n3,is no node", "add n3@h,is no node", "add n3@h:1/,is no node", "remove n2@h:1,is no id",
			"replace n2,NODE", "replace n3@h:1 n2,is no id", "replication many,is not an int",
			"replication 0,at least 1", "abort n2,Unmatched argument", "remove n2 --within 1w,is no time",
			"remove n2 --layout x,is not a long" })
	void aCommandWithWrongArgumentsAsksNoNode(String line, String message) {
		CommandRun run = change(line);
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.out()).isEmpty();
		assertThat(run.err()).startsWith("quorate: ").contains(message);
		assertThat(this.first.requests).isEmpty();
	}

	private CommandRun change(String line, String... options) {
		List<String> words = new ArrayList<>(List.of("cluster"));
		words.addAll(List.of(line.split(" ", -1)));
		words.addAll(List.of("-e", this.first.url() + "," + this.second.url()));
		words.addAll(List.of(options));
		return CommandRun.of(words.toArray(String[]::new));
	}

}
