package io.quorate.repair.comparison;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.ring.Ring;

/**
 * The entries that both of two nodes must hold: those of so many copies that both nodes
 * are among the first in the key's order on the ring. An entry that reads as absent goes
 * to all nodes that may hold the key, whatever number of copies was requested. Immutable.
 */
public final class SharedEntries {

	private final Ring ring;

	/* Of each partition: least number of copies of an entry that both nodes hold. */
	private final short[] copies;

	private SharedEntries(Ring ring, short[] copies) {
		this.ring = ring;
		this.copies = copies;
	}

	/** The entries of a pair of members. */
	public static SharedEntries of(Ring ring, String one, String other) {
		short[] copies = new short[Ring.PARTITIONS];
		for (int partition = 0; partition < copies.length; partition++) {
			copies[partition] = copiesFromWhichBothHold(ring, partition, one, other);
		}
		return new SharedEntries(ring, copies);
	}

	private static short copiesFromWhichBothHold(Ring ring, int partition, String one, String other) {
		int found = 0;
		for (int position = 0; position < ring.members().size(); position++) {
			String member = ring.members().get(ring.memberIndex(partition, position)).id();
			if (member.equals(one) || member.equals(other)) {
				found++;
			}
			if (found == 2) {
				return (short) (position + 1);
			}
		}
		throw new IllegalArgumentException("no two members: %s and %s".formatted(one, other));
	}

	/** Whether an entry of this key may be one that both must hold. */
	public boolean mayShare(Key key) {
		return isShared(key, this.ring.replicationFactor());
	}

	/** Whether both must hold an entry, whether it has expired or not. */
	public boolean isShared(Key key, Entry entry) {
		return isShared(key, entry.isTombstone(), entry.from());
	}

	/**
	 * Whether both must hold an entry.
	 * @param absent whether it reads as absent
	 * @param from number of nodes that it was written to
	 */
	boolean isShared(Key key, boolean absent, int from) {
		int all = this.ring.replicationFactor();
		return isShared(key, absent ? all : Math.min(from, all));
	}

	private boolean isShared(Key key, int from) {
		return this.copies[this.ring.partitionOf(key)] <= from;
	}

	/** Whether there is a key that both may have to hold. */
	public boolean isAny() {
		for (short needed : this.copies) {
			if (needed <= this.ring.replicationFactor()) {
				return true;
			}
		}
		return false;
	}

}
