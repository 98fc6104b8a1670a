package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.quorate.storage.record.MalformedEntryException;
import io.quorate.storage.record.StoredEntry;
import org.mapdb.DataInput2;
import org.mapdb.DataOutput2;

/**
 * A serializer of nodes of entries, each compressed by itself if that makes it smaller by
 * an eighth at least. Otherwise the node is written as it is, and costs nothing to
 * unpack. Big-endian:
 *
 * <pre>
 * compressed:  size of the node 2 | size of the compressed bytes 2 | these
 * as it is:    0 2 | the node
 * </pre>
 *
 * The keys of a node are not compressed: a lookup searches them in several nodes, and
 * reads the entries of one.
 * <p>
 * Both sizes have 16 bits, so that even a damaged node is unpacked into 64 KiB at most.
 */
final class PackedEntryNodeSerializer extends EntryNodeSerializer {

	private static final int MAX_SIZE_BYTES = 0xffff;

	private static final int LEAST_SAVING = 8;

	private static final int HEADER_SIZE_BYTES = 2 * Short.BYTES;

	private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

	private final BlockCodec codec;

	private final BlockCache.OfTable cache;

	private byte[] packed = {};

	private long savedBytes;

	PackedEntryNodeSerializer(BlockCodec codec, BlockCache.OfTable cache) {
		this.codec = codec;
		this.cache = cache;
	}

	@Override
	long savedBytes() {
		return this.savedBytes;
	}

	@Override
	public void valueArraySerialize(DataOutput2 out, Object node) throws IOException {
		int start = out.pos;
		out.writeShort(0);
		int nodeAt = out.pos;
		super.valueArraySerialize(out, node);
		int size = out.pos - nodeAt;
		if (size <= MAX_SIZE_BYTES) {
			int packedSize = pack(out.buf, nodeAt, size);
			if (packedSize <= size - size / LEAST_SAVING) {
				out.pos = start;
				out.writeShort(size);
				out.writeShort(packedSize);
				out.write(this.packed, 0, packedSize);
			}
		}
		this.savedBytes += size - (out.pos - start);
	}

	@Override
	public Object[] valueArrayDeserialize(DataInput2 in, int count) {
		DataInput2.ByteBuffer source = NodeLayout.source(in);
		int size = sizeAt(source.buf, source.pos);
		return (size == 0) ? entries(source.buf, source.pos + Short.BYTES, count)
				: entries(unpackedForNow(source, size), 0, count);
	}

	@Override
	public StoredEntry valueArrayBinaryGet(DataInput2 in, int count, int index) {
		DataInput2.ByteBuffer source = NodeLayout.source(in);
		int size = sizeAt(source.buf, source.pos);
		return (size == 0) ? entry(source.buf, source.pos + Short.BYTES, count, index)
				: entry(unpacked(source, size), 0, count, index);
	}

	private int pack(byte[] node, int offset, int size) {
		int room = this.codec.maxPackedSize(size);
		if (this.packed.length < room) {
			this.packed = new byte[room];
		}
		return this.codec.pack(node, offset, size, this.packed);
	}

	private ByteBuffer unpacked(DataInput2.ByteBuffer source, int size) {
		ByteBuffer found = this.cache.find(source.pos);
		if (found != null) {
			return found;
		}
		if (!this.cache.areKept() || ++SCRATCH.get().missed % this.codec.unpackedForOneKept() != 0) {
			return unpackedForNow(source, size);
		}
		byte[] bytes = new byte[size];
		unpack(source, bytes, size);
		ByteBuffer block = ByteBuffer.wrap(bytes);
		this.cache.keep(source.pos, block);
		return block;
	}

	/** The unpacked node, valid until this thread asks for another one. */
	private ByteBuffer unpackedForNow(DataInput2.ByteBuffer source, int size) {
		Scratch scratch = SCRATCH.get();
		unpack(source, scratch.bytes, size);
		return scratch.block.limit(size);
	}

	/*
	 * Native code does not read the mapping itself: a page that the disk cannot read
	 * would end the process there.
	 */
	private void unpack(DataInput2.ByteBuffer source, byte[] to, int size) {
		int packedSize = sizeAt(source.buf, source.pos + Short.BYTES);
		if (packedSize > size) {
			throw new MalformedEntryException("a block of %d bytes out of %d".formatted(size, packedSize));
		}
		byte[] bytes = SCRATCH.get().packed;
		source.buf.get(source.pos + HEADER_SIZE_BYTES, bytes, 0, packedSize);
		this.codec.unpack(bytes, packedSize, to, size);
	}

	private static int sizeAt(ByteBuffer buffer, int at) {
		return Short.toUnsignedInt(buffer.getShort(at));
	}

	/** The buffers of one thread. */
	private static final class Scratch {

		private final byte[] packed = new byte[MAX_SIZE_BYTES];

		private final byte[] bytes = new byte[MAX_SIZE_BYTES];

		private final ByteBuffer block = ByteBuffer.wrap(this.bytes);

		private int missed;

	}

}
