package io.quorate.storage.memtable;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.ApplyResult.Applied;
import io.quorate.storage.ApplyResult.Superseded;
import io.quorate.storage.record.EntryCodec;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.sstable.TableCursor;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one log segment, each key's newest only. One thread inserts, any number
 * read meanwhile.
 * <p>
 * An entry is kept as its bytes, one object instead of five: what a memtable holds lives
 * long enough for the collector to copy it several times, and pays by the object. A key
 * is found by its hash; the order is for scans and the flush, and is paid for by a key's
 * first write alone. Both lead to the same place, which is empty until it stands in both:
 * whoever has seen an entry in one way sees it in the other.
 */
public final class Memtable {

	/**
	 * Heap that an entry takes besides the bytes of its key and its own: the headers of
	 * the objects, its place, and the nodes of the hash table and of the skip list.
	 */
	private static final int ENTRY_OVERHEAD = 150;

	/*
	 * What the table of keys has room for at least and at most without growing, which the
	 * log's thread has to wait for.
	 */
	private static final int LEAST_EXPECTED_KEYS = 1 << 14;

	private static final int MOST_EXPECTED_KEYS = 1 << 20;

	private final long segment;

	private final ConcurrentHashMap<Key, Place> places;

	private final ConcurrentSkipListMap<Key, Place> ordered = new ConcurrentSkipListMap<>();

	private final Set<Long> valueFiles = ConcurrentHashMap.newKeySet();

	private final Comparator<StoredEntry> byValue;

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
		this.places = new ConcurrentHashMap<>(expectedKeys);
	}

	/** An empty one for the entries that come next: about as many keys as here. */
	public Memtable next(long nextSegment) {
		return new Memtable(nextSegment, this.byValue, Math.clamp(keys(), LEAST_EXPECTED_KEYS, MOST_EXPECTED_KEYS));
	}

	/** Number of the log segment that holds the same entries. */
	public long segment() {
		return this.segment;
	}

	/** About how much heap it takes. */
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
		return this.places.isEmpty();
	}

	/** Number of keys. */
	public int keys() {
		return this.places.size();
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
	 * leaves the first one, with its sequence number. Called by one thread at a time.
	 */
	@SuppressWarnings("NonAtomicVolatileUpdate") // one thread inserts, the others read
	public ApplyResult insert(Key key, StoredEntry entry) {
		if (entry.payload() instanceof Reference reference) {
			this.valueFiles.add(reference.file());
			this.valueBytes += reference.length();
		}
		byte[] bytes = EntryCodec.toBytes(entry);
		Place place = this.places.get(key);
		if (place == null) {
			place = prepare(key);
		}
		byte[] before = place.bytes;
		if (before == null) {
			account(entry, ENTRY_OVERHEAD + key.size() + bytes.length);
		}
		else {
			StoredEntry held = read(before);
			int order = Versioned.compare(held, entry, this.byValue);
			if (order == 0) {
				return new Applied(held.sequence());
			}
			if (order > 0) {
				return new Superseded(held.timestamp());
			}
			account(entry, bytes.length - before.length);
		}
		place.bytes = bytes;
		return new Applied(entry.sequence());
	}

	private Place prepare(Key key) {
		Place place = new Place();
		this.ordered.put(key, place);
		this.places.put(key, place);
		return place;
	}

	@SuppressWarnings("NonAtomicVolatileUpdate") // one thread inserts, the others read
	private void account(StoredEntry entry, int grownBytes) {
		this.sizeBytes += grownBytes;
		if (entry.timestamp().isAfter(this.newest)) {
			this.newest = entry.timestamp();
		}
		if (this.oldest.isAfter(entry.timestamp())) {
			this.oldest = entry.timestamp();
		}
	}

	/** The entry of a key, or {@code null}. */
	public @Nullable StoredEntry get(Key key) {
		byte[] bytes = bytes(key);
		return (bytes != null) ? read(bytes) : null;
	}

	/** When the entry of a key was written, or {@code null}. Reads nothing else of it. */
	public @Nullable Timestamp timestamp(Key key) {
		byte[] bytes = bytes(key);
		return (bytes != null) ? EntryCodec.timestamp(bytes) : null;
	}

	private byte @Nullable [] bytes(Key key) {
		Place place = this.places.get(key);
		return (place != null) ? place.bytes : null;
	}

	private static StoredEntry read(byte[] bytes) {
		return EntryCodec.read(ByteBuffer.wrap(bytes), 0, bytes.length);
	}

	/** Goes through the entries in key order from {@code start}, inclusive. */
	public TableCursor cursor(@Nullable Key start) {
		Map<Key, Place> rest = (start != null) ? this.ordered.tailMap(start, true) : this.ordered;
		Iterator<Map.Entry<Key, Place>> iterator = rest.entrySet().iterator();
		return () -> {
			while (iterator.hasNext()) {
				Map.Entry<Key, Place> next = iterator.next();
				byte[] bytes = next.getValue().bytes;
				if (bytes != null) {
					return new KeyedEntry(next.getKey(), read(bytes));
				}
			}
			return null;
		};
	}

	/**
	 * Where a key's newest entry is: to find it is to be able to replace it. Empty at
	 * first, never again later.
	 */
	private static final class Place {

		private volatile byte @Nullable [] bytes;

	}

}
