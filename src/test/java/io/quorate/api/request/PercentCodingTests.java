package io.quorate.api.request;

import java.nio.charset.StandardCharsets;

import io.quorate.api.problem.ProblemException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PercentCodingTests {

	@ParameterizedTest
	@CsvSource(textBlock = """
			abc, abc
			a%2Bb, a+b
			a%20b, a b
			%D0%BA%D0%BB%D1%8E%D1%87, ключ
			%d0%ba, к
			%F0%9F%98%80, 😀
			a%25b, a%b
			a=b=c, a=b=c
			%2F/, //
			""")
	void decodesWhatIsWellFormed(String raw, String text) {
		assertThat(PercentCoding.decode("id", raw)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void aPlusIsItselfInAPathAloneAndRefusedInAParameter() {
		assertThat(PercentCoding.decodePath("a+b")).isEqualTo("a+b".getBytes(StandardCharsets.UTF_8));
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> PercentCoding.decode("id", "a+b"))
			.withMessage("parameter 'id' has a bare '+': write %20 for a space, %2B for a plus");
	}

	@ParameterizedTest
	@ValueSource(strings = { "%", "a%", "a%2", "%zz", "%2g", "%g2", "% 20", "%-1", "a%%20" })
	void refusesBrokenEscapes(String raw) {
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> PercentCoding.decode("id", raw))
			.withMessageContaining("'id'")
			.withMessageContaining("broken percent escape")
			.withMessageContaining("%25");
	}

	@ParameterizedTest
	@ValueSource(strings = { "%FF", "%C0%80", "%ED%A0%80", "%D0", "a%80", "%F5%80%80%80", "%E2%82" })
	void refusesWhatIsNotUtf8(String raw) {
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> PercentCoding.decode("id", raw))
			.withMessageContaining("not UTF-8");
	}

}
