package io.quorate.security;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class SecretsTests {

	@ParameterizedTest
	@CsvSource({ "Bearer eyJhbGci.eyJzdWIi.c2ln!, Bearer eyJ***!", "jwt%20eyJhbGci.eyJzdWIi., jwt%20eyJ***",
			"eyJeyJa.b.c, eyJ***", "a.eyJa.b.c, a.eyJ***", "eyJ.eyJ.a, eyJ.eyJ.a", "eyJa.b, eyJa.b",
			"qk_a-1_0123456789abcdef qk_b_0123456789ABCDEF_, qk_a-1_*** qk_b_***",
			"qk_a_0123456789abcde, qk_a_0123456789abcde", "nqk_a_0123456789abcdeyJa.tar.gz, nqk_a_***.tar.gz",
			"qk_eyJhbGci.eyJzdWIi.c2ln, qk_eyJ***", "qk_a_eyJhbGci.eyJzdWIi.c2ln, qk_a_eyJ***" })
	void aSecretIsHiddenAndTheTextBeforeItKept(String text, String hidden) {
		assertThat(Secrets.hidden(text)).isEqualTo(hidden);
	}

	@ParameterizedTest
	@ValueSource(strings = { "eyJ", "eyJ.", "eyJa", "a.eyJ", "qk_", "qk_a_", "qk_a_.", "aqk_a-eyJ", "-" })
	void eachCharacterIsLookedAtAFewTimes(String repeated) {
		Counted text = new Counted(repeated.repeat(4096));
		assertThat(Secrets.searched(text)).isNotEmpty();
		assertThat(text.looks).isPositive().isLessThan(64L * text.length());
	}

	@Test
	void aTextWithoutSecretsIsTheSame() {
		String text = "a node says qk and ey";
		assertThat(Secrets.hidden(text)).isSameAs(text);
	}

	/** A text that counts how often it is looked at. */
	private static final class Counted implements CharSequence {

		private final String text;

		private long looks;

		private Counted(String text) {
			this.text = text;
		}

		@Override
		public int length() {
			return this.text.length();
		}

		@Override
		public char charAt(int index) {
			this.looks++;
			return this.text.charAt(index);
		}

		@Override
		public CharSequence subSequence(int start, int end) {
			return this.text.subSequence(start, end);
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

}
