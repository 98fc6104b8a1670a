package io.quorate.repair.comparison;

import java.util.List;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.junit.jupiter.api.Test;

import static io.quorate.repair.comparison.Fixture.live;
import static io.quorate.repair.comparison.Fixture.ring;
import static io.quorate.repair.comparison.Fixture.tombstone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SharedEntriesTests {

	private static final Ring FIVE = ring(5, 3);

	@Test
	void entriesAreSharedByThoseThatThePreferenceListNames() {
		SharedEntries shared = SharedEntries.of(RingPair.of(FIVE), "n1", "n3");
		for (int number = 0; number < 1_000; number++) {
			Key key = Fixture.key(number);
			for (int from = 1; from <= 3; from++) {
				assertThat(shared.isShared(key, live(1, from))).isEqualTo(holders(key, from).containsAll(both()));
				assertThat(shared.isShared(key, tombstone(1, from))).isEqualTo(holders(key, 3).containsAll(both()));
			}
			assertThat(shared.mayShare(key)).isEqualTo(holders(key, 3).containsAll(both()));
		}
	}

	/* As a record of a cluster with a larger replication factor could be. */
	@Test
	void moreCopiesThanTheReplicationFactorAreNoMore() {
		SharedEntries shared = SharedEntries.of(RingPair.of(FIVE), "n1", "n3");
		for (int number = 0; number < 1_000; number++) {
			Key key = Fixture.key(number);
			assertThat(shared.isShared(key, live(1, 5))).isEqualTo(shared.isShared(key, live(1, 3)));
		}
	}

	/* Of a cluster whose first factor was 3, or 2: then 3 is a number of copies. */
	@Test
	void replicasOfALaterFactorShareEntriesForAll() {
		Ring four = ring(5, 4);
		SharedEntries shared = SharedEntries.of(new RingPair(FIVE, four), "n1", "n3");
		SharedEntries counted = SharedEntries.of(new RingPair(four, four, 2), "n1", "n3");
		for (int number = 0; number < 1_000; number++) {
			Key key = Fixture.key(number);
			List<String> all = four.preferenceList(key).subList(0, 4).stream().map(Member::id).toList();
			for (int from : new int[] { Entry.ALL, 3, 4 }) {
				assertThat(shared.isShared(key, live(1, from))).as("from %d", from).isEqualTo(all.containsAll(both()));
			}
			assertThat(counted.isShared(key, live(1, Entry.ALL))).isEqualTo(all.containsAll(both()));
			assertThat(counted.isShared(key, live(1, 3))).isEqualTo(all.subList(0, 3).containsAll(both()));
		}
	}

	@Test
	void nodesThatAreNoMembersShareNothing() {
		assertThatIllegalArgumentException().isThrownBy(() -> SharedEntries.of(RingPair.of(FIVE), "n1", "elsewhere"));
	}

	@Test
	void aSingleCopyIsSharedByNobody() {
		assertThat(SharedEntries.of(RingPair.of(ring(2, 1)), "n0", "n1").isAny()).isFalse();
		assertThat(SharedEntries.of(RingPair.of(FIVE), "n0", "n1").isAny()).isTrue();
	}

	private static List<String> both() {
		return List.of("n1", "n3");
	}

	private static List<String> holders(Key key, int copies) {
		return FIVE.preferenceList(key).subList(0, copies).stream().map(Member::id).toList();
	}

	@Test
	void aReplicaOfBeforeAndOneOfAfterAChangeShareWhatMoves() {
		RingPair grows = new RingPair(ring(3, 2), ring(4, 2));
		SharedEntries shared = SharedEntries.of(grows, "n0", "n3");
		for (int i = 0; i < 1000; i++) {
			Key key = Key.of("key-" + i);
			int partition = grows.partitionOf(key);
			boolean areBoth = grows.isReplica("n0", partition) && grows.isReplica("n3", partition);
			assertThat(shared.mayShare(key)).as("%s", key).isEqualTo(areBoth);
		}
		assertThat(SharedEntries.of(RingPair.of(ring(3, 2)), "n0", "n1").isAny()).isTrue();
	}

}
