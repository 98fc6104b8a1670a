package io.quorate.command.data;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The division of ranges. */
class KeySplitTests {

	@Test
	void bordersAreAscendingAndWithinTheRange() {
		long seed = System.nanoTime();
		Random random = new Random(seed);
		for (int i = 0; i < 2_000; i++) {
			String one = key(random);
			String other = key(random);
			String first = (compare(one, other) <= 0) ? one : other;
			String last = first.equals(one) ? other : one;
			String before = first;
			for (String border : KeySplit.borders(first, last, 1 + random.nextInt(40))) {
				assertThat(compare(before, border)).as("seed %d: %s, %s", seed, before, border).isNegative();
				assertThat(compare(border, last)).as("seed %d: %s, %s", seed, border, last).isNotPositive();
				before = border;
			}
		}
	}

	@Test
	void evenKeysMakeEvenParts() {
		List<String> hexadecimal = IntStream.range(0, 10_000).mapToObj("user:%08x"::formatted).toList();
		List<String> borders = KeySplit.borders(hexadecimal.getFirst(), hexadecimal.getLast(), 32);
		assertThat(largestPart(hexadecimal, borders)).isLessThan(700);
		List<String> decimal = IntStream.range(100_000, 200_000).mapToObj(Integer::toString).toList();
		assertThat(largestPart(decimal, KeySplit.borders(decimal.getFirst(), decimal.getLast(), 32))).isLessThan(4_000);
	}

	@Test
	void oneKeyHasNoBorders() {
		assertThat(KeySplit.borders("a", "a", 8)).isEmpty();
	}

	@Test
	void aBorderIsNoLongerThanAKey() {
		String common = "k".repeat(1_019);
		assertThat(KeySplit.borders(common + "0", common + "9", 8)).isNotEmpty();
		assertThat(KeySplit.borders(common + "k0", common + "k9", 8)).isEmpty();
	}

	private static long largestPart(List<String> keys, List<String> borders) {
		long largest = 0;
		for (int i = 0; i <= borders.size(); i++) {
			String from = (i > 0) ? borders.get(i - 1) : keys.getFirst();
			String behind = (i < borders.size()) ? borders.get(i) : "\uFFFF";
			largest = Math.max(largest,
					keys.stream().filter((key) -> compare(key, from) >= 0 && compare(key, behind) < 0).count());
		}
		return largest;
	}

	private static String key(Random random) {
		StringBuilder key = new StringBuilder(random.nextBoolean() ? "key" : "");
		int length = 1 + random.nextInt(5);
		for (int i = 0; i < length; i++) {
			key.appendCodePoint(switch (random.nextInt(4)) {
				case 0 -> random.nextInt(0x20);
				case 1 -> '0' + random.nextInt(10);
				case 2 -> 0x20 + random.nextInt(0x60);
				default -> random.nextBoolean() ? 0xE0 + random.nextInt(0x1000) : 0x1F600 + random.nextInt(16);
			});
		}
		return key.toString();
	}

	private static int compare(String one, String other) {
		return Arrays.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
	}

}
