package io.quorate.api.range;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Random;

import io.quorate.api.problem.ProblemException;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.golden.GoldenFiles;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RangeCursorTests {

	/* Clients keep cursors over an upgrade: the layout stays. */
	@Test
	void layoutIsThatOfTheGoldenFile() {
		Map<String, RangeCursor> cursors = Map.of("ascending", cursor("a", null), "ascending-to-an-end",
				cursor("k\u0000", "ключ"), "keys",
				new RangeCursor(ScanRange.ascending(Key.of("fruit:plum\u0000"), Key.of("fruit;")), true), "descending",
				new RangeCursor(ScanRange.descending(Key.wrap(new byte[1]), Key.of("m")), false), "keys-descending",
				new RangeCursor(ScanRange.descending(Key.of("a".repeat(1024)), Key.of("b".repeat(1024))), true));
		Map<String, byte[]> golden = GoldenFiles.hex("cursor-1.txt");
		assertThat(golden.keySet()).isEqualTo(cursors.keySet());
		golden.forEach((name, bytes) -> {
			String text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
			assertThat(RangeCursor.parse(text)).as(name).isEqualTo(cursors.get(name));
			assertThat(RangeCursor.parse(text).text()).as(name).isEqualTo(text);
		});
		assertThat(cursor("a", null).text()).isEqualTo("AQAAAWEAAI0YBa4");
	}

	@Test
	void everyCursorIsReadAsItWasWritten() {
		Random random = new Random(3);
		for (int i = 0; i < 2000; i++) {
			byte[] end = bytes(random);
			ScanRange rest = new ScanRange(Key.wrap(bytes(random)), random.nextBoolean() ? Key.wrap(end) : null,
					random.nextBoolean());
			RangeCursor cursor = new RangeCursor(rest, random.nextBoolean());
			assertThat(RangeCursor.parse(cursor.text())).isEqualTo(cursor);
		}
		String longest = "k".repeat(Key.MAX_SIZE_BYTES);
		assertThat(RangeCursor.parse(cursor(longest, longest).text())).isEqualTo(cursor(longest, longest));
	}

	@Test
	void everyDamageOfOneCharacterIsFound() {
		String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/.% ";
		String text = cursor("fruit:plum\u0000", "fruit;").text();
		for (int place = 0; place < text.length(); place++) {
			requireRefusal(text.substring(0, place));
			requireRefusal(text.substring(0, place) + text.substring(place + 1));
			for (int i = 0; i < alphabet.length(); i++) {
				if (alphabet.charAt(i) != text.charAt(place)) {
					requireRefusal(text.substring(0, place) + alphabet.charAt(i) + text.substring(place + 1));
				}
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "x", "AAAA", "=", "ключ", "eyJ2IjoxLCJrIjoiYSJ9", "AQAAAWEAAI0YBa4=",
			"AQAAAWEAAI0YBa4A", "AgAAAWEAAC4uiPE" })
	void otherTextsAreRefused(String text) {
		requireRefusal(text);
	}

	@Test
	void aLaterVersionIsRefused() {
		byte[] bytes = Base64.getUrlDecoder().decode(cursor("a", null).text());
		for (int place : new int[] { 0, 1 }) {
			byte[] later = bytes.clone();
			later[place] = 4;
			requireRefusal(RangeCursor.seal(later));
		}
		assertThat(RangeCursor.seal(bytes)).isEqualTo(cursor("a", null).text());
	}

	private static void requireRefusal(String text) {
		assertThatExceptionOfType(ProblemException.class).as(text)
			.isThrownBy(() -> RangeCursor.parse(text))
			.satisfies((refused) -> assertThat(refused.problem().status()).isEqualTo(400));
	}

	private static RangeCursor cursor(String start, @Nullable String end) {
		return new RangeCursor(ScanRange.ascending(Key.of(start), (end != null) ? Key.of(end) : null), false);
	}

	private static byte[] bytes(Random random) {
		byte[] bytes = new byte[1 + random.nextInt(random.nextInt(1, Key.MAX_SIZE_BYTES + 1))];
		random.nextBytes(bytes);
		return (random.nextInt(3) == 0)
				? new String(bytes, StandardCharsets.US_ASCII).getBytes(StandardCharsets.US_ASCII) : bytes;
	}

}
