package io.quorate.coordinator;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class PartitionHealthTests {

	@Test
	void nothingIsDegradedWhenAllAreConnected() {
		PartitionHealth health = new PartitionHealth(RingPair.of(ring(5, 3)));
		assertThat(health.degraded((_) -> true)).isZero();
		assertThat(health.unavailable((_) -> true)).isZero();
	}

	@Test
	void everythingIsUnavailableWhenNobodyIs() {
		PartitionHealth health = new PartitionHealth(RingPair.of(ring(5, 3)));
		assertThat(health.degraded((_) -> false)).isEqualTo(Ring.PARTITIONS);
		assertThat(health.unavailable((_) -> false)).isEqualTo(Ring.PARTITIONS);
	}

	@Test
	void oneOfThreeDegradesAllAndTakesNothingAway() {
		PartitionHealth health = new PartitionHealth(RingPair.of(ring(3, 3)));
		Predicate<String> isConnected = (member) -> !member.equals("n1");
		assertThat(health.degraded(isConnected)).isEqualTo(Ring.PARTITIONS);
		assertThat(health.unavailable(isConnected)).isZero();
	}

	@Test
	void aMajorityOfTwoReplicasIsBothOfThem() {
		PartitionHealth health = new PartitionHealth(RingPair.of(ring(2, 2)));
		assertThat(health.unavailable((member) -> !member.equals("n1"))).isEqualTo(Ring.PARTITIONS);
	}

	@ParameterizedTest
	@CsvSource({ "5,3,n0", "5,3,n0;n3", "7,5,n1;n2;n6", "4,1,n2", "6,4,n0;n1" })
	void isWhatTheListsOfAllPartitionsSay(int members, int replicationFactor, String down) {
		Ring ring = ring(members, replicationFactor);
		Set<String> gone = Set.of(down.split(";", -1));
		PartitionHealth health = new PartitionHealth(RingPair.of(ring));
		long[] missing = IntStream.range(0, Ring.PARTITIONS)
			.mapToLong((partition) -> ring.preferenceList(partition)
				.stream()
				.limit(replicationFactor)
				.filter((member) -> gone.contains(member.id()))
				.count())
			.toArray();
		Predicate<String> isConnected = (member) -> !gone.contains(member);
		assertThat(health.degraded(isConnected)).isPositive()
			.isEqualTo((int) IntStream.range(0, missing.length).filter((i) -> missing[i] > 0).count());
		assertThat(health.unavailable(isConnected)).isEqualTo((int) IntStream.range(0, missing.length)
			.filter((i) -> replicationFactor - missing[i] < replicationFactor / 2 + 1)
			.count());
	}

	@Test
	void aPartitionLacksWhatEitherSideOfAChangeLacks() {
		PartitionHealth grows = new PartitionHealth(new RingPair(ring(3, 3), ring(4, 3)));
		assertThat(grows.degraded((member) -> !member.equals("n3"))).isBetween(1, Ring.PARTITIONS - 1);
		assertThat(grows.unavailable((member) -> !member.equals("n3"))).isZero();
		assertThat(grows.unavailable((member) -> !Set.of("n2", "n3").contains(member))).as("two of some sets after")
			.isBetween(1, Ring.PARTITIONS - 1);
		assertThat(grows.unavailable((member) -> !Set.of("n1", "n2").contains(member))).as("two of all before")
			.isEqualTo(Ring.PARTITIONS);
	}

	private static Ring ring(int members, int replicationFactor) {
		List<Member> all = IntStream.range(0, members).mapToObj((number) -> Member.of("n" + number)).toList();
		return Ring.of(all, replicationFactor);
	}

}
