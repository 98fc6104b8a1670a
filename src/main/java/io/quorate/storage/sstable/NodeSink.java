package io.quorate.storage.sstable;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

import io.quorate.entry.Key;
import io.quorate.storage.record.EntryCodec;
import io.quorate.storage.record.StoredEntry;
import org.mapdb.SortedTableMap;

/**
 * MapDB's sink of a new table, with nodes that are bounded by their bytes instead of by
 * their number of entries: a node is the unit that a lookup searches, and that pages are
 * filled with.
 */
final class NodeSink {

	/** Overhead of one item in a node of keys and one in a node of entries. */
	private static final int ITEM_OVERHEAD_BYTES = 2 * Short.BYTES;

	/** The distances of its keys and its entries in the page, and their number. */
	private static final int NODE_OVERHEAD_BYTES = 2 * Integer.BYTES + Short.BYTES;

	/** The size of pages and that at which a node ends, in bytes. */
	record Sizes(int pageBytes, int nodeBytes) {
	}

	private final WritingVolume volume;

	private final EntryNodeSerializer entries;

	private final int nodeSizeBytes;

	private final SortedTableMap.Sink<byte[], StoredEntry> sink;

	private final MethodHandle endNode;

	private int openNodeBytes;

	private long contentBytes;

	private long openPageBytes = PartialVolume.HEADER_SIZE_BYTES;

	NodeSink(WritingVolume volume, KeyNodeSerializer keys, EntryNodeSerializer entries, Sizes sizes) {
		this.volume = volume;
		this.entries = entries;
		this.nodeSizeBytes = sizes.nodeBytes();
		this.sink = SortedTableMap.create(volume, keys, entries)
			.pageSize(sizes.pageBytes())
			.nodeSize(Integer.MAX_VALUE)
			.createFromSink();
		this.endNode = endNodeOf(this.sink);
	}

	void put(Key key, StoredEntry entry) {
		int size = key.size() + EntryCodec.size(entry) + ITEM_OVERHEAD_BYTES;
		if (this.openNodeBytes > 0 && this.openNodeBytes + size > this.nodeSizeBytes) {
			endNode();
		}
		this.sink.put(key.array(), entry);
		this.openNodeBytes += size;
		this.contentBytes += size;
	}

	SortedTableMap<byte[], StoredEntry> create() {
		endNode();
		return this.sink.create();
	}

	/** Size of all nodes before they are compressed. */
	long contentBytes() {
		return this.contentBytes;
	}

	/** Size of all nodes that are written. */
	long storedBytes() {
		return this.contentBytes - this.openNodeBytes - this.entries.savedBytes();
	}

	/** Approximate number of bytes that the pages will take. */
	long sizeBytes() {
		return this.volume.length() + this.openPageBytes + this.openNodeBytes;
	}

	private void endNode() {
		long before = this.volume.length();
		long savedBefore = this.entries.savedBytes();
		try {
			this.endNode.invokeExact();
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new IllegalStateException("MapDB threw an undeclared exception", ex);
		}
		long storedBytes = NODE_OVERHEAD_BYTES + this.openNodeBytes - (this.entries.savedBytes() - savedBefore);
		this.openPageBytes = ((this.volume.length() == before) ? this.openPageBytes : 0) + storedBytes;
		this.openNodeBytes = 0;
	}

	/*
	 * The sink is an anonymous class of Kotlin, public for the JVM but without a name in
	 * Java.
	 */
	private static MethodHandle endNodeOf(SortedTableMap.Sink<byte[], StoredEntry> sink) {
		try {
			return MethodHandles.publicLookup()
				.findVirtual(sink.getClass(), "pairsToNodes", MethodType.methodType(void.class))
				.bindTo(sink);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("this version of MapDB has no method that ends a node", ex);
		}
	}

}
