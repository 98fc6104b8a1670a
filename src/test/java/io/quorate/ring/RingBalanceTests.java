package io.quorate.ring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.quorate.Handbook;
import io.quorate.entry.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the even spread of partitions and entries over members, for every number of
 * copies.
 */
class RingBalanceTests {

	private static final double MOST = 1.1;

	private static final int RECORDS = 1_000_000;

	private static final int ID_SETS = 20;

	@ParameterizedTest
	@MethodSource("idSets")
	void noMemberHasMuchMoreThanTheMean(long seed, int size) {
		Ring ring = Ring.of(RandomMembers.withoutZones(seed, size), size);
		requireBalance(ring, "seed %d, %d members".formatted(seed, size));
	}

	@ParameterizedTest
	@MethodSource("idSets")
	void zonesOfOneSizeDoNotSpoilTheBalance(long seed, int size) {
		int zones = (size == 10) ? 5 : size;
		Ring ring = Ring.of(RandomMembers.inZones(seed, size, zones), size);
		requireBalance(ring, "seed %d, %d members in %d zones".formatted(seed, size, zones));
	}

	@ParameterizedTest
	@MethodSource("namings")
	void idsThatAreAlmostTheSameDoNotSpoilTheBalance(String naming, int size) {
		List<Member> members = IntStream.range(0, size).mapToObj((i) -> Member.of(naming.formatted(i))).toList();
		requireBalance(Ring.of(members, size), naming + ", " + size);
	}

	@Test
	void keysAreSpreadAsTheHandbookSays() throws IOException {
		long[] records = new long[Ring.PARTITIONS];
		StringBuilder table = new StringBuilder("""
				| nodes | `from` | keys of a node, mean | least | most | most / mean |
				|---|---|---|---|---|---|
				""");
		Ring any = Ring.of(numbered(1), 1);
		for (int i = 0; i < RECORDS; i++) {
			records[any.partitionOf(Key.of("key-" + i))]++;
		}
		for (int size : new int[] { 3, 5, 10 }) {
			Ring ring = Ring.of(numbered(size), size);
			for (int from = 1; from <= size; from++) {
				long[] loads = loads(ring, from, records);
				double mean = (double) RECORDS * from / size;
				long most = LongStream.of(loads).max().getAsLong();
				if (from == 1 || from == size / 2 + 1) {
					table.append(String.format(Locale.ROOT, "| %d | %d | %,.0f | %,d | %,d | %.3f |%n", size, from,
							mean, LongStream.of(loads).min().getAsLong(), most, most / mean));
				}
				assertThat(most / mean).as("%d of %d", from, size).isLessThanOrEqualTo(MOST);
			}
		}
		assertThat(Handbook.REPAIR.text()).contains(table);
	}

	static Stream<Arguments> idSets() {
		return Stream.of(3, 5, 10)
			.flatMap((size) -> LongStream.range(0, ID_SETS).mapToObj((seed) -> Arguments.of(seed, size)));
	}

	static Stream<Arguments> namings() {
		return Stream.of(3, 5, 10)
			.flatMap((size) -> Stream.of("n%d", "quorate-%d", "node%02d.example.org", "10.0.0.%d")
				.map((naming) -> Arguments.of(naming, size)));
	}

	private static void requireBalance(Ring ring, String which) {
		long[] partitions = new long[Ring.PARTITIONS];
		Arrays.fill(partitions, 1);
		int size = ring.members().size();
		for (int from = 1; from <= size; from++) {
			double mean = (double) Ring.PARTITIONS * from / size;
			assertThat(LongStream.of(loads(ring, from, partitions)).max().getAsLong() / mean)
				.as("%s, from=%d: most / mean", which, from)
				.isLessThanOrEqualTo(MOST);
		}
	}

	/* What each member holds of so much in each partition. */
	private static long[] loads(Ring ring, int from, long[] perPartition) {
		long[] loads = new long[ring.members().size()];
		for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
			for (int position = 0; position < from; position++) {
				loads[ring.memberIndex(partition, position)] += perPartition[partition];
			}
		}
		return loads;
	}

	private static List<Member> numbered(int size) {
		return IntStream.rangeClosed(1, size).mapToObj((i) -> Member.of("n" + i)).toList();
	}

}
