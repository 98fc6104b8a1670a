package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.quorate.storage.record.EntryCodec;
import io.quorate.storage.record.StoredEntry;
import org.mapdb.DataInput2;
import org.mapdb.DataOutput2;
import org.mapdb.serializer.GroupSerializerObjectArray;

/**
 * A serializer of nodes of entries, uncompressed. A lookup decodes only the entry that it
 * asks for.
 */
sealed class EntryNodeSerializer extends GroupSerializerObjectArray<StoredEntry> permits PackedEntryNodeSerializer {

	/* One for all nodes of a table: MapDB copies a node before it begins the next. */
	private byte[] buffer = {};

	/** Number of bytes that compression has saved in the nodes written so far. */
	long savedBytes() {
		return 0;
	}

	@Override
	public void valueArraySerialize(DataOutput2 out, Object node) throws IOException {
		Object[] entries = (Object[]) node;
		int size = 0;
		for (Object entry : entries) {
			size += EntryCodec.size((StoredEntry) entry);
		}
		writeIntoBuffer(out, entries.length * Short.BYTES + size);
		int end = 0;
		for (Object entry : entries) {
			end += EntryCodec.size((StoredEntry) entry);
			NodeLayout.writeEnd(out, end);
		}
		ByteBuffer items = ByteBuffer.wrap(out.buf, out.pos, end);
		for (Object entry : entries) {
			EntryCodec.write((StoredEntry) entry, items);
		}
		out.pos += end;
	}

	/* The output's own array would grow by doubling, anew for each node. */
	private void writeIntoBuffer(DataOutput2 out, int room) {
		if (this.buffer.length - out.pos < room) {
			this.buffer = new byte[Integer.highestOneBit(out.pos + room) << 1];
		}
		System.arraycopy(out.buf, 0, this.buffer, 0, out.pos);
		out.buf = this.buffer;
		// By it the output finds whether there is room: a power of two, negative.
		out.sizeMask = -this.buffer.length;
	}

	@Override
	public Object[] valueArrayDeserialize(DataInput2 in, int count) {
		DataInput2.ByteBuffer source = NodeLayout.source(in);
		return entries(source.buf, source.pos, count);
	}

	@Override
	public StoredEntry valueArrayBinaryGet(DataInput2 in, int count, int index) {
		DataInput2.ByteBuffer source = NodeLayout.source(in);
		return entry(source.buf, source.pos, count, index);
	}

	@Override
	public void serialize(DataOutput2 out, StoredEntry entry) {
		throw new UnsupportedOperationException("entries are written by the node");
	}

	@Override
	public StoredEntry deserialize(DataInput2 in, int available) {
		throw new UnsupportedOperationException("entries are read by the node");
	}

	static Object[] entries(ByteBuffer buffer, int node, int count) {
		Object[] entries = new Object[count];
		for (int i = 0; i < count; i++) {
			entries[i] = entry(buffer, node, count, i);
		}
		return entries;
	}

	static StoredEntry entry(ByteBuffer buffer, int node, int count, int index) {
		int start = NodeLayout.start(buffer, node, count, index);
		return EntryCodec.read(buffer, start, NodeLayout.end(buffer, node, count, index) - start);
	}

}
