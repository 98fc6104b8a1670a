package io.quorate.entry;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ScanRangeTests {

	@ParameterizedTest
	@CsvSource({ "b, d, false, c, true", "b, d, false, b, false", "b, , false, b, false", "b, d, true, c, true",
			"b, d, true, d, false", "b, , true, z, true", "b, , true, a, true" })
	void beginsBeforeKeysThatAreFurtherInItsDirection(String start, @Nullable String end, boolean isDescending,
			String key, boolean expected) {
		assertThat(range(start, end, isDescending).beginsBefore(Key.of(key))).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource({ "b, d, false, c, false", "b, d, false, d, true", "b, , false, z, false", "b, d, true, b, false",
			"b, d, true, a, true", "b, , true, a, true", "b, , true, z, false" })
	void isPassedByKeysBehindItsLastBound(String start, @Nullable String end, boolean isDescending, String key,
			boolean expected) {
		assertThat(range(start, end, isDescending).isPassedBy(Key.of(key))).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource({ "b, d, false, c, c, d", "b, , false, c, c, ", "b, d, true, c, b, c", "b, , true, c, b, c" })
	void restKeepsTheBoundThatIsNotReachedYet(String start, @Nullable String end, boolean isDescending, String border,
			String restStart, @Nullable String restEnd) {
		assertThat(range(start, end, isDescending).restFrom(Key.of(border)))
			.isEqualTo(range(restStart, restEnd, isDescending));
	}

	@ParameterizedTest
	@CsvSource({ "b, c, false", "b, b, true", "b, a, true", "b, , false" })
	void isEmptyIfItsEndIsNotBehindItsStart(String start, @Nullable String end, boolean expected) {
		assertThat(range(start, end, false).isEmpty()).isEqualTo(expected);
		assertThat(range(start, end, true).isEmpty()).isEqualTo(expected);
	}

	private static ScanRange range(String start, @Nullable String end, boolean isDescending) {
		return new ScanRange(Key.of(start), (end != null) ? Key.of(end) : null, isDescending);
	}

}
