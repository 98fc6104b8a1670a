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
		RingPreferenceLists lists = new RingPreferenceLists(this.ring, this.replicas);
		for (int i = 0; i < 1_000; i++) {
			Key key = Key.of("key " + i);
			assertThat(lists.replicasOf(key)).extracting(Replica::nodeId)
				.containsExactlyElementsOf(
						this.ring.preferenceList(key).subList(0, 3).stream().map(Member::id).toList());
		}
	}

	@Test
	void everyListIsThereOnce() {
		RingPreferenceLists lists = new RingPreferenceLists(this.ring, this.replicas);
		Set<List<Replica>> ofKeys = new HashSet<>();
		IntStream.range(0, 50_000).forEach((number) -> ofKeys.add(lists.replicasOf(Key.of("key " + number))));
		assertThat(lists.everyList()).hasSize(5 * 4 * 3).containsExactlyInAnyOrderElementsOf(ofKeys);
		assertThat(lists.allReplicas()).containsExactlyInAnyOrderElementsOf(this.replicas.values());
	}

	@Test
	void aMemberWithoutAReplicaIsAFault() {
		this.replicas.remove("n3");
		assertThatNullPointerException().isThrownBy(() -> new RingPreferenceLists(this.ring, this.replicas))
			.withMessageContaining("n3");
	}

}
