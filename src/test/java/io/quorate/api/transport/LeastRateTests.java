package io.quorate.api.transport;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class LeastRateTests {

	@ParameterizedTest
	@CsvSource({ "0, 0, false", "0, 4999, false", "0, 5001, true", "16384, 6000, false", "16383, 6001, true",
			"1000000, 60000, false", "1000000, 66100, true" })
	void countsFromTheEndOfTheGrace(long bytes, long millis, boolean below) {
		assertThat(LeastRate.isBelow(bytes, millis * 1_000_000)).isEqualTo(below);
	}

}
