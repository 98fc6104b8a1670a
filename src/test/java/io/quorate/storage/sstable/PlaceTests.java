package io.quorate.storage.sstable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PlaceTests {

	@ParameterizedTest
	@CsvSource({ "0, 0, 0", "1, 2, 3", "65535, 0, 0", "0, 65535, 0", "0, 0, 65535", "65535, 65535, 65535" })
	void holdsAllThree(int page, int node, int position) {
		long place = Place.of(page, node, position);
		assertThat(Place.page(place)).isEqualTo(page);
		assertThat(Place.node(place)).isEqualTo(node);
		assertThat(Place.position(place)).isEqualTo(position);
		assertThat(place >>> Place.BITS).isZero();
		assertThat(place).isNotEqualTo(Place.NONE);
	}

	@ParameterizedTest
	@CsvSource({ "65536, 0, 0", "0, 65536, 0", "0, 0, 65536", "-1, 0, 0", "0, -1, 0", "0, 0, -1" })
	void takesNothingThatHasNoRoom(int page, int node, int position) {
		assertThatIllegalArgumentException().isThrownBy(() -> Place.of(page, node, position))
			.withMessageContaining("page %d, node %d, position %d", page, node, position);
	}

	@Test
	void nowhereIsNoPlace() {
		assertThat(Place.NONE >>> Place.BITS).isNotZero();
	}

}
