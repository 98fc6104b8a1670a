package io.quorate.ring;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RingPairTests {

	private static List<Member> members(String... names) {
		return Stream.of(names).map(Member::of).toList();
	}

	/* A majority of both sides is within the members that stay. */
	@ParameterizedTest
	@MethodSource("changes")
	void aChangeConcernsOneReplicaOfAPartitionAtMost(long seed, RingPair pair) {
		for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
			Set<Member> before = new HashSet<>(pair.replicasBefore(partition));
			Set<Member> after = new HashSet<>(pair.replicasAfter(partition));
			Set<Member> stay = new HashSet<>(before);
			stay.retainAll(after);
			assertThat(Math.max(before.size(), after.size()) - stay.size()).as("seed %d, partition %d", seed, partition)
				.isLessThanOrEqualTo(1);
			assertThat(pair.isSame(partition, Integer.MAX_VALUE)).isEqualTo(before.equals(after));
			assertThat(pair.replicas(partition)).hasSize(before.size() + after.size() - stay.size())
				.startsWith(pair.replicasBefore(partition).toArray(Member[]::new))
				.containsAll(after);
		}
	}

	@ParameterizedTest
	@MethodSource("changes")
	void aMemberGainsOrLosesAsTheReplicasSay(long seed, RingPair pair) {
		for (Member member : pair.members()) {
			int gained = 0;
			int held = 0;
			int heldBefore = 0;
			for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
				boolean before = pair.replicasBefore(partition).contains(member);
				boolean after = pair.replicasAfter(partition).contains(member);
				assertThat(pair.gains(member.id(), partition)).as("seed %d", seed).isEqualTo(!before && after);
				assertThat(pair.loses(member.id(), partition)).as("seed %d", seed).isEqualTo(before && !after);
				gained += (!before && after) ? 1 : 0;
				held += (before || after) ? 1 : 0;
				heldBefore += before ? 1 : 0;
			}
			assertThat(pair.gained(member.id())).isEqualTo(gained);
			assertThat(pair.placesOf(member.id()).held()).isEqualTo(held);
			assertThat(pair.placesOf(member.id()).heldBefore()).isEqualTo(heldBefore);
		}
	}

	static Stream<Arguments> changes() {
		return LongStream.range(0, 12).mapToObj((seed) -> Arguments.of(seed, change(seed)));
	}

	private static RingPair change(long seed) {
		Random random = new Random(seed);
		int size = 3 + random.nextInt(5);
		int factor = 2 + random.nextInt(size - 2);
		List<Member> members = random.nextBoolean() ? RandomMembers.withoutZones(seed, size + 1)
				: RandomMembers.inZones(seed, size + 1, 2 + random.nextInt(2));
		Ring without = Ring.of(members.subList(0, size), factor);
		return switch ((int) (seed % 4)) {
			case 0 -> new RingPair(without, Ring.of(members, factor));
			case 1 -> new RingPair(Ring.of(members, factor), without);
			case 2 -> new RingPair(Ring.of(members, factor), Ring.of(members, factor + 1));
			default -> new RingPair(without, Ring.of(replaced(members.subList(0, size)), factor));
		};
	}

	private static List<Member> replaced(List<Member> members) {
		Member gone = members.getFirst();
		List<Member> all = new ArrayList<>(members.subList(1, members.size()));
		all.add(new Member("replacement", gone.zone(), gone.ringId()));
		return all;
	}

	@Test
	void aReplacementTakesExactlyTheShareOfTheMemberBefore() {
		Ring before = Ring.of(members("n0", "n1", "n2", "n3", "n4"), 3);
		Member replacement = new Member("n7", "", "n3");
		Ring after = Ring.of(List.of(Member.of("n0"), Member.of("n1"), Member.of("n2"), replacement, Member.of("n4")),
				3);
		for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
			List<Member> expected = before.preferenceList(partition)
				.stream()
				.map((member) -> member.id().equals("n3") ? replacement : member)
				.toList();
			assertThat(after.preferenceList(partition)).as("partition %d", partition).isEqualTo(expected);
		}
		RingPair pair = new RingPair(before, after);
		assertThat(pair.members()).extracting(Member::id).containsExactly("n0", "n1", "n2", "n3", "n4", "n7");
		assertThat(pair.gained("n7")).isBetween(Ring.PARTITIONS / 2, Ring.PARTITIONS * 7 / 10);
		assertThat(pair.gained("n0")).isZero();
		assertThat(after.epoch()).isNotEqualTo(Ring.of(members("n0", "n1", "n2", "n4", "n7"), 3).epoch());
	}

	@Test
	void aChangeOfTheLastReplicaDoesNotConcernFewerCopies() {
		RingPair pair = new RingPair(Ring.of(members("n0", "n1", "n2", "n3"), 2),
				Ring.of(members("n0", "n1", "n2", "n3"), 3));
		for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
			assertThat(pair.isSame(partition, 1)).isTrue();
			assertThat(pair.isSame(partition, 2)).isTrue();
			assertThat(pair.isSame(partition, 3)).isFalse();
		}
	}

	@Test
	void twoMembersInOnePlaceAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Ring.of(List.of(Member.of("n1"), new Member("n2", "", "n1")), 1))
			.withMessage("the members n1 and n2 in the place of n1 have one place on the ring");
		assertThatIllegalArgumentException().isThrownBy(() -> new Member("n2", "", ""))
			.withMessageContaining("the place on the ring '' of a member");
	}

}
