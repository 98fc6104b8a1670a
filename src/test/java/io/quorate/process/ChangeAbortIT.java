package io.quorate.process;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Changes of members are given up at any instant under a mixed load: the members are
 * those of before, no request fails, and a candidate that was given up joins with an
 * empty directory.
 */
@Tag(Scale.FULL)
class ChangeAbortIT {

	private static final String NAME = "ChangeAbortIT";

	private static final String GUEST = "n3";

	private static final int ROUNDS = Scale.of(1, 10);

	/* If all changes end before they are given up. */
	private static final int MOST_ROUNDS = 10;

	/* The copies of a change take four seconds at least; some changes end before. */
	private static final int ABORTED_WITHIN_MILLIS = 6000;

	private final SplittableRandom random = new SplittableRandom(Scale.seed(NAME));

	private int aborted;

	private int ended;

	@Test
	void theMembersAreThoseOfBeforeAChangeThatIsGivenUp(@TempDir Path home) throws Exception {
		try (ChangingCluster cluster = ChangingCluster.startWithSlowCopies(home, 1);
				MixedLoad load = MixedLoad.through(cluster.processes(), this.random.split(), "n0", "n1", "n2")) {
			for (int round = 0; round < ROUNDS || (this.aborted == 0 && round < MOST_ROUNDS); round++) {
				joinInTheEnd(cluster, load);
				leaveInTheEnd(cluster, load);
			}
			Scale.report("%s: %d changes given up, %d had ended before, %s".formatted(NAME, this.aborted, this.ended,
					load.end("n0", "n1", "n2")));
			assertThat(this.aborted).isPositive();
			assertThat(cluster.alarms()).isEmpty();
			assertThat(cluster.rebuilds()).isEmpty();
		}
	}

	private void joinInTheEnd(ChangingCluster cluster, MixedLoad load) throws Exception {
		cluster.startCandidate(GUEST);
		long added = cluster.add(stayer(), GUEST);
		if (isGivenUp(cluster, added)) {
			cluster.awaitStable(added + 1, "n0", "n1", "n2");
			cluster.awaitVersion(GUEST, added + 1);
			assertThat(cluster.ready(GUEST)).isEqualTo(503);
			cluster.discard(GUEST);
			cluster.startCandidate(GUEST);
			added = cluster.add(stayer(), GUEST);
		}
		cluster.awaitStable(added + 1, "n0", "n1", "n2", GUEST);
		cluster.awaitReady(GUEST);
		load.trust(GUEST);
	}

	private void leaveInTheEnd(ChangingCluster cluster, MixedLoad load) throws Exception {
		long removed = cluster.remove(stayer(), GUEST);
		if (isGivenUp(cluster, removed)) {
			cluster.awaitStable(removed + 1, "n0", "n1", "n2", GUEST);
			assertThat(cluster.ready(GUEST)).isEqualTo(200);
			removed = cluster.remove(stayer(), GUEST);
		}
		cluster.awaitStable(removed + 1, "n0", "n1", "n2");
		load.leave(GUEST);
		await().atMost(ChangingCluster.LIMIT).until(() -> cluster.ready(GUEST) == 503);
		cluster.discard(GUEST);
	}

	/* A change may end before it is given up, which is refused then. */
	private boolean isGivenUp(ChangingCluster cluster, long version) throws Exception {
		int after = this.random.nextInt(ABORTED_WITHIN_MILLIS);
		new Pace(Duration.ofMillis(after)).await();
		String through = stayer();
		cluster.awaitVersion(through, version);
		HttpResponse<byte[]> answer = cluster.abort(through, version);
		String text = NodeClient.text(answer);
		Scale.report("%s: abort of version %d after %d ms: %d %s".formatted(NAME, version, after, answer.statusCode(),
				text));
		if (answer.statusCode() == 409) {
			this.ended++;
			assertThat(text).containsAnyOf("the layout has version " + (version + 1), "was decided first");
			return false;
		}
		this.aborted++;
		assertThat(ChangingCluster.begun(answer)).isEqualTo(version + 1);
		return true;
	}

	private String stayer() {
		return "n" + this.random.nextInt(3);
	}

}
