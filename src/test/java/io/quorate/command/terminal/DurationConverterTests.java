package io.quorate.command.terminal;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.convert.DurationStyle;
import picocli.CommandLine.TypeConversionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Lengths of time, beside the properties of a node. */
class DurationConverterTests {

	private final DurationConverter converter = new DurationConverter();

	@ParameterizedTest
	@ValueSource(strings = { "500ms", "2s", "5m", "1h", "1d", "3650d", "1H", "+2s", "2000000ns", "3000us", "PT1H30M",
			"pt0.5s", "P1D" })
	void aTimeHasTheFormsOfAProperty(String text) {
		assertThat(this.converter.convert(text)).isEqualTo(DurationStyle.detectAndParse(text));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "5", "h", "1 h", "1w", "1y", "0s", "-1s", "PT0S", "PT-1S", "1us", "PT0.0001S", "1.5s",
			"999999999999999999d", "9999999999999999999s", "36501d", "1h30m", "\u0661s" })
	void anotherFormIsRefusedWithThoseThatAreRight(String text) {
		assertThatExceptionOfType(TypeConversionException.class).isThrownBy(() -> this.converter.convert(text))
			.withMessageStartingWith("'" + text + "' is no time ")
			.withMessageContaining("such as 500ms, 2s, 5m, 1h or 1d");
	}

	@ParameterizedTest
	@ValueSource(strings = { "36500d" })
	void theLongestTimeIsWholeInNanoseconds(String text) {
		assertThat(this.converter.convert(text)).isLessThan(Duration.ofNanos(Long.MAX_VALUE));
	}

}
