package io.quorate.storage.sstable;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A cache of the positions at which lookups have found keys in open tables, so that the
 * next lookup of such a key searches neither pages nor nodes. On the heap, of a fixed
 * size: eight bytes for a key, whatever the length of the key and its value. A new
 * position replaces the oldest one of its set, however often that was read.
 * <p>
 * An answer may be wrong, once in tens of millions of times: the cache knows keys by a
 * part of their hash only, and does not learn when a table is closed. So the caller
 * compares the key at the position that it gets. Safe for any number of threads, which do
 * not wait for each other.
 */
public final class KeyCache {

	/** Remembers nothing. */
	static final KeyCache NONE = new KeyCache(0);

	/*
	 * A position may stand in any slot of its set. A key has one set for all tables, so
	 * that a lookup in several tables waits for the memory once.
	 */
	private static final int SLOTS_OF_SET = 4;

	private static final int MAX_SETS = 1 << 27;

	/* A factor of 64 bits: its multiples differ in their upper bits, too. */
	private static final long GOLDEN_RATIO = 0x9e3779b97f4a7c15L;

	/*
	 * Neither volatile nor written atomically: a slot only decides where a thread looks
	 * first.
	 */
	private final long[] slots;

	private final AtomicLong tables = new AtomicLong();

	/**
	 * An empty cache, which takes its memory at once.
	 * @param maxBytes bound on its heap memory: the cache takes the largest power of two
	 * that is not above
	 */
	public KeyCache(long maxBytes) {
		long sets = Math.min(MAX_SETS, Long.highestOneBit(maxBytes / (SLOTS_OF_SET * Long.BYTES)));
		this.slots = new long[(int) sets * SLOTS_OF_SET];
	}

	/** The positions in a newly opened table of so many pages. */
	OfTable open(int pages) {
		return new OfTable(this.slots, this.tables.incrementAndGet() * GOLDEN_RATIO, pages);
	}

	/** The positions in one open table. */
	static final class OfTable {

		private final long[] slots;

		private final long salt;

		private final int pages;

		/** Positions with tags of this salt; the number of slots is a power of two. */
		OfTable(long[] slots, long salt, int pages) {
			this.slots = slots;
			this.salt = salt;
			this.pages = pages;
		}

		/**
		 * The position at which the key with this hash may lie, on a page that the table
		 * has; {@link EntryPosition#NONE} when the cache holds none.
		 */
		long find(long hash) {
			if (this.slots.length == 0) {
				return EntryPosition.NONE;
			}
			long mixed = BloomFilter.mix(hash);
			long tag = tag(mixed);
			int set = set(mixed);
			for (int i = set; i < set + SLOTS_OF_SET; i++) {
				long different = this.slots[i] ^ tag;
				if (different >>> Slot.TAG_SHIFT == 0 && Slot.page(different) < this.pages) {
					return Slot.place(different);
				}
			}
			return EntryPosition.NONE;
		}

		/** Remembers the position of the key with this hash, if it fits into a slot. */
		void keep(long hash, long place) {
			if (this.slots.length == 0 || !Slot.hasRoomFor(place)) {
				return;
			}
			long mixed = BloomFilter.mix(hash);
			long tag = tag(mixed);
			int set = set(mixed);
			int last = set;
			while (last < set + SLOTS_OF_SET - 1 && (this.slots[last] ^ tag) >>> Slot.TAG_SHIFT != 0) {
				last++;
			}
			System.arraycopy(this.slots, set, this.slots, set + 1, last - set);
			this.slots[set] = tag | Slot.of(place);
		}

		private long tag(long mixed) {
			return (mixed ^ this.salt) >>> Slot.TAG_SHIFT << Slot.TAG_SHIFT;
		}

		/*
		 * The tag has the upper bits of the hash, the number of the set has the lower
		 * ones.
		 */
		private int set(long mixed) {
			return (int) mixed & (this.slots.length - 1) & -SLOTS_OF_SET;
		}

	}

	/**
	 * A position as the cache holds it, behind a tag of 28 bits: page 16, node 11,
	 * position 9. Positions in pages and nodes of the default sizes fit; a key whose
	 * position does not fit is searched for each time.
	 */
	private static final class Slot {

		private static final int TAG_SHIFT = 36;

		private static final int PAGE_SHIFT = 20;

		private static final int PAGE_MASK = 0xffff;

		private static final int NODE_SHIFT = 9;

		private static final int NODE_MASK = 0x7ff;

		private static final int POSITION_MASK = 0x1ff;

		private static boolean hasRoomFor(long place) {
			return EntryPosition.page(place) <= PAGE_MASK && EntryPosition.node(place) <= NODE_MASK
					&& EntryPosition.position(place) <= POSITION_MASK;
		}

		private static long of(long place) {
			return (long) EntryPosition.page(place) << PAGE_SHIFT | (long) EntryPosition.node(place) << NODE_SHIFT
					| EntryPosition.position(place);
		}

		private static int page(long slot) {
			return (int) (slot >>> PAGE_SHIFT) & PAGE_MASK;
		}

		private static long place(long slot) {
			return EntryPosition.of(page(slot), (int) (slot >>> NODE_SHIFT) & NODE_MASK, (int) slot & POSITION_MASK);
		}

	}

}
