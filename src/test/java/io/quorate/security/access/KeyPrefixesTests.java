package io.quorate.security.access;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeyPrefixesTests {

	private static final long SEED = 20261123;

	private static final Key PAY = Key.of("pay:");

	private static final Key BEHIND_PAY = Key.of("pay;");

	private static final KeyPrefixes PAYMENTS = of(List.of("pay:", "shared:"));

	private static KeyPrefixes of(List<String> prefixes) {
		return KeyPrefixes.of(prefixes.stream().map(Key::of).toList());
	}

	@Test
	void aKeyIsInItWhenItBeginsWithAPrefix() {
		assertThat(PAYMENTS.has(Key.of("pay:1"))).isTrue();
		assertThat(PAYMENTS.has(PAY)).isTrue();
		assertThat(PAYMENTS.has(Key.of("shared:x"))).isTrue();
		assertThat(PAYMENTS.has(Key.of("pay"))).as("a neighbour before").isFalse();
		assertThat(PAYMENTS.has(BEHIND_PAY)).as("a neighbour behind").isFalse();
		assertThat(PAYMENTS.has(Key.of("a"))).isFalse();
		assertThat(PAYMENTS.has(Key.of("z"))).isFalse();
	}

	@Test
	void aRangeIsInItWhenOnePrefixHasAllOfIt() {
		assertThat(PAYMENTS.hasAllOf(ScanRange.ascending(PAY, BEHIND_PAY))).isTrue();
		assertThat(PAYMENTS.hasAllOf(ScanRange.descending(PAY, BEHIND_PAY))).isTrue();
		assertThat(PAYMENTS.hasAllOf(ScanRange.ascending(Key.of("pay:5"), Key.of("pay:7")))).isTrue();
		assertThat(PAYMENTS.hasAllOf(ScanRange.ascending(PAY, Key.of("pay;a")))).as("beyond the end").isFalse();
		assertThat(PAYMENTS.hasAllOf(ScanRange.ascending(Key.of("pay"), BEHIND_PAY))).as("before").isFalse();
		assertThat(PAYMENTS.hasAllOf(ScanRange.ascending(PAY, null))).as("an open end").isFalse();
		assertThat(PAYMENTS.hasAllOf(ScanRange.ascending(PAY, Key.of("shared:z")))).as("over two prefixes").isFalse();
	}

	@Test
	void allHasEverythingAndNoneNothing() {
		ScanRange open = ScanRange.ascending(PAY, null);
		assertThat(KeyPrefixes.ALL.has(PAY)).isTrue();
		assertThat(KeyPrefixes.ALL.hasAllOf(open)).isTrue();
		assertThat(KeyPrefixes.NONE.has(PAY)).isFalse();
		assertThat(KeyPrefixes.NONE.hasAllOf(open)).isFalse();
		assertThat(KeyPrefixes.of(List.of()).isEmpty()).isTrue();
	}

	@Test
	void aPrefixWithinAnotherChangesNothing() {
		KeyPrefixes both = of(List.of("pay:eu:", "pay:", "pay:eu:1"));
		assertThat(both.words()).containsExactly("pay:");
		assertThat(both.has(Key.of("pay:zz"))).isTrue();
	}

	/* Short keys over three letters, so that nearly every border case occurs. */
	@Test
	void itAgreesWithAComparisonOfEachPrefix() {
		Random random = new Random(SEED);
		for (int round = 0; round < 20_000; round++) {
			List<String> prefixes = new ArrayList<>();
			for (int i = random.nextInt(4); i >= 0; i--) {
				prefixes.add(text(random));
			}
			KeyPrefixes tested = of(prefixes);
			String key = text(random);
			assertThat(tested.has(Key.of(key))).as("%s of %s", key, prefixes)
				.isEqualTo(prefixes.stream().anyMatch(key::startsWith));
			requireRange(tested, prefixes, key, random.nextInt(8) == 0 ? null : text(random));
		}
	}

	/* A range is a list of all keys of up to four letters that are in it. */
	private static void requireRange(KeyPrefixes tested, List<String> prefixes, String start, @Nullable String end) {
		ScanRange range = ScanRange.ascending(Key.of(start), (end != null) ? Key.of(end) : null);
		if (range.isEmpty() || !tested.hasAllOf(range)) {
			return;
		}
		assertThat(end).as("an open end").isNotNull();
		for (String key : allUpTo(5)) {
			if (key.compareTo(start) >= 0 && key.compareTo(String.valueOf(end)) < 0) {
				assertThat(prefixes).as("%s in %s to %s", key, start, end).anyMatch(key::startsWith);
			}
		}
	}

	private static List<String> allUpTo(int length) {
		List<String> all = new ArrayList<>(List.of("a", "b", "c"));
		for (int from = 0; all.get(from).length() < length; from++) {
			for (char c = 'a'; c <= 'c'; c++) {
				all.add(all.get(from) + c);
			}
		}
		return all;
	}

	private static String text(Random random) {
		StringBuilder text = new StringBuilder();
		for (int i = random.nextInt(4); i >= 0; i--) {
			text.append((char) ('a' + random.nextInt(3)));
		}
		return text.toString();
	}

}
