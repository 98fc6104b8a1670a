package io.quorate.storage.sstable;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Remembers where lookups have found keys in open tables, so that the next lookup of such
 * a key searches neither pages nor nodes. On the heap, of a fixed size: eight bytes for a
 * key, whatever its length and that of its value. What was found last takes the place of
 * what was found before.
 * <p>
 * It may be wrong: it knows keys by a part of their hash only, and does not hear of
 * tables that are closed. Whoever asks compares the key at the place that it is told.
 * Safe for any number of threads, which do not wait for each other.
 */
public final class KeyCache {

	/** Remembers nothing. */
	static final KeyCache NONE = new KeyCache(0);

	/*
	 * A place may stand in any slot of its set, which is half of a cache line of the
	 * processor, and the same for a key in all tables: what was found last stands first,
	 * and pushes the others on.
	 */
	private static final int SLOTS_OF_SET = 4;

	private static final int MAX_SETS = 1 << 27;

	/* Of 64 bits: its multiples differ in their upper bits, too. */
	private static final long GOLDEN_RATIO = 0x9e3779b97f4a7c15L;

	/*
	 * Not volatile, and not written at once: whatever a thread reads there is only where
	 * it looks first.
	 */
	private final long[] slots;

	private final AtomicLong tables = new AtomicLong();

	/**
	 * An empty cache.
	 * @param maxBytes of heap that it may take: the largest power of two that is not
	 * above
	 */
	public KeyCache(long maxBytes) {
		long sets = Math.min(MAX_SETS, Long.highestOneBit(maxBytes / (SLOTS_OF_SET * Long.BYTES)));
		this.slots = new long[(int) sets * SLOTS_OF_SET];
	}

	/** The places in one table of so many pages, from when it is opened. */
	OfTable open(int pages, TableListener listener) {
		return new OfTable(this.slots, this.tables.incrementAndGet() * GOLDEN_RATIO, pages, listener);
	}

	/** The places in one open table. */
	static final class OfTable {

		private final long[] slots;

		private final long salt;

		private final int pages;

		private final TableListener listener;

		private OfTable(long[] slots, long salt, int pages, TableListener listener) {
			this.slots = slots;
			this.salt = salt;
			this.pages = pages;
			this.listener = listener;
		}

		/**
		 * Where the key with this hash may lie, on a page that the table has;
		 * {@link Place#NONE} when that is not remembered.
		 */
		long find(long hash) {
			if (this.slots.length == 0) {
				return Place.NONE;
			}
			long mixed = BloomFilter.mix(hash);
			long tag = tag(mixed);
			int set = set(mixed);
			for (int i = set; i < set + SLOTS_OF_SET; i++) {
				long different = this.slots[i] ^ tag;
				if (different >>> Place.BITS == 0 && Place.page(different) < this.pages) {
					return different;
				}
			}
			return Place.NONE;
		}

		/** Remembers where the key with this hash lies. */
		void keep(long hash, long place) {
			if (this.slots.length == 0) {
				return;
			}
			long mixed = BloomFilter.mix(hash);
			int set = set(mixed);
			System.arraycopy(this.slots, set, this.slots, set + 1, SLOTS_OF_SET - 1);
			this.slots[set] = tag(mixed) | place;
		}

		/** A lookup that was told a place, or had to search. */
		void told(boolean fromCache) {
			this.listener.keyLocated(fromCache);
		}

		/* The set has the lower bits of the hash. */
		private long tag(long mixed) {
			return (mixed ^ this.salt) >>> Place.BITS << Place.BITS;
		}

		private int set(long mixed) {
			return (int) mixed & (this.slots.length - 1) & -SLOTS_OF_SET;
		}

	}

}
