package io.quorate.process;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A member stands still while a change of members is asked for, under a mixed load
 * through the others: the change is refused, or waits for the member, and goes on when
 * that does. No request fails.
 */
@Tag(Scale.FULL)
class FrozenMemberChangeIT {

	private static final String NAME = "FrozenMemberChangeIT";

	private static final String FROZEN = "n2";

	private static final String GUEST = "n3";

	private static final int ROUNDS = Scale.of(1, 10);

	/* Short, so that a test need not last long, and longer than a machine stalls. */
	private static final String SILENT_FOR = Scale.of("6s", "3s");

	/* The change is asked for before the member is suspect. */
	private static final String SUSPECT_AFTER = Scale.of("4s", "50ms");

	private static final int MOST_MILLIS = Scale.of(1, 10_000);

	private final SplittableRandom random = new SplittableRandom(Scale.seed(NAME));

	@Test
	void aChangeWaitsForAMemberThatStandsStill(@TempDir Path home) throws Exception {
		try (ChangingCluster cluster = ChangingCluster.start(home, 1,
				(processes) -> processes.with(ClusterProcesses.SILENCE, SILENT_FOR)
					.with("quorate.internode.suspect-after", SUSPECT_AFTER));
				MixedLoad load = MixedLoad.through(cluster.processes(), this.random.split(), "n0", "n1", FROZEN)) {
			for (int round = 0; round < ROUNDS; round++) {
				cluster.startCandidate(GUEST);
				String add = "\"member\":\"%s\"".formatted(cluster.address(GUEST));
				refuse(cluster, load, "add", add);
				long added = delay(cluster, load, "add", add);
				cluster.awaitStable(added + 1, "n0", "n1", FROZEN, GUEST);
				long removed = delay(cluster, load, "remove", "\"member\":\"%s\"".formatted(GUEST));
				cluster.awaitStable(removed + 1, "n0", "n1", FROZEN);
				await().atMost(ChangingCluster.LIMIT).until(() -> cluster.ready(GUEST) == 503);
				cluster.discard(GUEST);
			}
			Scale.report("%s: %d rounds, %s".formatted(NAME, ROUNDS, load.end("n0", "n1", FROZEN)));
			assertThat(cluster.alarms()).isEmpty();
			assertThat(cluster.rebuilds()).isEmpty();
		}
	}

	private static void awaitGivenUp(ChangingCluster cluster) {
		for (String name : List.of("n0", "n1")) {
			await().atMost(ChangingCluster.LIMIT)
				.until(() -> cluster.status(name).contains("\"%s\":{\"state\":\"disconnected\"".formatted(FROZEN)));
		}
	}

	/* It is known that the member is away; one of the others may be suspect, too. */
	private void refuse(ChangingCluster cluster, MixedLoad load, String command, String parameters) throws Exception {
		freeze(cluster, load);
		awaitGivenUp(cluster);
		String through = "n" + this.random.nextInt(2);
		await().atMost(ChangingCluster.LIMIT).untilAsserted(() -> {
			HttpResponse<byte[]> answer = cluster.ask(through, command, parameters);
			assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(409);
			assertThat(NodeClient.text(answer)).contains(FROZEN + " is ", ChangingCluster.NOT_UP);
		});
		thaw(cluster, load);
	}

	/*
	 * It is not known yet; if it is, the change is asked for again. The version that
	 * begins the change.
	 */
	private long delay(ChangingCluster cluster, MixedLoad load, String command, String parameters) throws Exception {
		String through = "n" + this.random.nextInt(2);
		while (true) {
			freeze(cluster, load);
			HttpResponse<byte[]> answer = cluster.ask(through, command, parameters);
			if (answer.statusCode() != 409) {
				long version = ChangingCluster.begun(answer);
				awaitGivenUp(cluster);
				new Pace(Duration.ofMillis(this.random.nextInt(MOST_MILLIS))).await();
				assertThat(cluster.status(through)).contains("\"state\":\"joint\"",
						"%s has not adopted version %d".formatted(FROZEN, version));
				thaw(cluster, load);
				return version;
			}
			assertThat(NodeClient.text(answer)).contains(ChangingCluster.NOT_UP);
			thaw(cluster, load);
		}
	}

	private static void freeze(ChangingCluster cluster, MixedLoad load) throws Exception {
		load.leave(FROZEN);
		cluster.processes().freeze(FROZEN);
	}

	/* It serves again when all replicas of a key answer through it. */
	private static void thaw(ChangingCluster cluster, MixedLoad load) throws Exception {
		cluster.processes().thaw(FROZEN);
		NodeClient all = cluster.processes().client(FROZEN).with("replicas=3/3");
		await().atMost(ChangingCluster.LIMIT)
			.until(() -> cluster.ready(FROZEN) == 200 && all.put("after", new byte[1]).statusCode() == 201);
		load.trust(FROZEN);
	}

}
