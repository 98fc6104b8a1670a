package io.quorate.entry;

import java.util.AbstractSet;
import java.util.BitSet;
import java.util.PrimitiveIterator;
import java.util.Set;

/**
 * A set of the numbers of partitions, of which a look-up allocates nothing. Immutable.
 */
public final class PartitionSet extends AbstractSet<Integer> {

	private final BitSet numbers;

	private final int size;

	private PartitionSet(BitSet numbers) {
		this.numbers = numbers;
		this.size = numbers.cardinality();
	}

	/**
	 * The set of the numbers of some partitions.
	 * @throws IllegalArgumentException when there is no such partition
	 */
	public static PartitionSet of(Set<Integer> numbers) {
		if (numbers instanceof PartitionSet same) {
			return same;
		}
		BitSet bits = new BitSet(Partitions.COUNT);
		for (int number : numbers) {
			if (number < 0 || number >= Partitions.COUNT) {
				throw noPartition(number);
			}
			bits.set(number);
		}
		return new PartitionSet(bits);
	}

	/** As above, of the bits that are set. */
	public static PartitionSet of(BitSet numbers) {
		if (numbers.length() > Partitions.COUNT) {
			throw noPartition(numbers.length() - 1);
		}
		return new PartitionSet((BitSet) numbers.clone());
	}

	private static IllegalArgumentException noPartition(int number) {
		return new IllegalArgumentException("there is no partition %d".formatted(number));
	}

	/** Whether a partition is in the set. */
	public boolean has(int partition) {
		return this.numbers.get(partition);
	}

	/** Whether a partition is in both sets. */
	public boolean intersects(PartitionSet other) {
		return this.numbers.intersects(other.numbers);
	}

	@Override
	public boolean contains(Object number) {
		return number instanceof Integer partition && partition >= 0 && has(partition);
	}

	@Override
	public PrimitiveIterator.OfInt iterator() {
		return this.numbers.stream().iterator();
	}

	@Override
	public int size() {
		return this.size;
	}

}
