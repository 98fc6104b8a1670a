package io.quorate.storage.sstable;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;

import org.mapdb.DataInput2;
import org.mapdb.DataOutput2;
import org.mapdb.serializer.GroupSerializerObjectArray;

/**
 * A serializer of nodes of keys, in the order of unsigned bytes, which searches the nodes
 * in place.
 * <p>
 * One serializer belongs to one table, because it also gives access to MapDB's in-memory
 * index.
 */
final class KeyNodeSerializer extends GroupSerializerObjectArray<byte[]> {

	private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

	private Object[] latestArray = {};

	/**
	 * The first key of each page: the array that MapDB had made last when it opened the
	 * table.
	 */
	Object[] pageKeys() {
		return this.latestArray;
	}

	@Override
	public int compare(byte[] left, byte[] right) {
		return Arrays.compareUnsigned(left, right);
	}

	@Override
	public Object[] valueArrayFromArray(Object[] keys) {
		this.latestArray = keys;
		return keys;
	}

	@Override
	public void valueArraySerialize(DataOutput2 out, Object node) throws IOException {
		Object[] keys = (Object[]) node;
		int end = 0;
		for (Object key : keys) {
			end += ((byte[]) key).length;
			NodeLayout.writeEnd(out, end);
		}
		for (Object key : keys) {
			out.write((byte[]) key);
		}
	}

	@Override
	public Object[] valueArrayDeserialize(DataInput2 in, int count) {
		DataInput2.ByteBuffer source = NodeLayout.source(in);
		Object[] keys = new Object[count];
		for (int i = 0; i < count; i++) {
			keys[i] = key(source.buf, source.pos, count, i);
		}
		return keys;
	}

	@Override
	public byte[] valueArrayBinaryGet(DataInput2 in, int count, int index) {
		DataInput2.ByteBuffer source = NodeLayout.source(in);
		return key(source.buf, source.pos, count, index);
	}

	@Override
	@SuppressWarnings("rawtypes") // as MapDB declares it
	public int valueArrayBinarySearch(byte[] key, DataInput2 in, int count, Comparator comparator) {
		DataInput2.ByteBuffer source = NodeLayout.source(in);
		int low = 0;
		int high = count - 1;
		while (low <= high) {
			int middle = (low + high) >>> 1;
			int order = compare(key, source, count, middle);
			if (order == 0) {
				return middle;
			}
			if (order > 0) {
				low = middle + 1;
			}
			else {
				high = middle - 1;
			}
		}
		return -(low + 1);
	}

	/** Compares a key with one key of the node at which the input stands. */
	int compare(byte[] key, DataInput2.ByteBuffer node, int count, int index) {
		int start = NodeLayout.start(node.buf, node.pos, count, index);
		return compare(key, node.buf, start, NodeLayout.end(node.buf, node.pos, count, index) - start);
	}

	@Override
	public void serialize(DataOutput2 out, byte[] key) {
		throw new UnsupportedOperationException("keys are written by the node");
	}

	@Override
	public byte[] deserialize(DataInput2 in, int available) {
		throw new UnsupportedOperationException("keys are read by the node");
	}

	private static byte[] key(ByteBuffer buffer, int node, int count, int index) {
		int start = NodeLayout.start(buffer, node, count, index);
		byte[] key = new byte[NodeLayout.end(buffer, node, count, index) - start];
		buffer.get(start, key);
		return key;
	}

	private static int compare(byte[] key, ByteBuffer buffer, int start, int size) {
		int shared = Math.min(key.length, size);
		int i = 0;
		for (; i <= shared - Long.BYTES; i += Long.BYTES) {
			long left = (long) LONGS.get(key, i);
			long right = buffer.getLong(start + i);
			if (left != right) {
				return Long.compareUnsigned(left, right);
			}
		}
		for (; i < shared; i++) {
			int order = Byte.compareUnsigned(key[i], buffer.get(start + i));
			if (order != 0) {
				return order;
			}
		}
		return key.length - size;
	}

}
