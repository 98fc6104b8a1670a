package io.quorate.storage.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The nodes of the keys: for each key the place of its bytes, the place of its newest
 * entry, and the keys that follow it on each level of the order. All of these are
 * numbers, in a few large arrays; a node is named by its index there. One thread adds and
 * changes, any number read.
 * <p>
 * Writes that precede the link to a node, or the change of its entry, are visible to a
 * thread that reads this link or this entry.
 */
final class KeyNodes {

	/** The node before all keys; as the next node, it stands for the end. */
	static final int HEAD = 0;

	/** Most levels of a node. */
	static final int MOST_LEVELS = 12;

	private static final VarHandle NUMBERS = MethodHandles.arrayElementVarHandle(int[].class);

	private static final int PIECE_BITS = 15;

	private static final int OFFSETS = (1 << PIECE_BITS) - 1;

	private static final int ENTRY = 1;

	private static final int LINKS = 2;

	private volatile int[][] pieces = { new int[1 << PIECE_BITS] };

	private int used = LINKS + MOST_LEVELS;

	/**
	 * Adds a node that no link leads to yet.
	 * @param key place of the key
	 */
	int add(int key, int levels) {
		int size = LINKS + levels;
		if ((this.used & OFFSETS) + size > 1 << PIECE_BITS) {
			this.used = this.pieces.length << PIECE_BITS;
		}
		if (this.used >>> PIECE_BITS == this.pieces.length) {
			int[][] more = Arrays.copyOf(this.pieces, this.pieces.length + 1);
			more[more.length - 1] = new int[1 << PIECE_BITS];
			this.pieces = more;
		}
		int node = this.used;
		this.used += size;
		piece(node)[node & OFFSETS] = key;
		return node;
	}

	/** Place of the key of a node. */
	int key(int node) {
		return piece(node)[node & OFFSETS];
	}

	/** Place of the newest entry of a node. */
	int entry(int node) {
		return get(node, ENTRY);
	}

	/** Replaces the entry of a node. */
	void entry(int node, int entry) {
		set(node, ENTRY, entry);
	}

	/** The node that follows on a level, {@link #HEAD} for none. */
	int next(int node, int level) {
		return get(node, LINKS + level);
	}

	/** Makes another node the next one on a level. */
	void link(int node, int level, int next) {
		set(node, LINKS + level, next);
	}

	/** Number of bytes of heap that the nodes take. */
	long sizeBytes() {
		return (long) Integer.BYTES * this.used;
	}

	private int get(int node, int field) {
		return (int) NUMBERS.getAcquire(piece(node), (node & OFFSETS) + field);
	}

	private void set(int node, int field, int value) {
		NUMBERS.setRelease(piece(node), (node & OFFSETS) + field, value);
	}

	private int[] piece(int node) {
		return this.pieces[node >>> PIECE_BITS];
	}

}
