package io.quorate.repair.comparison;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.ring.MemberPlaces;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;

/**
 * The entries that both of two nodes must hold: those of so many copies that both nodes
 * are among the first in the key's order on the ring. An entry that reads as absent goes
 * to all nodes that may hold the key, whatever number of copies was requested. While a
 * change of the layout is under way, a node must hold what it holds by either ring.
 * Immutable.
 */
public final class SharedEntries {

	private static final short NEVER = Short.MAX_VALUE;

	private final RingPair rings;

	/* Of each partition: least number of copies of an entry that both nodes hold. */
	private final short[] copies;

	private SharedEntries(RingPair rings, short[] copies) {
		this.rings = rings;
		this.copies = copies;
	}

	/**
	 * The entries of a pair of members.
	 * @throws IllegalArgumentException when one of them is no member of either ring
	 */
	public static SharedEntries of(RingPair rings, String one, String other) {
		requireMember(rings, one);
		requireMember(rings, other);
		short[] copies = new short[Ring.PARTITIONS];
		MemberPlaces placesOfOne = rings.placesOf(one);
		MemberPlaces placesOfOther = rings.placesOf(other);
		for (int partition = 0; partition < copies.length; partition++) {
			copies[partition] = (short) Math.max(copiesFromWhichHeld(placesOfOne, partition),
					copiesFromWhichHeld(placesOfOther, partition));
		}
		return new SharedEntries(rings, copies);
	}

	private static void requireMember(RingPair rings, String id) {
		if (!rings.hasMember(id)) {
			throw new IllegalArgumentException("'%s' is no member of %s".formatted(id, rings.members()));
		}
	}

	private static int copiesFromWhichHeld(MemberPlaces places, int partition) {
		int before = places.before(partition);
		int after = places.after(partition);
		if (before < 0 || after < 0) {
			return (before == after) ? NEVER : Math.max(before, after) + 1;
		}
		return Math.min(before, after) + 1;
	}

	/** Whether an entry of this key may be one that both must hold. */
	public boolean mayShare(Key key) {
		return copies(key) != NEVER;
	}

	/** Whether both must hold an entry, whether it has expired or not. */
	public boolean isShared(Key key, Entry entry) {
		return isShared(key, entry.isTombstone(), entry.from());
	}

	/**
	 * Whether both must hold an entry.
	 * @param absent whether it reads as absent
	 * @param from number of nodes that it was written to, or {@link Entry#ALL}
	 */
	boolean isShared(Key key, boolean absent, int from) {
		return (absent || this.rings.isOfAll(from)) ? mayShare(key) : copies(key) <= from;
	}

	private short copies(Key key) {
		return this.copies[this.rings.partitionOf(key)];
	}

	/** Whether there is a key that both may have to hold. */
	public boolean isAny() {
		for (short needed : this.copies) {
			if (needed != NEVER) {
				return true;
			}
		}
		return false;
	}

}
