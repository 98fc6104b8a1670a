package io.quorate.ring;

/**
 * The places of one member among the replicas of each partition, before and after a
 * change: for those who look at all partitions. Immutable.
 */
public final class MemberPlaces {

	private final Ring before;

	private final int indexBefore;

	private final Ring after;

	private final int indexAfter;

	MemberPlaces(Ring before, Ring after, String member) {
		this.before = before;
		this.indexBefore = indexIn(before, member);
		this.after = after;
		this.indexAfter = indexIn(after, member);
	}

	private static int indexIn(Ring ring, String member) {
		for (int i = 0; i < ring.members().size(); i++) {
			if (ring.members().get(i).id().equals(member)) {
				return i;
			}
		}
		return -1;
	}

	/**
	 * The position of the member among the replicas of a partition before the change,
	 * from 0, or -1 when it is none.
	 */
	public int before(int partition) {
		return positionIn(this.before, this.indexBefore, partition);
	}

	/** As above, after the change. */
	public int after(int partition) {
		return positionIn(this.after, this.indexAfter, partition);
	}

	private static int positionIn(Ring ring, int index, int partition) {
		for (int position = 0; index >= 0 && position < ring.replicationFactor(); position++) {
			if (ring.memberIndex(partition, position) == index) {
				return position;
			}
		}
		return -1;
	}

	/** Whether the member is a replica of a partition before or after the change. */
	public boolean isReplica(int partition) {
		return before(partition) >= 0 || after(partition) >= 0;
	}

	/**
	 * Whether the member is a replica of a partition after the change, and not before.
	 */
	public boolean gains(int partition) {
		return after(partition) >= 0 && before(partition) < 0;
	}

	/**
	 * Whether the member is a replica of a partition before the change, and not after.
	 */
	public boolean loses(int partition) {
		return before(partition) >= 0 && after(partition) < 0;
	}

}
