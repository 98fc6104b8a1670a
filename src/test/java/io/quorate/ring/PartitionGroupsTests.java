package io.quorate.ring;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class PartitionGroupsTests {

	private static Ring ring(int first, int last, int replicationFactor) {
		return Ring.of(IntStream.rangeClosed(first, last).mapToObj((number) -> Member.of("n" + number)).toList(),
				replicationFactor);
	}

	private static Stream<RingPair> pairs() {
		return Stream.of(RingPair.of(ring(0, 0, 1)), RingPair.of(ring(0, 4, 3)), RingPair.of(ring(0, 49, 5)),
				new RingPair(ring(0, 2, 3), ring(0, 3, 3)), new RingPair(ring(0, 4, 3), ring(1, 4, 3)),
				new RingPair(ring(0, 4, 3), ring(0, 4, 4)), new RingPair(ring(0, 3, 3), ring(1, 4, 3)));
	}

	@ParameterizedTest
	@MethodSource("pairs")
	void partitionsAreOneGroupIfTheirReplicasAreTheSame(RingPair rings) {
		PartitionGroups groups = PartitionGroups.of(rings);
		Map<List<List<Member>>, Integer> groupOf = new HashMap<>();
		int[] sizes = new int[groups.count()];
		for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
			int group = groups.groupOf(partition);
			List<List<Member>> replicas = List.of(List.copyOf(rings.replicasBefore(partition)),
					List.copyOf(rings.replicasAfter(partition)));
			Integer known = groupOf.putIfAbsent(replicas, group);
			assertThat(group).as("the group of partition %d", partition)
				.isEqualTo((known != null) ? known : groupOf.size() - 1);
			assertThat(known == null).isEqualTo(groups.firstOf(group) == partition);
			sizes[group]++;
		}
		assertThat(groupOf).as("as many as there are different replicas").hasSize(groups.count());
		assertThat(IntStream.range(0, groups.count()).map(groups::sizeOf)).containsExactly(boxed(sizes));
	}

	private static Integer[] boxed(int[] sizes) {
		return IntStream.of(sizes).boxed().toArray(Integer[]::new);
	}

	@Test
	void threeMembersHaveSixOrders() {
		assertThat(PartitionGroups.of(RingPair.of(ring(0, 2, 3))).count()).isEqualTo(6);
		assertThat(PartitionGroups.of(RingPair.of(ring(0, 2, 1))).count()).isEqualTo(3);
	}

}
