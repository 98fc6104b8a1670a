package io.quorate.process;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.Consumer;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Changes of members in a cluster whose nodes run two programs, under a mixed load in
 * which no request fails. Once the upgrade is finalized a candidate of the program before
 * is refused. A change that is under way goes on while nodes get another program of the
 * same version of the protocol.
 */
@Tag(Scale.FULL)
class MixedProgramsChangeIT {

	private static final String NAME = "MixedProgramsChangeIT";

	private static final String JOINER = "n3";

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private static final String RATE = "quorate.repair.move-share";

	/* At the lowest rate their copy takes longer than two nodes need to start. */
	private static final int LARGE_VALUES = 600;

	private static final int LARGE_BYTES = 50_000;

	private static final int TERMINATED = 143;

	private final PreviousProgram older = PreviousProgram.get();

	private final SplittableRandom random = new SplittableRandom(Scale.seed(NAME));

	@Test
	void membersChangeWhileTwoProgramsRun(@TempDir Path home) throws Exception {
		try (ChangingCluster cluster = ChangingCluster.start(home, 1, (processes) -> processes.each(this.older::runOn));
				MixedLoad load = MixedLoad.through(cluster.processes(), this.random, "n0", "n1", "n2")) {
			Scale.report("%s: from %s".formatted(NAME, this.older));
			replace(cluster, load, "n0", this.older::leave);
			replace(cluster, load, "n1", this.older::leave);
			cluster.processes().one(JOINER, this.older::leave);
			cluster.startCandidate(JOINER);
			grow(cluster, load);
			replace(cluster, load, "n2", this.older::leave);
			finalizeThrough(cluster, "n1");
			Scale.report("%s: a change in an upgrade, %s".formatted(NAME, load.end("n0", "n1", "n2", JOINER)));
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	@Test
	void aCandidateOfTheProgramBeforeIsRefused(@TempDir Path home) throws Exception {
		try (ChangingCluster cluster = ChangingCluster.start(home, 1, (processes) -> processes.each(this.older::leave));
				MixedLoad load = MixedLoad.through(cluster.processes(), this.random, "n0", "n1", "n2")) {
			cluster.processes().one(JOINER, this.older::hold);
			cluster.startCandidate(JOINER);
			// Before that it may be that no handshake was in time.
			await().atMost(LIMIT)
				.untilAsserted(() -> assertThat(
						cluster.refusal("n1", "add", "\"member\":\"%s\"".formatted(cluster.address(JOINER))))
					.contains("n3@127.0.0.1:", "is not reached as a candidate", "protocol versions: 1 there, 2 here"));
			assertThat(cluster.version("n1")).isEqualTo(2);
			cluster.discard(JOINER);
			cluster.processes().one(JOINER, this.older::leave);
			cluster.startCandidate(JOINER);
			grow(cluster, load);
			Scale.report("%s: a candidate after its upgrade, %s".formatted(NAME, load.end("n0", "n1", "n2", JOINER)));
		}
	}

	@Test
	void aChangeGoesOnWhileNodesGetAnotherProgram(@TempDir Path home) throws Exception {
		PreviousProgram other = PreviousProgram.ofTheSameVersion();
		try (ChangingCluster cluster = ChangingCluster.start(home, 1);
				MixedLoad load = MixedLoad.through(cluster.processes(), this.random, "n0", "n1", "n2")) {
			for (int i = 0; i < LARGE_VALUES; i++) {
				assertThat(cluster.processes().client("n0").put(large(i), value(i)).statusCode()).isEqualTo(201);
			}
			cluster.processes().one(JOINER, (node) -> node.with(RATE, "0.01"));
			cluster.startCandidate(JOINER);
			long added = cluster.add("n1", JOINER);
			cluster.awaitVersion("n0", added);
			replace(cluster, load, "n0", other::runOn);
			assertThat(cluster.isJoint("n1")).as("the change is under way").isTrue();
			assertThat(cluster.processes().terminate(JOINER)).isEqualTo(TERMINATED);
			assertThat(cluster.isJoint("n1")).as("the change is under way").isTrue();
			cluster.processes().one(JOINER, (node) -> node.without(RATE)).one(JOINER, other::runOn).restart(JOINER);
			cluster.awaitStable(added + 1, "n0", "n1", "n2", JOINER);
			cluster.awaitReady(JOINER);
			load.trust(JOINER);
			Scale.report("%s: two nodes replaced by %s in a change, %s".formatted(NAME, other,
					load.end("n0", "n1", "n2", JOINER)));
			for (int i = 0; i < LARGE_VALUES; i++) {
				assertThat(cluster.processes().client(JOINER).get(large(i)).body()).isEqualTo(value(i));
			}
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	private static String large(int number) {
		return "large-" + number;
	}

	private static byte[] value(int number) {
		return Contents.of(large(number), 1, LARGE_BYTES);
	}

	private static void grow(ChangingCluster cluster, MixedLoad load) throws Exception {
		long added = cluster.add("n1", JOINER);
		cluster.awaitStable(added + 1, "n0", "n1", "n2", JOINER);
		cluster.awaitReady(JOINER);
		load.trust(JOINER);
	}

	/* Requests that are under way may fail when their node stops, others may not. */
	private static void replace(ChangingCluster cluster, MixedLoad load, String name, Consumer<NodeProcess> program)
			throws Exception {
		load.leave(name);
		assertThat(cluster.processes().terminate(name)).isEqualTo(TERMINATED);
		cluster.processes().one(name, program).restart(name);
		cluster.awaitReady(name);
		// With another one away, the others need it.
		cluster.awaitUp(name, "n0", "n1", "n2");
		load.trust(name);
	}

	private static void finalizeThrough(ChangingCluster cluster, String name) {
		await().atMost(LIMIT).untilAsserted(() -> {
			HttpResponse<byte[]> answer = cluster.processes().client(name).postPath("/actuator/upgrade/finalize", "{}");
			assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(200);
		});
	}

}
