package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.replica.Replica;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ReplicaSetTests {

	private static final Replica A = new ScriptedReplica("a");

	private static final Replica B = new ScriptedReplica("b");

	private static final Replica C = new ScriptedReplica("c");

	private static final Replica D = new ScriptedReplica("d");

	private static final Replica E = new ScriptedReplica("e");

	private static ReplicaSet joint(List<Replica> before, List<Replica> after) {
		return ReplicaSet.of(before, after, before.size());
	}

	private static void requireSide(QuorumSide side, int ack, ReplicaPlan plan, Replica... replicas) {
		assertThat(side.ack()).isEqualTo(ack);
		assertThat(side.from()).isEqualTo(replicas.length);
		List<Replica> asked = new ArrayList<>();
		assertThat(side.count((replica) -> asked.add(plan.all().get(replica)))).isEqualTo(replicas.length);
		assertThat(asked).containsExactly(replicas);
	}

	@Test
	void oneAssignmentIsOneSide() {
		ReplicaPlan plan = ReplicaSet.of(List.of(A, B, C)).plan(Consistency.DEFAULT);
		assertThat(plan.replicas()).containsExactly(A, B, C);
		assertThat(plan.beyond()).isEmpty();
		assertThat(plan.sides()).hasSize(1);
		requireSide(plan.sides().getFirst(), 2, plan, A, B, C);
		assertThat(plan.first()).isEqualTo(2);
		assertThat(plan.whole()).isEqualTo(1);
	}

	@Test
	void entryForAllReplicasSaysSoOnceTheFactorIsNotTheFirst() {
		assertThat(ReplicaSet.of(List.of(A, B, C)).plan(Consistency.DEFAULT).from()).isEqualTo(3);
		List<Replica> four = List.of(A, B, C, D);
		ReplicaSet grown = ReplicaSet.of(four, four, 3);
		assertThat(grown.plan(Consistency.DEFAULT).from()).isEqualTo(Entry.ALL);
		assertThat(grown.plan(new Consistency(1, 4)).from()).isEqualTo(Entry.ALL);
		assertThat(grown.plan(new Consistency(1, 2)).from()).isEqualTo(2);
		assertThat(joint(List.of(A, B, C), four).plan(Consistency.DEFAULT).from()).isEqualTo(Entry.ALL);
		assertThat(joint(List.of(A, B, C), four).plan(new Consistency(2, 3)).from()).isEqualTo(3);
		ReplicaSet shrunk = ReplicaSet.of(List.of(A, B), List.of(A, B), 3);
		assertThat(shrunk.plan(Consistency.DEFAULT).from()).isEqualTo(Entry.ALL);
	}

	@Test
	void entryForAllIsHeldByAsManyAsTheLaterFactorNames() {
		List<Replica> four = List.of(A, B, C, D);
		ReplicaPlan plan = ReplicaSet.of(four, four, 3).plan(Consistency.DEFAULT);
		QuorumSide side = plan.sides().getFirst();
		for (int all : new int[] { Entry.ALL, 3, 4 }) {
			assertThat(plan.isFor(3, ScriptedCluster.live(1, all))).as("from %d", all).isTrue();
			assertThat(plan.copies(ScriptedCluster.live(1, all), side)).as("from %d", all).isEqualTo(4);
		}
		assertThat(plan.isFor(2, ScriptedCluster.live(1, 2))).isFalse();
		assertThat(plan.copies(ScriptedCluster.live(1, 2), side)).isEqualTo(2);
	}

	@Test
	void fewerCopiesLeaveReplicasBeyond() {
		ReplicaPlan plan = ReplicaSet.of(List.of(A, B, C)).plan(new Consistency(1, 2));
		assertThat(plan.replicas()).containsExactly(A, B);
		assertThat(plan.beyond()).containsExactly(C);
		requireSide(plan.sides().getFirst(), 1, plan, A, B);
		assertThat(plan.from()).isEqualTo(2);
	}

	@Test
	void aChangeHasTwoSides() {
		ReplicaPlan plan = joint(List.of(A, B, C), List.of(D, A, B)).plan(Consistency.DEFAULT);
		assertThat(plan.replicas()).containsExactly(A, B, C, D);
		requireSide(plan.sides().getFirst(), 2, plan, A, B, C);
		requireSide(plan.sides().getLast(), 2, plan, D, A, B);
		assertThat(plan.from()).as("copies").isEqualTo(3);
		assertThat(plan.first()).as("a and b are enough").isEqualTo(2);
		assertThat(plan.isOfAllSides(1)).isTrue();
		assertThat(plan.isOfAllSides(2)).isFalse();
		assertThat(plan.isOfAllSides(3)).isFalse();
	}

	@Test
	void aQuorumCountsByTheFactorOfItsSide() {
		ReplicaSet set = joint(List.of(A, B, C), List.of(A, B, C, D, E));
		ReplicaPlan plan = set.plan(Consistency.DEFAULT);
		requireSide(plan.sides().getFirst(), 2, plan, A, B, C);
		requireSide(plan.sides().getLast(), 3, plan, A, B, C, D, E);
		assertThat(plan.first()).isEqualTo(3);
		ReplicaPlan wide = set.plan(new Consistency(4, 5));
		requireSide(wide.sides().getFirst(), 3, wide, A, B, C);
		requireSide(wide.sides().getLast(), 4, wide, A, B, C, D, E);
		assertThat(wide.first()).as("three are of both sides").isEqualTo(5);
		assertThat(wide.whole()).as("any four include one").isEqualTo(2);
	}

	@Test
	void fewerCopiesThanTheFactorAreOfEitherSideToo() {
		ReplicaSet set = joint(List.of(A, B, C), List.of(A, B, D));
		ReplicaPlan plan = set.plan(new Consistency(2, 2));
		assertThat(plan.replicas()).containsExactly(A, B);
		assertThat(plan.beyond()).as("for tombstones").containsExactly(C, D);
		requireSide(plan.sides().getFirst(), 2, plan, A, B);
		requireSide(plan.sides().getLast(), 2, plan, A, B);
		assertThat(plan.isFor(2, ScriptedCluster.live(1, 3))).as("c").isTrue();
		assertThat(plan.isFor(3, ScriptedCluster.live(1, 3))).as("d").isTrue();
		assertThat(plan.isFor(3, ScriptedCluster.live(1, 2))).isFalse();
		ReplicaPlan one = joint(List.of(A, B, C), List.of(D, A, B)).plan(new Consistency(1, 1));
		assertThat(one.replicas()).containsExactly(A, D);
		assertThat(one.beyond()).containsExactly(B, C);
		requireSide(one.sides().getLast(), 1, one, D);
		assertThat(one.first()).as("none is of both sides").isEqualTo(2);
	}

	@Test
	void theSameReplicasBeforeAndAfterAreOneSide() {
		ReplicaSet set = joint(List.of(A, B, C), List.of(A, B, C));
		assertThat(set).isEqualTo(ReplicaSet.of(List.of(A, B, C))).hasSameHashCodeAs(ReplicaSet.of(List.of(A, B, C)));
		assertThat(set.plan(Consistency.DEFAULT).sides()).hasSize(1);
		assertThat(set).isNotEqualTo(joint(List.of(A, B, C), List.of(A, B, D)))
			.isNotEqualTo(ReplicaSet.of(List.of(C, A, B)));
		assertThat(joint(List.of(A, B), List.of(B, C))).hasToString("[a, b] -> [b, c]");
	}

	@Test
	void aTombstoneIsForAllReplicasOfEitherSide() {
		ReplicaPlan plan = joint(List.of(A, B, C), List.of(D, A, B)).plan(new Consistency(1, 1));
		Entry tombstone = new Entry.Tombstone(Timestamp.ofMillis(1), 1);
		Entry live = ScriptedCluster.live(1, 1);
		for (int replica = 0; replica < 4; replica++) {
			assertThat(plan.isFor(replica, tombstone)).isTrue();
			assertThat(plan.isFor(replica, live)).isEqualTo(plan.replicas().contains(plan.all().get(replica)));
		}
	}

	@Test
	void moreAcksThanReplicasAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new QuorumSide(3, 2, 0, 1));
		assertThatIllegalArgumentException().isThrownBy(() -> new QuorumSide(1, 3, 0, 1));
		assertThatIllegalArgumentException().isThrownBy(() -> new QuorumSide(0, 2, 0, 1));
	}

}
