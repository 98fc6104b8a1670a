package io.quorate.watch;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WatchCursorTests {

	private static final ScanRange RANGE = ScanRange.ascending(Key.of("a"), Key.of("b"));

	private final Random random = new Random(7);

	@Test
	void aTextIsReadAsTheCursorThatWroteIt() {
		for (int i = 0; i < 1000; i++) {
			WatchCursor cursor = any(this.random.nextInt(65));
			assertThat(WatchCursor.parse(cursor.toText())).contains(cursor);
		}
	}

	@Test
	void aLiveCursorOfSixtyFourMembersIsShort() {
		WatchCursor cursor = new WatchCursor(new WatchCursor.Origin(1, 2, 3, 4), positions(64), false, null);
		assertThat(cursor.toText()).hasSizeLessThan(1500);
	}

	@Test
	void aTextNeedsNoEscapeInUrlsOrFields() {
		assertThat(any(64).toText()).matches("[A-Za-z0-9_-]+");
	}

	@Test
	void theStartIsZero() {
		assertThat(WatchCursor.START.toText()).isEqualTo("0");
		assertThat(WatchCursor.parse("0")).contains(WatchCursor.START);
	}

	@Test
	void aDamagedTextIsNoCursor() {
		String text = any(3).toText();
		for (int i = 0; i < text.length(); i++) {
			char other = (text.charAt(i) == 'A') ? 'B' : 'A';
			String damaged = text.substring(0, i) + other + text.substring(i + 1);
			assertThat(WatchCursor.parse(damaged)).as(damaged).isEmpty();
			assertThat(WatchCursor.parse(text.substring(0, i))).isEmpty();
		}
	}

	@Test
	void noTextMakesTheReaderFail() {
		for (String text : new String[] { "", "1", "00", "=", "%", "a".repeat(10_000), "\u2028" }) {
			assertThat(WatchCursor.parse(text)).isEmpty();
		}
	}

	@Test
	void aCursorIsOfItsRangeAlone() {
		WatchCursor cursor = new WatchCursor(new WatchCursor.Origin(1, WatchCursor.hashOf(RANGE), 3, 4), positions(3),
				false, null);
		assertThat(cursor.isOf(RANGE)).isTrue();
		assertThat(cursor.isOf(ScanRange.ascending(Key.of("a"), null))).isFalse();
		assertThat(cursor.isOf(ScanRange.ascending(Key.of("ab"), Key.of("b")))).isFalse();
		assertThat(WatchCursor.START.isOf(RANGE)).isTrue();
	}

	private WatchCursor any(int members) {
		byte[] key = new byte[1 + this.random.nextInt(Key.MAX_SIZE_BYTES)];
		this.random.nextBytes(key);
		WatchCursor.Part part = this.random.nextBoolean() ? new WatchCursor.Part(Key.wrap(key), positions(members))
				: null;
		WatchCursor.Origin origin = new WatchCursor.Origin(this.random.nextLong(), this.random.nextLong(),
				this.random.nextLong(), this.random.nextLong());
		return new WatchCursor(origin, positions(members), this.random.nextBoolean(), part);
	}

	private Positions positions(int members) {
		Map<Long, Long> byEpoch = new HashMap<>();
		for (int i = 0; i < members; i++) {
			byEpoch.put(this.random.nextLong(), this.random.nextLong(1L << 40));
		}
		return new Positions(byEpoch);
	}

}
