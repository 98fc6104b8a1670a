package io.quorate.entry;

import java.util.BitSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PartitionSetTests {

	@Test
	void isASetOfNumbers() {
		PartitionSet set = PartitionSet.of(Set.of(0, 7, Partitions.COUNT - 1));
		assertThat(set).containsExactly(0, 7, Partitions.COUNT - 1).hasSize(3);
		assertThat(set).isEqualTo(Set.of(7, 0, Partitions.COUNT - 1)).hasSameHashCodeAs(Set.of(7, 0, 16_383));
		assertThat(set.contains(7)).isTrue();
		assertThat(set.contains(8)).isFalse();
		assertThat(set.contains(-1)).isFalse();
		assertThat(set.has(0)).isTrue();
		assertThat(set.has(1)).isFalse();
		assertThat(PartitionSet.of(set)).isSameAs(set);
	}

	@Test
	void intersects() {
		PartitionSet set = PartitionSet.of(Set.of(1, 2));
		assertThat(set.intersects(PartitionSet.of(Set.of(2, 3)))).isTrue();
		assertThat(set.intersects(PartitionSet.of(Set.of(3)))).isFalse();
	}

	@Test
	void isNotChangedByItsOrigin() {
		BitSet bits = new BitSet();
		bits.set(3);
		PartitionSet set = PartitionSet.of(bits);
		bits.set(4);
		assertThat(set).containsExactly(3);
	}

	@Test
	void hasNoStrangers() {
		assertThatIllegalArgumentException().isThrownBy(() -> PartitionSet.of(Set.of(-1)));
		assertThatIllegalArgumentException().isThrownBy(() -> PartitionSet.of(Set.of(Partitions.COUNT)));
		BitSet bits = new BitSet();
		bits.set(Partitions.COUNT);
		assertThatIllegalArgumentException().isThrownBy(() -> PartitionSet.of(bits));
	}

}
