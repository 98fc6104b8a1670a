package io.quorate.entry;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ContentTypeTests {

	@Test
	void theCharactersStayAsTheyAre() {
		String text = "Text/HTML ; Charset=\"utf-8\"";
		ContentType type = ContentType.of(text);
		assertThat(type).hasToString(text).isEqualTo(ContentType.wrap(text.getBytes(StandardCharsets.US_ASCII)));
		assertThat(type.size()).isEqualTo(text.length());
		assertThat(type.array()).asString(StandardCharsets.US_ASCII).isEqualTo(text);
		assertThat(type).isNotEqualTo(ContentType.of("text/html")).hasSameHashCodeAs(text);
	}

	@Test
	void aCommonOneIsMadeOnce() {
		assertThat(ContentType.of("text/plain")).isSameAs(ContentType.of("text/plain"));
	}

	/* There are more of them than places for the latest. */
	@Test
	void manyOfThemAreNotConfused() {
		for (int round = 0; round < 2; round++) {
			for (int i = 0; i < 2000; i++) {
				assertThat(ContentType.of("application/x-" + i)).hasToString("application/x-" + i);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 256, 70_000 })
	void itHasFewBytesAndAtLeastOne(int size) {
		assertThat(ContentType.of("a".repeat(255)).size()).isEqualTo(ContentType.MAX_SIZE_BYTES);
		assertThatIllegalArgumentException().isThrownBy(() -> ContentType.of("a".repeat(size)))
			.withMessageContaining("1 to 255 bytes, not " + size);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\r\nb: c", "a\tb", "a\0", "\u007f", "ä" })
	void otherBytesThanVisibleOnesAreRefused(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> ContentType.of(text)).withMessageContaining("byte 0x");
	}

	@Test
	void noneIsTheFirst() {
		assertThat(ContentType.ORDER.compare(null, ContentType.of("a"))).isNegative();
		assertThat(ContentType.ORDER.compare(ContentType.of("b"), ContentType.of("a"))).isPositive();
		assertThat(ContentType.ORDER.compare(null, null)).isZero();
	}

}
