package io.quorate.coordinator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ConsistencyTests {

	@ParameterizedTest
	@CsvSource(textBlock = """
			0, 0, 1, 1, 1
			0, 0, 3, 2, 3
			0, 0, 4, 3, 4
			2, 0, 3, 2, 3
			2, 0, 5, 2, 5
			4, 0, 3, 3, 3
			0, 3, 5, 2, 3
			0, 5, 3, 2, 3
			2, 3, 5, 2, 3
			3, 3, 2, 2, 2
			1, 3, 1, 1, 1
			""")
	void aPlanHasNumbersThatItsLayoutAllows(int ack, int from, int factor, int acks, int copies) {
		assertThat(new Consistency(ack, from).at(factor)).isEqualTo(new Consistency(acks, copies));
	}

	@Test
	void moreAcksThanCopiesAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new Consistency(3, 2));
		assertThatIllegalArgumentException().isThrownBy(() -> new Consistency(-1, 3));
		assertThatIllegalArgumentException().isThrownBy(() -> new Consistency(1, -1));
	}

}
