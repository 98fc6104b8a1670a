package io.quorate.command.cluster;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.command.CommandRun;
import io.quorate.command.ScriptedNode;
import io.quorate.command.TwoNodes;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.Output;
import io.quorate.command.terminal.Terminal.Screens;
import io.quorate.command.terminal.Terminal;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The wait for the end of a change, and what it shows meanwhile. */
class ChangeWatchTests extends TwoNodes {

	private static final String JSON = "application/json";

	private static final String BEGUN = "{\"version\":8,\"result\":\"version 8 (af) is decided\"}";

	private static final String BEFORE = layout(7, "stable", "\"n0\":{\"state\":\"up\",\"adopted\":7}", "");

	private static final String BARE = layout(8, "joint",
			"\"n0\":{\"state\":\"up\",\"adopted\":8},\"n3\":{\"state\":\"up\"}", "\"n3 has not adopted version 8\"");

	private static final String COPYING = BARE.replaceFirst("}$", """
			,"change":{"kind":"add","member":"n3","by":"an operator","since":"2026-11-26T08:00:00Z","step":"copying",\
			"progress":0.42,"bytes":123456,"expectedBytes":300000,"bytesPerSecond":1000000,"etaSeconds":72}}""");

	private static final String LATE = layout(9, "stable",
			"\"n0\":{\"state\":\"up\",\"adopted\":9},\"n3\":{\"state\":\"up\",\"adopted\":8}", "");

	private static final String GROWN = layout(9, "stable",
			"\"n0\":{\"state\":\"up\",\"adopted\":9},\"n3\":{\"state\":\"up\",\"adopted\":9}", "");

	private static final String GIVEN_UP = layout(9, "stable", "\"n0\":{\"state\":\"up\",\"adopted\":9}", "");

	private static String layout(long version, String state, String members, String blockedBy) {
		return "{\"version\":%d,\"hash\":\"0c\",\"state\":\"%s\",\"members\":{%s},\"blockedBy\":[%s]}"
			.formatted(version, state, members, blockedBy);
	}

	@Test
	void aCommandEndsWhenAllMembersHaveTheStableLayout() {
		script(BEFORE).answers(202, JSON, BEGUN);
		script(BARE, COPYING, LATE, GROWN);
		CommandRun run = add();
		assertThat(run.exitCode()).isZero();
		assertThat(run.out()).isEqualTo("version 8 (af) is decided\nversion 9 (0c) is stable: n3 is a member\n");
		assertThat(run.err().lines()).containsExactly("changing  in 0:00; waits: n3 has not adopted version 8",
				"copying [=========>              ]  42 %  123.5 kB of 300.0 kB  1.0 MB/s  ETA 1:12; waits: n3 has not adopted version 8",
				"adopting version 9  in 0:00; waits: n3 has not adopted version 9");
		assertThat(this.first.requests).hasSize(6);
		assertThat(this.second.requests).isEmpty();
	}

	@Test
	void scriptsGetTheBeginAndTheEnd() {
		script(BEFORE).answers(202, JSON, BEGUN).answers(200, JSON, GROWN);
		assertThat(add("-o", "json")).isEqualTo(new CommandRun(0, BEGUN + "\n" + GROWN + "\n", ""));
		script(BEFORE).answers(202, JSON, BEGUN).answers(200, JSON, GROWN);
		assertThat(add("-o", "raw")).isEqualTo(new CommandRun(0, "9\n", ""));
	}

	@Test
	void aNodeThatGoesAwayIsFollowedByTheNext() {
		script(BEFORE).answers(202, JSON, BEGUN).answers(200, JSON, BARE).answers(ScriptedNode.SILENT, JSON, "");
		this.second.answers(200, JSON, COPYING).answers(200, JSON, GROWN);
		CommandRun run = add();
		assertThat(run.exitCode()).isZero();
		assertThat(run.err()).contains("copying [");
		// The client itself asks a second time when a connection ends without an answer.
		assertThat(this.first.requests).hasSizeBetween(4, 5);
		assertThat(this.second.requests).containsExactly("GET /actuator/cluster", "GET /actuator/cluster");
	}

	@Test
	void aNodeThatDoesNotKnowOfTheChangeIsNoEnd() {
		script(BEFORE).answers(202, JSON, BEGUN).answers(200, JSON, BEFORE);
		this.second.answers(200, JSON, GROWN);
		assertThat(add().out()).endsWith("version 9 (0c) is stable: n3 is a member\n");
	}

	@Test
	void aChangeThatWasGivenUpHasFailed() {
		script(BEFORE).answers(202, JSON, BEGUN).answers(200, JSON, GIVEN_UP);
		CommandRun run = add();
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.err()).contains("the change was given up: version 9 (0c) is stable without it");
		script(GROWN).answers(202, JSON, BEGUN).answers(200, JSON, GROWN);
		assertThat(run("remove", "n3").exitCode()).isEqualTo(ExitCode.FAILED);
	}

	@Test
	void eachChangeSaysItsResult() {
		script(BEFORE).answers(202, JSON, BEGUN).answers(200, JSON, GIVEN_UP);
		assertThat(run("remove", "n3").out()).endsWith(": n3 is no member any more, and can be stopped\n");
		script(BEFORE).answers(202, JSON, BEGUN).answers(200, JSON, GIVEN_UP);
		assertThat(run("remove", "--dead", "n3").out()).endsWith(": n3 is no member any more\n");
		script(BEFORE).answers(202, JSON, BEGUN).answers(200, JSON, GROWN);
		assertThat(run("replace", "n2", "n3@h:1").out())
			.endsWith(": n3 has taken the place of n2, which can be stopped\n");
		script(BEFORE).answers(202, JSON, BEGUN).answers(200, JSON, GIVEN_UP);
		assertThat(run("abort").out()).endsWith(": the members are those of before\n");
		script(BEFORE).answers(202, JSON, BEGUN)
			.answers(200, JSON, GROWN.replaceFirst("}$", ",\"replicationFactor\":4}"));
		assertThat(run("replication", "4").out()).endsWith(": the replication factor is 4\n");
		script(BEFORE).answers(202, JSON, BEGUN)
			.answers(200, JSON, GROWN.replaceFirst("}$", ",\"replicationFactor\":3}"));
		assertThat(run("replication", "4").exitCode()).isEqualTo(ExitCode.FAILED);
	}

	@Test
	void aChangeThatIsNotCompleteInTimeGoesOn() {
		// A first look may take less than the time that there is.
		script(BEFORE).answers(202, JSON, BEGUN).answers(200, JSON, BARE).answers(200, JSON, BARE);
		CommandRun run = add("--within=1ms");
		assertThat(run.exitCode()).isEqualTo(ExitCode.UNFINISHED);
		assertThat(run.err())
			.contains("quorate: the change goes on, and the command ends: it is not complete after 1 ms"
					+ " (n3 has not adopted version 8). 'quorate cluster status' shows it.");
	}

	@Test
	void aWaitEndsWhenNoNodeAnswersForLong() {
		this.first.refuses(503);
		this.second.close();
		Terminal terminal = CommandRun.terminal();
		try (Cluster cluster = cluster(); ChangeProgress progress = new ChangeProgress(terminal, System::nanoTime)) {
			ChangeWatch watch = new ChangeWatch(cluster, progress, Duration.ofMinutes(1), Duration.ofNanos(1));
			assertThatExceptionOfType(CommandException.class).isThrownBy(() -> watch.awaitStable(8))
				.withMessageContaining("no node has shown it for 0 ms")
				.withMessageContaining(this.first.url() + ": 503")
				.matches((failure) -> failure.exitCode() == ExitCode.UNFINISHED);
		}
	}

	@Test
	void aNodeIsNotAskedForEverAsItMayBeCutOff() {
		script(BARE, BARE, BARE, BARE, BARE, BARE, BARE, BARE, BARE, BARE, BARE);
		this.second.answers(200, JSON, GROWN);
		try (Cluster cluster = cluster();
				ChangeProgress progress = new ChangeProgress(CommandRun.terminal(), System::nanoTime)) {
			ChangeWatch watch = new ChangeWatch(cluster, progress, Duration.ofMinutes(1), Duration.ofMinutes(1));
			assertThat(watch.awaitStable(8).node()).isEqualTo(this.second.url());
		}
		assertThat(this.first.requests).hasSize(10);
	}

	@Test
	void aScreenHasOneLineBelowTheReasons() {
		AtomicLong nanos = new AtomicLong();
		String shown = shown(new Screens(false, true), nanos, BARE, COPYING, LATE);
		assertThat(shown).isEqualTo("\r\u001b[Kwaits: n3 has not adopted version 8\nchanging  in 0:00"
				+ "\r\u001b[Kcopying [=========>              ]  42 %  123.5 kB of 300.0 kB  1.0 MB/s  ETA 1:12"
				+ "\r\u001b[Kadopting version 9  in 0:02\r\u001b[K");
	}

	@Test
	void aFileHasALineForEachStepAndEveryTenSeconds() {
		AtomicLong nanos = new AtomicLong();
		String[] looks = new String[13];
		Arrays.fill(looks, BARE.replace("version 8\"", "version 8: disconnected for 4 s\""));
		looks[3] = looks[3].replace("for 4 s", "for 7 s");
		assertThat(shown(Screens.NONE, nanos, looks).lines()).containsExactly(
				"changing  in 0:00; waits: n3 has not adopted version 8: disconnected for 4 s",
				"changing  in 0:10; waits: n3 has not adopted version 8: disconnected for 4 s");
	}

	/* Standard error, when a node shows these layouts, one a second. */
	private static String shown(Screens screens, AtomicLong nanos, String... layouts) {
		ByteArrayOutputStream err = new ByteArrayOutputStream();
		Terminal terminal = new Terminal(InputStream.nullInputStream(), new Output(new ByteArrayOutputStream(), false),
				new PrintStream(err, false, StandardCharsets.UTF_8), screens, Map.of(), Path.of("target"));
		try (ChangeProgress progress = new ChangeProgress(terminal, nanos::get)) {
			for (String layout : layouts) {
				progress.show(new LayoutAnswer("n0", JsonMapper.shared().readTree(layout)));
				nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
			}
		}
		return err.toString(StandardCharsets.UTF_8);
	}

	private ScriptedNode script(String... layouts) {
		for (String layout : layouts) {
			this.first.answers(200, JSON, layout);
		}
		return this.first;
	}

	private Cluster cluster() {
		List<URI> nodes = List.of(URI.create(this.first.url()), URI.create(this.second.url()));
		return new Cluster(nodes, new NodeOptions().access(nodes, CommandRun.terminal()), null);
	}

	private CommandRun add(String... options) {
		List<String> words = new ArrayList<>(List.of("add", "n3@127.0.0.1:7103"));
		words.addAll(List.of(options));
		return run(words.toArray(String[]::new));
	}

	private CommandRun run(String... arguments) {
		List<String> words = new ArrayList<>(List.of("cluster"));
		words.addAll(List.of(arguments));
		words.addAll(List.of("-e", this.first.url(), "-e", this.second.url()));
		return CommandRun.of(words.toArray(String[]::new));
	}

}
