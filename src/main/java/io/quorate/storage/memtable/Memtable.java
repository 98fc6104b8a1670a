package io.quorate.storage.memtable;

import java.util.Comparator;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.ApplyResult.Applied;
import io.quorate.storage.ApplyResult.Superseded;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.sstable.TableCursor;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one log segment, each key's newest only. One thread inserts, any number
 * read meanwhile.
 * <p>
 * Keys and entries are bytes in a few large pieces, and what leads to them is numbers in
 * others: what a memtable holds lives long enough for the collector to copy it several
 * times, and pays by the object. What is replaced stays until the flush, so a memtable
 * takes about as much as its segment. A key is found by its hash; the order is for scans
 * and the flush, and is paid for by a key's first write alone. Both lead to the same
 * node, whose entry is set when it stands in both: whoever has seen an entry in one way
 * sees it in the other.
 */
public final class Memtable {

	/*
	 * What the table of keys has room for at least and at most without growing, which the
	 * log's thread has to wait for.
	 */
	private static final int LEAST_EXPECTED_KEYS = 1 << 14;

	private static final int MOST_EXPECTED_KEYS = 1 << 20;

	private final long segment;

	private final EntryBytes bytes = new EntryBytes();

	private final KeyNodes nodes = new KeyNodes();

	private final KeyOrder order;

	private final KeyTable table;

	private final Set<Long> valueFiles = ConcurrentHashMap.newKeySet();

	private final Comparator<StoredEntry> byValue;

	private volatile int keys;

	private volatile long sizeBytes;

	private volatile long valueBytes;

	private volatile Timestamp newest = Timestamp.ZERO;

	private volatile Timestamp oldest = Timestamp.MAX;

	/**
	 * An empty memtable.
	 * @param segment number of the log segment that it is tied to
	 * @param byValue compares the values of two entries that nothing else tells apart
	 */
	public Memtable(long segment, Comparator<StoredEntry> byValue) {
		this(segment, byValue, LEAST_EXPECTED_KEYS);
	}

	private Memtable(long segment, Comparator<StoredEntry> byValue, int expectedKeys) {
		this.segment = segment;
		this.byValue = byValue;
		RandomGenerator random = new SplittableRandom();
		this.order = new KeyOrder(this.nodes, this.bytes, random);
		this.table = new KeyTable(this.nodes, this.bytes, this.order, expectedKeys, random.nextLong());
	}

	/** An empty one for the entries that come next: about as many keys as here. */
	public Memtable next(long nextSegment) {
		return new Memtable(nextSegment, this.byValue, Math.clamp(keys(), LEAST_EXPECTED_KEYS, MOST_EXPECTED_KEYS));
	}

	/** Number of the log segment that holds the same entries. */
	public long segment() {
		return this.segment;
	}

	/**
	 * How much heap what was inserted takes; room that is kept for the first entries, at
	 * most some 1.5 MB, is not counted.
	 */
	public long sizeBytes() {
		return this.sizeBytes;
	}

	/**
	 * How much of the value files entries refer to which were inserted here or are in the
	 * segment, though superseded: what stays on the disk for its sake.
	 */
	public long valueBytes() {
		return this.valueBytes;
	}

	/** Whether nothing was inserted. */
	public boolean isEmpty() {
		return this.keys == 0;
	}

	/** Number of keys. */
	public int keys() {
		return this.keys;
	}

	/** The latest timestamp inserted. */
	public Timestamp newest() {
		return this.newest;
	}

	/** The earliest timestamp inserted. */
	public Timestamp oldest() {
		return this.oldest;
	}

	/**
	 * Numbers of the value files that entries refer to which were inserted here or are in
	 * the segment, though superseded.
	 */
	public Set<Long> valueFiles() {
		return this.valueFiles;
	}

	/**
	 * Inserts an entry, unless a newer one of the key is here. The very same entry again
	 * leaves the first one, with its sequence number; but a value in a file is that which
	 * was written last: it comes again because a peer has read the one before in vain.
	 * Called by one thread at a time.
	 */
	@SuppressWarnings("NonAtomicVolatileUpdate") // one thread inserts, the others read
	public ApplyResult insert(Key key, StoredEntry entry) {
		if (entry.payload() instanceof Reference reference) {
			this.valueFiles.add(reference.file());
			this.valueBytes += reference.length();
		}
		long hash = key.hash64();
		int node = this.table.find(key, hash);
		if (node == KeyNodes.HEAD) {
			node = this.order.add(key);
			this.table.add(node, hash);
			this.keys++;
		}
		int before = this.nodes.entry(node);
		if (before != EntryBytes.NOWHERE) {
			ApplyResult kept = keptBefore(node, before, entry);
			if (kept != null) {
				return kept;
			}
		}
		put(node, entry);
		return new Applied(entry.sequence());
	}

	private void put(int node, StoredEntry entry) {
		int place = this.bytes.add(entry);
		account(entry);
		this.nodes.entry(node, place);
	}

	/** What is to say when the entry before is kept, {@code null} when it is not. */
	private @Nullable ApplyResult keptBefore(int node, int before, StoredEntry entry) {
		Timestamp written = this.bytes.timestamp(before);
		if (entry.timestamp().isAfter(written)) {
			return null;
		}
		StoredEntry held = this.bytes.entry(before);
		int order = Versioned.compare(held, entry, this.byValue);
		if (order == 0) {
			if (entry.payload() instanceof Reference) {
				put(node, held.withPayload(entry.payload()));
			}
			return new Applied(held.sequence());
		}
		return (order > 0) ? new Superseded(written, true) : null;
	}

	private void account(StoredEntry entry) {
		this.sizeBytes = this.bytes.sizeBytes() + this.nodes.sizeBytes() + this.table.grownBytes();
		if (entry.timestamp().isAfter(this.newest)) {
			this.newest = entry.timestamp();
		}
		if (this.oldest.isAfter(entry.timestamp())) {
			this.oldest = entry.timestamp();
		}
	}

	/** The entry of a key, or {@code null}. */
	public @Nullable StoredEntry get(Key key) {
		return get(key, key.hash64());
	}

	/**
	 * The entry of a key, or {@code null}.
	 * @param hash the key's {@link Key#hash64()}
	 */
	public @Nullable StoredEntry get(Key key, long hash) {
		int place = place(key, hash);
		return (place != EntryBytes.NOWHERE) ? this.bytes.entry(place) : null;
	}

	/**
	 * When the entry of a key was written, or {@code null}. Reads nothing else of it.
	 * @param hash the key's {@link Key#hash64()}
	 */
	public @Nullable Timestamp timestamp(Key key, long hash) {
		int place = place(key, hash);
		return (place != EntryBytes.NOWHERE) ? this.bytes.timestamp(place) : null;
	}

	private int place(Key key, long hash) {
		int node = this.table.find(key, hash);
		return (node != KeyNodes.HEAD) ? this.nodes.entry(node) : EntryBytes.NOWHERE;
	}

	/** Goes through the entries in key order from {@code start}, inclusive. */
	public TableCursor cursor(@Nullable Key start) {
		return new Cursor((start != null) ? this.order.lastBefore(start) : KeyNodes.HEAD, start);
	}

	/** What comes in meanwhile behind where it stands, it finds. */
	private final class Cursor implements TableCursor {

		private int at;

		private @Nullable Key start;

		private Cursor(int before, @Nullable Key start) {
			this.at = before;
			this.start = start;
		}

		@Override
		public @Nullable KeyedEntry next() {
			for (int next = following(); next != KeyNodes.HEAD; next = following()) {
				this.at = next;
				int place = Memtable.this.nodes.entry(next);
				if (place != EntryBytes.NOWHERE && !isBeforeStart(next)) {
					return new KeyedEntry(Memtable.this.bytes.key(Memtable.this.nodes.key(next)),
							Memtable.this.bytes.entry(place));
				}
			}
			return null;
		}

		/* What has come in since between the last key before the start and the start. */
		private boolean isBeforeStart(int node) {
			if (this.start == null) {
				return false;
			}
			if (Memtable.this.bytes.compare(Memtable.this.nodes.key(node), this.start) < 0) {
				return true;
			}
			this.start = null;
			return false;
		}

		private int following() {
			return Memtable.this.nodes.next(this.at, 0);
		}

	}

}
