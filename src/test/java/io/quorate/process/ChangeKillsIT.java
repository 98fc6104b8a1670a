package io.quorate.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Nodes are killed while members are added and removed under a mixed load: the node that
 * joins, one that is copied from, the one that leaves, two at once, and all. When they
 * are back the change goes on and ends. No acknowledged write is lost or goes back,
 * nothing deleted comes back, and requests fail only while too few nodes are there.
 */
class ChangeKillsIT {

	private static final String NAME = "ChangeKillsIT";

	private static final String GUEST = "n3";

	private static final int ROUNDS = Scale.of(1, 25);

	/* If all changes end before a kill. */
	private static final int MOST_ROUNDS = 25;

	/* While the nodes learn of the change. */
	private static final int EARLY_MILLIS = 600;

	/* The copies of a change take four seconds at least. */
	private static final int KILLED_WITHIN_MILLIS = 6000;

	private static final int MOST_MILLIS_DOWN = Scale.of(1500, 6000);

	private final SplittableRandom random = new SplittableRandom(Scale.seed(NAME));

	private int kills;

	private int killsInTheMidst;

	@Test
	void aChangeGoesOnThoughNodesAreKilled(@TempDir Path home) throws Exception {
		try (ChangingCluster cluster = ChangingCluster.startWithSlowCopies(home, 1);
				MixedLoad load = MixedLoad.through(cluster.processes(), this.random.split(), "n0", "n1", "n2")) {
			for (int round = 0; round < ROUNDS || (this.killsInTheMidst == 0 && round < MOST_ROUNDS); round++) {
				join(cluster, load, round);
				leave(cluster, load, round);
			}
			Scale.report("%s: %d kills, %d of them during a change, %s".formatted(NAME, this.kills,
					this.killsInTheMidst, load.end("n0", "n1", "n2")));
			assertThat(this.killsInTheMidst).isPositive();
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	private void join(ChangingCluster cluster, MixedLoad load, int round) throws Exception {
		cluster.startCandidate(GUEST);
		long added = cluster.add(stayer(), GUEST);
		kill(cluster, load, EARLY_MILLIS, round % 2 == 1, List.of(GUEST));
		kill(cluster, load, KILLED_WITHIN_MILLIS, false,
				(round % 2 == 0) ? List.of(stayer()) : List.of(GUEST, stayer()));
		cluster.awaitStable(added + 1, "n0", "n1", "n2", GUEST);
		cluster.awaitReady(GUEST);
		load.trust(GUEST);
	}

	private void leave(ChangingCluster cluster, MixedLoad load, int round) throws Exception {
		long removed = cluster.remove(stayer(), GUEST);
		kill(cluster, load, KILLED_WITHIN_MILLIS, false, (round % 2 == 0) ? List.of(GUEST) : List.of(GUEST, stayer()));
		kill(cluster, load, (round % 2 == 0) ? KILLED_WITHIN_MILLIS : EARLY_MILLIS, false,
				List.of("n0", "n1", "n2", GUEST));
		cluster.awaitStable(removed + 1, "n0", "n1", "n2");
		load.leave(GUEST);
		cluster.discard(GUEST);
	}

	private String stayer() {
		return "n" + this.random.nextInt(3);
	}

	/** Kills nodes at once, and starts them again after a while. */
	private void kill(ChangingCluster cluster, MixedLoad load, int within, boolean loseDirectories,
			List<String> victims) throws Exception {
		int after = this.random.nextInt(within);
		int down = this.random.nextInt(MOST_MILLIS_DOWN);
		new Pace(Duration.ofMillis(after)).await();
		boolean isJoint = cluster.isJoint("n0");
		this.kills++;
		this.killsInTheMidst += isJoint ? 1 : 0;
		Scale.report("%s: kill -9 of %s after %d ms, for %d ms, %s%s".formatted(NAME, victims, after, down,
				isJoint ? "joint" : "stable", loseDirectories ? ", the directory is lost" : ""));
		String[] names = victims.toArray(String[]::new);
		if (victims.size() > 1) {
			load.doubt(cluster.processes().others(names).toArray(String[]::new));
		}
		load.leave(names);
		for (String name : names) {
			cluster.processes().kill9(name);
			if (loseDirectories) {
				cluster.processes().wipe(name);
			}
		}
		new Pace(Duration.ofMillis(down)).await();
		Set<String> gone = victims.stream().filter((name) -> hasLeft(cluster, name)).collect(Collectors.toSet());
		cluster.processes().start(victims.stream().filter((name) -> !gone.contains(name)).toArray(String[]::new));
		for (String name : cluster.processes().names()) {
			if (!gone.contains(name)) {
				awaitServing(cluster, load, name);
			}
		}
	}

	/* The directory of a member that has left is not started again. */
	private static boolean hasLeft(ChangingCluster cluster, String name) {
		return cluster.processes()
			.node(name)
			.logOfThisStart()
			.contains("This node is no member of the cluster any more");
	}

	/* The guest is ready while it leaves, and not while it joins or when it has left. */
	private static void awaitServing(ChangingCluster cluster, MixedLoad load, String name) {
		await().atMost(ChangingCluster.LIMIT).until(() -> {
			boolean isReady = cluster.ready(name) == 200;
			if (isReady && (!name.equals(GUEST) || cluster.isJoint("n0"))) {
				load.trust(name);
			}
			return isReady || name.equals(GUEST);
		});
	}

}
