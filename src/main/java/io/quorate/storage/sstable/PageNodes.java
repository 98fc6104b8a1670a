package io.quorate.storage.sstable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.Nullable;
import org.mapdb.DataInput2;

/**
 * Looks keys up within the pages that MapDB has written, in the nodes in place, and can
 * begin at a remembered {@link EntryPosition}. MapDB's own lookup always begins with the
 * first keys of all pages, and copies a key for each node that it looks at. A page,
 * big-endian, distances counted from its beginning:
 *
 * <pre>
 * header of the table 64, on the first page only
 * nodes 4 | distance of each node of keys 4... | of each node of entries 4... | the nodes of keys | those of entries
 * </pre>
 *
 * A node of keys begins with their number, packed as MapDB does.
 */
final class PageNodes {

	private final MappedVolume volume;

	private final KeyNodeSerializer keys;

	private final EntryNodeSerializer entries;

	PageNodes(MappedVolume volume, KeyNodeSerializer keys, EntryNodeSerializer entries) {
		this.volume = volume;
		this.keys = keys;
		this.entries = entries;
	}

	/** Position of a key on a page, or {@link EntryPosition#NONE}. */
	long find(byte[] key, int page) {
		ByteBuffer buffer = this.volume.read(page);
		int nodes = nodes(buffer, page);
		DataInput2.ByteBuffer in = new DataInput2.ByteBuffer(buffer, 0);
		int low = 0;
		int high = nodes - 1;
		while (low < high) {
			int middle = (low + high + 1) >>> 1;
			int count = openKeys(in, page, middle);
			if (this.keys.compare(key, in, count, 0) < 0) {
				high = middle - 1;
			}
			else {
				low = middle;
			}
		}
		int count = openKeys(in, page, low);
		int position = this.keys.valueArrayBinarySearch(key, in, count, this.keys);
		return (position >= 0) ? EntryPosition.of(page, low, position) : EntryPosition.NONE;
	}

	/**
	 * The entry at a position on an existing page, {@code null} when it is not that of
	 * the key.
	 */
	@Nullable StoredEntry entry(byte[] key, long place) {
		int page = EntryPosition.page(place);
		ByteBuffer buffer = this.volume.read(page);
		int nodes = nodes(buffer, page);
		int node = EntryPosition.node(place);
		if (node >= nodes) {
			return null;
		}
		DataInput2.ByteBuffer in = new DataInput2.ByteBuffer(buffer, 0);
		int count = openKeys(in, page, node);
		int position = EntryPosition.position(place);
		if (position >= count || this.keys.compare(key, in, count, position) != 0) {
			return null;
		}
		return entry(in, page, nodes + node, count, position);
	}

	/** The entry at a position that {@link #find} has just returned. */
	StoredEntry entryFound(long place) {
		int page = EntryPosition.page(place);
		int node = EntryPosition.node(place);
		DataInput2.ByteBuffer in = new DataInput2.ByteBuffer(this.volume.buffer(), 0);
		int count = openKeys(in, page, node);
		return entry(in, page, nodes(in.buf, page) + node, count, EntryPosition.position(place));
	}

	private StoredEntry entry(DataInput2.ByteBuffer in, int page, int node, int count, int position) {
		open(in, page, node);
		return this.entries.valueArrayBinaryGet(in, count, position);
	}

	private int nodes(ByteBuffer buffer, int page) {
		return buffer.getInt(this.volume.entranceOf(page));
	}

	/** Goes to a node: nodes of keys come first, then nodes of entries. */
	private void open(DataInput2.ByteBuffer in, int page, int node) {
		int distances = this.volume.entranceOf(page) + Integer.BYTES;
		in.pos = this.volume.startOf(page) + in.buf.getInt(distances + node * Integer.BYTES);
	}

	/** Goes to a node of keys, and returns the number of its keys. */
	private int openKeys(DataInput2.ByteBuffer in, int page, int node) {
		open(in, page, node);
		try {
			return in.unpackInt();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
