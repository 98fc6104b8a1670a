package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;

import org.mapdb.DataInput2;
import org.mapdb.DataOutput2;

/**
 * The bytes of a node, of keys and of entries alike: the end of each item as an unsigned
 * 16-bit distance from the end of these distances, then the items one after the other. So
 * any item is found without a look at the other items.
 */
final class NodeLayout {

	/** The most bytes that the items of a node may take together. */
	static final int MAX_ITEMS_SIZE_BYTES = 0xffff;

	private NodeLayout() {
	}

	/** Writes the end of an item; to be called once for each item, before the items. */
	static void writeEnd(DataOutput2 out, int end) throws IOException {
		if (end > MAX_ITEMS_SIZE_BYTES) {
			throw new IllegalStateException("a node of %d bytes, at most %d fit".formatted(end, MAX_ITEMS_SIZE_BYTES));
		}
		out.writeShort(end);
	}

	/**
	 * Offset in the buffer of an item's begin, in a node of {@code count} at
	 * {@code node}.
	 */
	static int start(ByteBuffer buffer, int node, int count, int index) {
		int items = node + count * Short.BYTES;
		return (index == 0) ? items : items + endAt(buffer, node, index - 1);
	}

	/** Offset in the buffer of an item's end. */
	static int end(ByteBuffer buffer, int node, int count, int index) {
		return node + count * Short.BYTES + endAt(buffer, node, index);
	}

	/** The buffer that a node is read from. */
	static DataInput2.ByteBuffer source(DataInput2 in) {
		return (DataInput2.ByteBuffer) in;
	}

	private static int endAt(ByteBuffer buffer, int node, int index) {
		return Short.toUnsignedInt(buffer.getShort(node + index * Short.BYTES));
	}

}
