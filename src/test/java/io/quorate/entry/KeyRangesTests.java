package io.quorate.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class KeyRangesTests {

	private static final int KEYS = 1000;

	/* Longer than any range that begins with a key. */
	private static final int BEYOND = 100;

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void aSetOfRangesHasTheirKeysAndNoOthers(long seed) {
		Random random = new Random(seed);
		for (int round = 0; round < 200; round++) {
			List<ScanRange> given = ranges(random, random.nextInt(KeyRanges.MOST + 1), 30);
			KeyRanges set = KeyRanges.of(given);
			for (int i = 0; i < KEYS + BEYOND; i++) {
				Key key = key(i);
				assertThat(set.contains(key)).as("seed %d, %s in %s", seed, key, given)
					.isEqualTo(given.stream().anyMatch((range) -> isIn(key, range)));
			}
			for (ScanRange asked : ranges(random, 20, BEYOND)) {
				boolean isCovered = IntStream.range(0, KEYS + BEYOND)
					.mapToObj(KeyRangesTests::key)
					.filter((key) -> isIn(key, asked))
					.allMatch((key) -> given.stream().anyMatch((range) -> isIn(key, range)));
				boolean isEndless = asked.end() == null;
				boolean hasEndless = given.stream().anyMatch((range) -> range.end() == null);
				assertThat(set.covers(asked)).as("seed %d, %s in %s", seed, asked, given)
					.isEqualTo(asked.isEmpty() || (isCovered && (!isEndless || hasEndless)));
			}
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void neighboursAmongTooManyRangesBecomeOne(long seed) {
		Random random = new Random(seed);
		for (int round = 0; round < 50; round++) {
			List<ScanRange> given = ranges(random, 65 + random.nextInt(200), 3);
			KeyRanges set = KeyRanges.of(given);
			assertThat(set.ranges()).hasSizeLessThanOrEqualTo(KeyRanges.MOST);
			for (int i = 0; i < KEYS + BEYOND; i++) {
				Key key = key(i);
				if (given.stream().anyMatch((range) -> isIn(key, range))) {
					assertThat(set.contains(key)).as("seed %d, %s in %s", seed, key, given).isTrue();
				}
			}
			assertThat(given).allMatch(set::covers);
		}
	}

	@Test
	void sixtyFourRangesStayApart() {
		List<ScanRange> given = IntStream.range(0, 64).mapToObj((i) -> range(10 * i, 10 * i + 5)).toList();
		assertThat(KeyRanges.of(given).ranges()).isEqualTo(given);
	}

	@Test
	void neighboursAmongRangesOfLongKeysBecomeOne() {
		String common = "k".repeat(1000);
		List<ScanRange> given = IntStream.range(0, 64)
			.mapToObj((i) -> ScanRange.only(Key.of(common + "%02d".formatted(i))))
			.toList();
		KeyRanges set = KeyRanges.of(given);
		assertThat(set.ranges()).hasSize(4);
		assertThat(given).allMatch(set::covers);
		ScanRange one = ScanRange.ascending(Key.of("a".repeat(1024)), Key.of("z".repeat(1024)));
		assertThat(KeyRanges.of(List.of(one)).ranges()).containsExactly(one);
	}

	@Test
	void rangesThatTouchOrOverlapBecomeOne() {
		assertThat(KeyRanges.of(List.of(range(5, 9), ScanRange.descending(key(1), key(5)), range(2, 4), range(20, 10)))
			.ranges()).containsExactly(range(1, 9));
		assertThat(KeyRanges.of(List.of(range(5, 9), ScanRange.ascending(key(2), null), range(7, 8))).ranges())
			.containsExactly(ScanRange.ascending(key(2), null));
	}

	@Test
	void noRangeHasNoKey() {
		assertThat(KeyRanges.of(List.of())).isEqualTo(KeyRanges.NONE);
		assertThat(KeyRanges.NONE.contains(key(1))).isFalse();
		assertThat(KeyRanges.NONE.covers(range(1, 2))).isFalse();
		assertThat(KeyRanges.NONE.covers(range(2, 2))).isTrue();
	}

	@Test
	void aSetOfOtherRangesIsRefused() {
		assertRefused(List.of(range(1, 3), range(3, 4)));
		assertRefused(List.of(range(1, 3), range(2, 4)));
		assertRefused(List.of(range(5, 6), range(1, 2)));
		assertRefused(List.of(range(2, 2)));
		assertRefused(List.of(ScanRange.ascending(key(1), null), range(5, 6)));
		assertRefused(List.of(ScanRange.descending(key(1), key(2))));
		assertRefused(IntStream.range(0, 65).mapToObj((i) -> range(10 * i, 10 * i + 5)).toList());
	}

	private static void assertRefused(List<ScanRange> ranges) {
		assertThatIllegalArgumentException().isThrownBy(() -> new KeyRanges(ranges));
	}

	private static List<ScanRange> ranges(Random random, int count, int longest) {
		List<ScanRange> ranges = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			int start = random.nextInt(KEYS);
			Key end = (random.nextInt(200) == 0) ? null : key(start + random.nextInt(longest));
			ranges.add(new ScanRange(key(start), end, random.nextBoolean()));
		}
		return ranges;
	}

	private static boolean isIn(Key key, ScanRange range) {
		@Nullable Key end = range.end();
		return key.compareTo(range.start()) >= 0 && (end == null || key.compareTo(end) < 0);
	}

	private static ScanRange range(int start, int end) {
		return ScanRange.ascending(key(start), key(end));
	}

	private static Key key(int number) {
		return Key.of("k%04d".formatted(number));
	}

}
