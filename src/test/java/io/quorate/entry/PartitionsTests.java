package io.quorate.entry;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PartitionsTests {

	@Test
	void partitionsAreRangesOfTheHash() {
		assertThat(Partitions.of(0)).isZero();
		assertThat(Partitions.of((1L << 50) - 1)).isZero();
		assertThat(Partitions.of(1L << 50)).isOne();
		assertThat(Partitions.of(-1)).isEqualTo(Partitions.COUNT - 1);
		Key key = Key.of("key");
		assertThat(Partitions.of(key)).isEqualTo(Partitions.of(key.hash64()));
	}

}
