package io.quorate.coordinator;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import io.quorate.entry.Key;
import io.quorate.replica.Replica;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class RingPreferenceListsTests {

	private final List<Member> members = IntStream.range(0, 5).mapToObj((number) -> Member.of("n" + number)).toList();

	private final Map<String, Replica> replicas = new HashMap<>();

	private final Ring ring = Ring.of(this.members, 3);

	RingPreferenceListsTests() {
		this.members.forEach((member) -> this.replicas.put(member.id(), new ScriptedReplica(member.id())));
	}

	@Test
	void theReplicasOfAKeyAreTheFirstOfItsPreferenceList() {
		RingPreferenceLists lists = RingPreferenceLists.of(1, RingPair.of(this.ring), this.replicas);
		for (int i = 0; i < 1_000; i++) {
			Key key = Key.of("key " + i);
			assertThat(lists.replicasOf(key).replicas()).extracting(Replica::nodeId)
				.containsExactlyElementsOf(
						this.ring.preferenceList(key).subList(0, 3).stream().map(Member::id).toList());
		}
	}

	@Test
	void everySetIsThereOnce() {
		RingPreferenceLists lists = RingPreferenceLists.of(1, RingPair.of(this.ring), this.replicas);
		Set<ReplicaSet> ofKeys = new HashSet<>();
		IntStream.range(0, 50_000).forEach((number) -> ofKeys.add(lists.replicasOf(Key.of("key " + number))));
		assertThat(lists.everySet()).hasSize(5 * 4 * 3).containsExactlyInAnyOrderElementsOf(ofKeys);
		assertThat(lists.allReplicas()).containsExactlyInAnyOrderElementsOf(this.replicas.values());
	}

	@Test
	void inAChangeAKeyHasTheReplicasOfBothRings() {
		Ring after = Ring.of(this.members.subList(1, 5), 3);
		RingPair pair = new RingPair(this.ring, after);
		RingPreferenceLists lists = RingPreferenceLists.of(1, pair, this.replicas);
		Set<Integer> sides = new HashSet<>();
		for (int i = 0; i < 1_000; i++) {
			Key key = Key.of("key " + i);
			int partition = this.ring.partitionOf(key);
			ReplicaPlan plan = lists.replicasOf(key).plan(Consistency.DEFAULT);
			assertThat(plan.replicas()).extracting(Replica::nodeId)
				.containsExactlyElementsOf(pair.replicas(partition).stream().map(Member::id).toList());
			assertThat(plan.sides()).hasSize(pair.isSame(partition, 3) ? 1 : 2);
			sides.add(plan.sides().size());
		}
		assertThat(sides).as("keys that the change concerns, and others").hasSize(2);
		assertThat(lists.allReplicas()).containsExactlyInAnyOrderElementsOf(this.replicas.values());
		assertThat(lists.replicationFactor()).isEqualTo(3);
	}

	@Test
	void inAChangeOfTheFactorTheGreaterOneHolds() {
		assertThat(RingPreferenceLists.of(1, new RingPair(this.ring, Ring.of(this.members, 4)), this.replicas)
			.replicationFactor()).isEqualTo(4);
		assertThat(RingPreferenceLists.of(1, new RingPair(this.ring, Ring.of(this.members, 2)), this.replicas)
			.replicationFactor()).isEqualTo(3);
	}

	@Test
	void aMemberWithoutAReplicaIsAFault() {
		this.replicas.remove("n3");
		assertThatNullPointerException()
			.isThrownBy(() -> RingPreferenceLists.of(1, RingPair.of(this.ring), this.replicas))
			.withMessageContaining("n3");
	}

}
