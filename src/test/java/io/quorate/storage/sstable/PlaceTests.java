package io.quorate.storage.sstable;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PlaceTests {

	@ParameterizedTest
	@CsvSource({ "0, 0, 0", "1, 2, 3", "65536, 0, 0", "0, 1048575, 0", "0, 0, 1048575", "1048575, 1048575, 1048575" })
	void holdsAllThree(int page, int node, int position) {
		long place = Place.of(page, node, position);
		assertThat(Place.page(place)).isEqualTo(page);
		assertThat(Place.node(place)).isEqualTo(node);
		assertThat(Place.position(place)).isEqualTo(position);
		assertThat(place).isNotEqualTo(Place.NONE);
	}

	@ParameterizedTest
	@CsvSource({ "1048576, 0, 0", "0, 1048576, 0", "0, 0, 1048576", "-1, 0, 0", "0, -1, 0", "0, 0, -1" })
	void takesNothingThatHasNoRoom(int page, int node, int position) {
		assertThatIllegalArgumentException().isThrownBy(() -> Place.of(page, node, position))
			.withMessageContaining("page %d, node %d, position %d", page, node, position);
	}

}
