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
 * which no request fails. Beside a member whose program knows no layouts they are refused
 * in words, until the upgrade is finalized; a candidate of that program is refused, too.
 * A change that is under way goes on while nodes get another program of the same version
 * of the protocol.
 */
@Tag(Scale.FULL)
class MixedProgramsChangeIT {

	private static final String NAME = "MixedProgramsChangeIT";

	private static final String JOINER = "n3";

	private static final String NOT_ACTIVATED = "the layout of the configuration is not activated yet";

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private static final String RATE = "quorate.repair.move-bytes-per-second";

	/* At the lowest rate their copy takes longer than two nodes need to start. */
	private static final int LARGE_VALUES = 600;

	private static final int LARGE_BYTES = 50_000;

	private static final int TERMINATED = 143;

	/* The program that is replaced knows no layouts. */
	private final PreviousProgram older = PreviousProgram.get();

	private final SplittableRandom random = new SplittableRandom(Scale.seed(NAME));

	@Test
	void aChangeWaitsUntilAllMembersKnowLayouts(@TempDir Path home) throws Exception {
		try (ChangingCluster cluster = ChangingCluster.startOn(this.older, home, 1);
				MixedLoad load = MixedLoad.through(cluster.processes(), this.random, "n0", "n1", "n2")) {
			Scale.report("%s: from %s".formatted(NAME, this.older));
			replace(cluster, load, "n0", this.older::leave);
			replace(cluster, load, "n1", this.older::leave);
			cluster.startCandidate(JOINER);
			awaitBlocked(cluster, "n0", "n2 runs an older program");
			requireRefused(cluster, "n0");
			requireRefused(cluster, "n1");
			HttpResponse<byte[]> older = cluster.processes()
				.client("n2")
				.postPath("/actuator/cluster/remove", "{\"version\":1,\"member\":\"n0\"}");
			assertThat(older.statusCode()).as("the older program: %s", NodeClient.text(older)).isIn(404, 409);

			replace(cluster, load, "n2", this.older::leave);
			awaitBlocked(cluster, "n0", "the upgrade of n2 is not finalized");
			requireRefused(cluster, "n0");
			finalizeThrough(cluster, "n1");
			cluster.awaitStable(2, "n0", "n1", "n2");
			grow(cluster, load);
			Scale.report("%s: a change after the upgrade, %s".formatted(NAME, load.end("n0", "n1", "n2", JOINER)));
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	private static void requireRefused(ChangingCluster cluster, String through) throws Exception {
		String joiner = "\"member\":\"%s\"".formatted(cluster.address(JOINER));
		assertThat(cluster.refusal(through, "add", joiner)).contains(NOT_ACTIVATED);
		assertThat(cluster.refusal(through, "add", "\"dryRun\":true," + joiner)).contains(NOT_ACTIVATED);
		assertThat(cluster.refusal(through, "remove", "\"member\":\"n1\"")).contains(NOT_ACTIVATED);
		assertThat(cluster.refusal(through, "replication", "\"factor\":2")).contains(NOT_ACTIVATED);
		assertThat(cluster.status(through)).contains("\"version\":1,", "\"state\":\"configured\"");
	}

	@Test
	void aCandidateThatKnowsNoLayoutsIsRefused(@TempDir Path home) throws Exception {
		try (ChangingCluster cluster = ChangingCluster.start(home, 1);
				MixedLoad load = MixedLoad.through(cluster.processes(), this.random, "n0", "n1", "n2")) {
			cluster.processes().one(JOINER, new PreviousProgram(null, this.older.version())::runOn);
			cluster.startCandidate(JOINER);
			// Before that it may be that no handshake was in time.
			await().atMost(LIMIT)
				.untilAsserted(() -> assertThat(
						cluster.refusal("n1", "add", "\"member\":\"%s\"".formatted(cluster.address(JOINER))))
					.contains("n3@127.0.0.1:", "is not reached as a candidate",
							"protocol versions: 6-7 there, 8 here"));
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
			cluster.processes().one(JOINER, (node) -> node.with(RATE, "64KB"));
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

	private static void awaitBlocked(ChangingCluster cluster, String name, String reason) {
		await().atMost(LIMIT)
			.untilAsserted(() -> assertThat(cluster.status(name)).contains("\"state\":\"configured\"", reason));
	}

	private static void finalizeThrough(ChangingCluster cluster, String name) {
		await().atMost(LIMIT).untilAsserted(() -> {
			HttpResponse<byte[]> answer = cluster.processes().client(name).postPath("/actuator/upgrade/finalize", "{}");
			assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(200);
		});
	}

}
