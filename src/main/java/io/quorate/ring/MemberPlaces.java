package io.quorate.ring;

import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The places of one member among the replicas of each partition, before and after a
 * change: for those who look at all partitions. Immutable.
 */
public final class MemberPlaces {

	private static final short[] NONE = new short[Ring.PARTITIONS];

	static {
		Arrays.fill(NONE, (short) -1);
	}

	private final short[] before;

	private final short[] after;

	MemberPlaces(Ring before, Ring after, String member) {
		this.before = placesIn(before, member);
		this.after = placesIn(after, member);
	}

	private static short[] placesIn(Ring ring, String member) {
		int index = ring.indexOf(member);
		return (index < 0) ? NONE : ring.placesOf(index);
	}

	/**
	 * The position of the member among the replicas of a partition before the change,
	 * from 0, or -1 when it is none.
	 */
	public int before(int partition) {
		return this.before[partition];
	}

	/** As above, after the change. */
	public int after(int partition) {
		return this.after[partition];
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

	/**
	 * The number of partitions of which the member is a replica before or after the
	 * change.
	 */
	public int held() {
		return count(this::isReplica);
	}

	/** The number of partitions of which the member is a replica before the change. */
	public int heldBefore() {
		return count((partition) -> before(partition) >= 0);
	}

	/** The number of partitions that the member gains. */
	public int gained() {
		return count(this::gains);
	}

	private static int count(IntPredicate isCounted) {
		return (int) IntStream.range(0, Ring.PARTITIONS).filter(isCounted).count();
	}

}
