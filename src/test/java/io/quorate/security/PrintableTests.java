package io.quorate.security;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class PrintableTests {

	@Test
	void plainTextIsPrintedAsItIs() {
		String plain = "n-0.example: a b c, \u00e4\u4e2d";
		assertThat(Printable.of(plain, 80)).isSameAs(plain);
		assertThat(Printable.of(null, 80)).isEqualTo("null");
	}

	@Test
	void aCharacterThatCouldMisleadIsEscaped() {
		assertThat(Printable.of("a\nb\r\t\u001b[2J\u0085\u2028\u202e\\n\ud800", 80))
			.isEqualTo("a\\u000ab\\u000d\\u0009\\u001b[2J\\u0085\\u2028\\u202e\\\\n\\ud800");
	}

	@ParameterizedTest
	@CsvSource({ "80, 80", "81, 83", "65536, 83" })
	void aTextThatIsTooLongIsTruncated(int sent, int printed) {
		assertThat(Printable.of("x".repeat(sent), 80)).hasSize(printed).startsWith("x".repeat(80));
	}

	@Test
	void nothingIsCutInTheMiddleOfAnEscape() {
		assertThat(Printable.of("x".repeat(77) + "\n\n", 80)).isEqualTo("x".repeat(77) + "...");
	}

}
