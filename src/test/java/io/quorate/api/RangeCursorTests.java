package io.quorate.api;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Random;

import io.quorate.api.problem.ProblemException;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RangeCursorTests {

	/* Clients keep cursors over an upgrade: the layout stays. */
	@Test
	void layoutIsThatOfVersionOne() {
		assertThat(cursor("a", null).text()).isEqualTo("AQAAAWEAAI0YBa4");
		assertThat(cursor("k\u0000", "ключ").text()).isEqualTo("AQAAAmsAAAjQutC70Y7Rh_aOtyY");
	}

	@Test
	void everyCursorIsReadAsItWasWritten() {
		Random random = new Random(3);
		for (int i = 0; i < 2000; i++) {
			byte[] end = bytes(random);
			RangeCursor cursor = new RangeCursor(Key.wrap(bytes(random)), random.nextBoolean() ? Key.wrap(end) : null);
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
			later[place] = 2;
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
		return new RangeCursor(Key.of(start), (end != null) ? Key.of(end) : null);
	}

	private static byte[] bytes(Random random) {
		byte[] bytes = new byte[1 + random.nextInt(random.nextInt(1, Key.MAX_SIZE_BYTES + 1))];
		random.nextBytes(bytes);
		return (random.nextInt(3) == 0)
				? new String(bytes, StandardCharsets.US_ASCII).getBytes(StandardCharsets.US_ASCII) : bytes;
	}

}
