package io.quorate.storage.memtable;

import java.util.Comparator;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.storage.ApplyResult.Applied;
import io.quorate.storage.ApplyResult.Superseded;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.TableCursor;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one log segment, each key's newest only. One thread inserts, any number
 * read meanwhile.
 * <p>
 * Keys and entries are bytes in a few large pieces, and the index to them is numbers in
 * others: the content of a memtable lives long enough for the collector to copy it
 * several times, and each object costs. A superseded entry stays until the flush, so a
 * memtable takes about as much as its segment. A key is found by its hash; the order is
 * for scans and the flush, and only a key's first write pays for it. Both lead to the
 * same node, whose entry is set when the node stands in both: a thread that has seen an
 * entry in one way sees it in the other.
 */
public final class Memtable {

	/*
	 * Least and most keys that the table of keys has room for without growing, which the
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
	 * @param byValue compares the values of two entries that differ in nothing else
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

	/**
	 * An empty memtable for the next entries, with room for about as many keys as this
	 * one has.
	 */
	public Memtable next(long nextSegment) {
		return new Memtable(nextSegment, this.byValue, Math.clamp(keys(), LEAST_EXPECTED_KEYS, MOST_EXPECTED_KEYS));
	}

	/** Number of the log segment that holds the same entries. */
	public long segment() {
		return this.segment;
	}

	/**
	 * Number of bytes of heap that the inserted entries take. The room that is kept for
	 * the first entries, at most some 1.5 MB, is not counted.
	 */
	public long sizeBytes() {
		return this.sizeBytes;
	}

	/**
	 * Number of bytes in value files to which entries refer that were inserted here or
	 * are in the segment, though superseded: these bytes stay on the disk because of this
	 * memtable.
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
	 * Numbers of the value files to which entries refer that were inserted here or are in
	 * the segment, though superseded.
	 */
	public Set<Long> valueFiles() {
		return this.valueFiles;
	}

	/**
	 * Inserts an entry, unless the memtable has a newer one of the key. If the very same
	 * entry comes again, the first one stays, with its sequence number. But of a value in
	 * a file, the copy that was written last is used: it comes again because a peer could
	 * not read the one before. Called by one thread at a time.
	 */
	@SuppressWarnings("NonAtomicVolatileUpdate") // one thread inserts, other threads read
	public ApplyResult insert(Key key, StoredEntry entry) {
		leaveOut(entry);
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

	/**
	 * Takes note of an entry that is in the segment and not inserted: its large value
	 * stays as long as the segment.
	 */
	@SuppressWarnings("NonAtomicVolatileUpdate") // one thread inserts, other threads read
	public void leaveOut(StoredEntry entry) {
		if (entry.payload() instanceof Reference reference) {
			this.valueFiles.add(reference.file());
			this.valueBytes += reference.length();
		}
	}

	private void put(int node, StoredEntry entry) {
		int place = this.bytes.add(entry);
		account(entry);
		this.nodes.entry(node, place);
	}

	/** The result when the entry before is kept, {@code null} when it is not. */
	private @Nullable ApplyResult keptBefore(int node, int before, StoredEntry entry) {
		Timestamp written = this.bytes.timestamp(before);
		if (entry.timestamp().isAfter(written)) {
			return null;
		}
		StoredEntry held = this.bytes.entry(before);
		int order = StoredEntry.compareMerged(held, entry, this.byValue);
		if (order == 0) {
			if (entry.payload() instanceof Reference) {
				put(node, held.withPayload(entry.payload()));
			}
			return new Applied(held.sequence());
		}
		return (order > 0) ? new Superseded(written, true, held.lineage() == null) : null;
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
	 * The timestamp of the entry of a key, or {@code null}. Reads nothing else of the
	 * entry.
	 * @param hash the key's {@link Key#hash64()}
	 */
	public @Nullable Timestamp timestamp(Key key, long hash) {
		int place = place(key, hash);
		return (place != EntryBytes.NOWHERE) ? this.bytes.timestamp(place) : null;
	}

	/**
	 * Whether the segment may have an entry of a key that is not newer than a deletion. A
	 * newer entry does not hide it: the older one stays in the segment until the flush,
	 * and a crash may take the newer one alone.
	 * @param hash the key's {@link Key#hash64()}
	 */
	public boolean mayHoldOlder(Key key, long hash, Timestamp deletion) {
		return place(key, hash) != EntryBytes.NOWHERE && !this.oldest.isAfter(deletion);
	}

	private int place(Key key, long hash) {
		int node = this.table.find(key, hash);
		return (node != KeyNodes.HEAD) ? this.nodes.entry(node) : EntryBytes.NOWHERE;
	}

	/** Goes through the entries in key order from {@code start}, inclusive. */
	public TableCursor cursor(@Nullable Key start) {
		return new Cursor((start != null) ? this.order.lastBefore(start) : KeyNodes.HEAD, start);
	}

	/**
	 * Goes through the entries in descending order of keys, from the last one below
	 * {@code end}, or the last of all.
	 */
	public TableCursor descending(@Nullable Key end) {
		return new DescendingCursor(end);
	}

	/**
	 * A cursor that searches for each key before the last one, as the order has no links
	 * back. It also finds entries inserted meanwhile before its position.
	 */
	private final class DescendingCursor implements TableCursor {

		private @Nullable Key end;

		private DescendingCursor(@Nullable Key end) {
			this.end = end;
		}

		@Override
		public @Nullable KeyedEntry next() {
			for (int node = last(); node != KeyNodes.HEAD; node = last()) {
				Key key = Memtable.this.bytes.key(Memtable.this.nodes.key(node));
				this.end = key;
				int place = Memtable.this.nodes.entry(node);
				if (place != EntryBytes.NOWHERE) {
					return new KeyedEntry(key, Memtable.this.bytes.entry(place));
				}
			}
			return null;
		}

		private int last() {
			return (this.end != null) ? Memtable.this.order.lastBefore(this.end) : Memtable.this.order.last();
		}

	}

	/** A cursor that also finds entries inserted meanwhile behind its position. */
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

		/* A key inserted since, between the last key before the start and the start. */
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
