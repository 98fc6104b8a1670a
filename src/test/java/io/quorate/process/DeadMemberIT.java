package io.quorate.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A member is killed for good under a mixed load and replaced, though the node that comes
 * is killed, too. No request fails, and nothing acknowledged is lost. Then a node with
 * the id of the dead one and an empty directory takes the place back.
 */
@Tag(Scale.FULL)
class DeadMemberIT {

	private static final String NAME = "DeadMemberIT";

	private static final String DEAD = "n2";

	private static final String SUBSTITUTE = "n3";

	private static final int ROUNDS = Scale.of(1, 10);

	private static final int KILLED_WITHIN_MILLIS = 6000;

	private final SplittableRandom random = new SplittableRandom(Scale.seed(NAME));

	@Test
	void aDeadMemberIsReplacedWhileTheOthersServe(@TempDir Path home) throws Exception {
		try (ChangingCluster cluster = ChangingCluster.startWithSlowCopies(home, 1);
				MixedLoad load = MixedLoad.through(cluster.processes(), this.random.split(), "n0", "n1", DEAD)) {
			for (int round = 0; round < ROUNDS; round++) {
				replaceTheDead(cluster, load);
				replaceBack(cluster, load);
			}
			Scale.report("%s: %d times, %s".formatted(NAME, ROUNDS, load.end("n0", "n1", DEAD)));
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	private void replaceTheDead(ChangingCluster cluster, MixedLoad load) throws Exception {
		load.leave(DEAD);
		cluster.processes().kill9(DEAD);
		cluster.startCandidate(SUBSTITUTE);
		String through = "n" + this.random.nextInt(2);
		await().atMost(ChangingCluster.LIMIT)
			.until(() -> cluster.status(through).contains("\"%s\":{\"state\":\"disconnected\"".formatted(DEAD)));
		long replaced = cluster.begin(through, "replace",
				"\"member\":\"%s\",\"node\":\"%s\",\"dead\":true".formatted(DEAD, cluster.address(SUBSTITUTE)));
		int after = this.random.nextInt(KILLED_WITHIN_MILLIS);
		new Pace(Duration.ofMillis(after)).await();
		Scale.report("%s: kill -9 of the substitute after %d ms".formatted(NAME, after));
		cluster.processes().kill9(SUBSTITUTE);
		cluster.processes().start(SUBSTITUTE);
		cluster.awaitStable(replaced + 1, "n0", "n1", SUBSTITUTE);
		cluster.awaitReady(SUBSTITUTE);
		load.trust(SUBSTITUTE);
		cluster.processes().wipe(DEAD);
	}

	private void replaceBack(ChangingCluster cluster, MixedLoad load) throws Exception {
		cluster.startCandidate(DEAD);
		long replaced = cluster.begin("n" + this.random.nextInt(2), "replace",
				"\"member\":\"%s\",\"node\":\"%s\"".formatted(SUBSTITUTE, cluster.address(DEAD)));
		cluster.awaitStable(replaced + 1, "n0", "n1", DEAD);
		load.leave(SUBSTITUTE);
		cluster.awaitReady(DEAD);
		load.trust(DEAD);
		await().atMost(ChangingCluster.LIMIT).until(() -> cluster.ready(SUBSTITUTE) == 503);
		cluster.discard(SUBSTITUTE);
	}

}
