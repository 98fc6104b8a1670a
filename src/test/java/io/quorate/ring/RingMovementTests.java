package io.quorate.ring;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * Tests of the copies that move when a member joins. A member that leaves is the same in
 * reverse: a ring depends on its members, not on those it had before.
 */
class RingMovementTests {

	private static final double MOST = 1.15;

	@ParameterizedTest
	@MethodSource("idSets")
	void memberThatJoinsTakesItsShareAndNothingElseMoves(long seed, int size) {
		List<Member> members = RandomMembers.withoutZones(seed, size);
		Member joined = members.getLast();
		Ring before = Ring.of(members.subList(0, size - 1), 1);
		Ring after = Ring.of(members, 1);
		for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
			List<Member> others = new ArrayList<>(after.preferenceList(partition));
			others.remove(joined);
			if (!others.equals(before.preferenceList(partition))) {
				fail("seed %d, partition %d: %s became %s", seed, partition, before.preferenceList(partition), others);
			}
		}
		for (int from = 1; from < size; from++) {
			double fair = (double) Ring.PARTITIONS * from / size;
			assertThat(copiesMoved(before, after, joined, from) / fair).as("seed %d, from=%d of %d", seed, from, size)
				.isBetween(2 - MOST, MOST);
		}
	}

	@ParameterizedTest
	@MethodSource("zonedIdSets")
	void memberThatJoinsAZonePushesOutOneMemberOrNone(long seed, int size, int zones) {
		List<Member> members = RandomMembers.inZones(seed, size, zones);
		Ring before = Ring.of(members.subList(0, size - 1), 1);
		Ring after = Ring.of(members, 1);
		for (int from = 1; from < size; from++) {
			assertThat(copiesMoved(before, after, members.getLast(), from)).as("seed %d, from=%d", seed, from)
				.isPositive();
		}
	}

	static Stream<Arguments> idSets() {
		return Stream.of(3, 4, 5, 10)
			.flatMap((size) -> LongStream.range(0, 10).mapToObj((seed) -> Arguments.of(seed, size)));
	}

	static Stream<Arguments> zonedIdSets() {
		return Stream.of(Arguments.of(1, 3, 3), Arguments.of(2, 6, 3), Arguments.of(3, 7, 3), Arguments.of(4, 10, 4),
				Arguments.of(5, 9, 2));
	}

	/* Fails if one moves to another member than the one that joined. */
	private static int copiesMoved(Ring before, Ring after, Member joined, int from) {
		int moved = 0;
		for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
			List<Member> held = before.preferenceList(partition).subList(0, from);
			for (Member member : after.preferenceList(partition).subList(0, from)) {
				if (member.equals(joined)) {
					moved++;
				}
				else if (!held.contains(member)) {
					fail("partition %d, from=%d: moves to %s, which did not join", partition, from, member);
				}
			}
		}
		return moved;
	}

}
