package io.quorate.storage.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

import io.quorate.entry.Key;

/**
 * Finds the node of a key by its hash, with one look at a table of numbers where the
 * order takes a dozen steps. Open addressing: a key stands in its slot or in one of the
 * next ones. One thread adds, any number read; nothing is removed.
 * <p>
 * The hash guards against chance, not against intent: a key whose slots are all taken is
 * searched for in the order.
 */
final class KeyTable {

	/** Number of slots that a key may stand in. */
	static final int LONGEST_RUN = 32;

	private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(long[].class);

	/*
	 * A product with this number spreads hashes that differ in a few bits over all slots
	 * (Knuth).
	 */
	private static final long SPREAD = 0x9E3779B97F4A7C15L;

	/** Slots of a table that has not grown, and was made for few keys. */
	static final int LEAST_SLOTS = 1 << 15;

	private final KeyNodes nodes;

	private final EntryBytes bytes;

	private final KeyOrder order;

	private final long salt;

	/*
	 * The upper half of each is the tag of the node's key, which chooses its slots; the
	 * lower half is the node.
	 */
	private volatile long[] slots;

	private int taken;

	private long[] strays = {};

	private int strayed;

	/**
	 * A table without keys.
	 * @param expectedKeys with more keys, the table has to grow
	 * @param salt makes it impossible to choose keys with different hashes for the same
	 * slots
	 */
	KeyTable(KeyNodes nodes, EntryBytes bytes, KeyOrder order, int expectedKeys, long salt) {
		this.nodes = nodes;
		this.bytes = bytes;
		this.order = order;
		this.salt = salt;
		this.slots = new long[Integer.highestOneBit(Math.max(LEAST_SLOTS, 4 * expectedKeys - 1))];
	}

	/** The node of a key, {@link KeyNodes#HEAD} for none. */
	int find(Key key, long hash) {
		int tag = tag(hash);
		long[] now = this.slots;
		int first = slot(tag, now.length);
		for (int i = 0; i < LONGEST_RUN; i++) {
			long slot = (long) SLOTS.getAcquire(now, (first + i) & (now.length - 1));
			if (slot == 0) {
				return KeyNodes.HEAD;
			}
			if ((int) (slot >>> Integer.SIZE) == tag && this.bytes.isAt(this.nodes.key((int) slot), key)) {
				return (int) slot;
			}
		}
		return this.order.find(key);
	}

	/** Adds a node of the order to the table. */
	void add(int node, long hash) {
		if (2 * this.taken >= this.slots.length) {
			grow();
		}
		put(((long) tag(hash) << Integer.SIZE) | node, this.slots);
	}

	private void grow() {
		long[] before = this.slots;
		long[] alone = Arrays.copyOf(this.strays, this.strayed);
		long[] more = new long[2 * before.length];
		this.taken = 0;
		this.strayed = 0;
		for (long slot : before) {
			if (slot != 0) {
				put(slot, more);
			}
		}
		for (long slot : alone) {
			put(slot, more);
		}
		this.slots = more;
	}

	private void put(long slot, long[] to) {
		int first = slot((int) (slot >>> Integer.SIZE), to.length);
		for (int i = 0; i < LONGEST_RUN; i++) {
			int at = (first + i) & (to.length - 1);
			if (to[at] == 0) {
				SLOTS.setRelease(to, at, slot);
				this.taken++;
				return;
			}
		}
		if (this.strayed == this.strays.length) {
			this.strays = Arrays.copyOf(this.strays, Math.max(LONGEST_RUN, 2 * this.strayed));
		}
		this.strays[this.strayed] = slot;
		this.strayed++;
	}

	/** Number of bytes of heap beyond those of the smallest table. */
	long grownBytes() {
		return (long) Long.BYTES * (this.slots.length - LEAST_SLOTS + this.strays.length);
	}

	/** The tag of a hash, which chooses its slots. */
	int tag(long hash) {
		return (int) (((hash ^ this.salt) * SPREAD) >>> Integer.SIZE);
	}

	/** The first slot of a tag in a table of so many slots. */
	static int slot(int tag, int slots) {
		return tag >>> (Integer.SIZE - Integer.numberOfTrailingZeros(slots));
	}

}
