package io.quorate.storage.sstable;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class EntryPositionTests {

	@ParameterizedTest
	@CsvSource({ "0, 0, 0", "1, 2, 3", "65536, 0, 0", "0, 1048575, 0", "0, 0, 1048575", "1048575, 1048575, 1048575" })
	void holdsAllThree(int page, int node, int position) {
		long place = EntryPosition.of(page, node, position);
		assertThat(EntryPosition.page(place)).isEqualTo(page);
		assertThat(EntryPosition.node(place)).isEqualTo(node);
		assertThat(EntryPosition.position(place)).isEqualTo(position);
		assertThat(place).isNotEqualTo(EntryPosition.NONE);
	}

	@ParameterizedTest
	@CsvSource({ "1048576, 0, 0", "0, 1048576, 0", "0, 0, 1048576", "-1, 0, 0", "0, -1, 0", "0, 0, -1" })
	void takesNothingThatHasNoRoom(int page, int node, int position) {
		assertThatIllegalArgumentException().isThrownBy(() -> EntryPosition.of(page, node, position))
			.withMessageContaining("page %d, node %d, position %d", page, node, position);
	}

}
