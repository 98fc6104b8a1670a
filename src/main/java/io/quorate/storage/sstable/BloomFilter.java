package io.quorate.storage.sstable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A blocked Bloom filter (Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient
 * Bloom Filters", 2007): all bits of a key lie in one block of 64 bytes, so that a probe
 * reads one cache line. Outside the heap; immutable once built; safe for any number of
 * threads until its arena is closed.
 * <p>
 * About one in a hundred absent keys passes; a key that was added always does.
 */
final class BloomFilter {

	private static final int BITS_PER_KEY = 10;

	private static final int PROBES = 6;

	private static final int BLOCK_SIZE_BYTES = 64;

	private static final int BLOCK_SIZE_BITS = BLOCK_SIZE_BYTES * Byte.SIZE;

	private static final int BIT_INDEX_BITS = 9;

	private static final int WORD_INDEX_BITS = 6;

	private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

	private final MemorySegment bits;

	private final int blocks;

	private BloomFilter(MemorySegment bits) {
		this.bits = bits;
		this.blocks = Math.toIntExact(bits.byteSize() / BLOCK_SIZE_BYTES);
	}

	/** The filter of the keys with these hashes. */
	static BloomFilter of(HashList hashes, Arena arena) {
		BloomFilter filter = new BloomFilter(
				arena.allocate(blocksFor(hashes.size()) * BLOCK_SIZE_BYTES, BLOCK_SIZE_BYTES));
		for (int i = 0; i < hashes.size(); i++) {
			filter.add(hashes.get(i));
		}
		return filter;
	}

	/** Approximate number of bytes that the filter of so many keys takes in a file. */
	static long encodedSizeBytes(long keys) {
		return Integer.BYTES + blocksFor(keys) * BLOCK_SIZE_BYTES;
	}

	/** Whether the key with this hash may have been added. */
	boolean mayContain(long hash) {
		long mixed = mix(hash);
		long block = blockOffset(mixed);
		long indices = bitIndices(mixed);
		for (int i = 0; i < PROBES; i++) {
			if ((this.bits.get(WORD, block + wordOffset(indices)) & mask(indices)) == 0) {
				return false;
			}
			indices >>>= BIT_INDEX_BITS;
		}
		return true;
	}

	int encodedSizeBytes() {
		return Math.toIntExact(Integer.BYTES + this.bits.byteSize());
	}

	void write(ByteBuffer to) {
		to.putInt(this.blocks);
		to.put(this.bits.asByteBuffer());
	}

	static BloomFilter read(ByteBuffer from, Arena arena) {
		int size = Math.multiplyExact(from.getInt(), BLOCK_SIZE_BYTES);
		MemorySegment bits = arena.allocate(size, BLOCK_SIZE_BYTES);
		bits.copyFrom(MemorySegment.ofBuffer(from).asSlice(0, size));
		from.position(from.position() + size);
		return new BloomFilter(bits);
	}

	private void add(long hash) {
		long mixed = mix(hash);
		long block = blockOffset(mixed);
		long indices = bitIndices(mixed);
		for (int i = 0; i < PROBES; i++) {
			long word = block + wordOffset(indices);
			this.bits.set(WORD, word, this.bits.get(WORD, word) | mask(indices));
			indices >>>= BIT_INDEX_BITS;
		}
	}

	private static long blocksFor(long keys) {
		return Math.max(1, Math.ceilDiv(keys * BITS_PER_KEY, BLOCK_SIZE_BITS));
	}

	/*
	 * The hash also decides the partition of a key, and a node holds the keys of some
	 * partitions only. So the bits of the hash are not used as they are, or some blocks
	 * would get more keys than other blocks. The mixer is the finalizer of MurmurHash3.
	 */
	static long mix(long hash) {
		long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
		mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
		return mixed ^ (mixed >>> 33);
	}

	private long blockOffset(long mixed) {
		return (((mixed >>> Integer.SIZE) * this.blocks) >>> Integer.SIZE) * BLOCK_SIZE_BYTES;
	}

	private static long bitIndices(long mixed) {
		long indices = mixed * 0x9e3779b97f4a7c15L;
		return indices ^ (indices >>> Integer.SIZE);
	}

	private static long wordOffset(long indices) {
		return (indices & (BLOCK_SIZE_BITS - 1)) >>> WORD_INDEX_BITS << 3;
	}

	private static long mask(long indices) {
		return 1L << (indices & ((1 << WORD_INDEX_BITS) - 1));
	}

}
