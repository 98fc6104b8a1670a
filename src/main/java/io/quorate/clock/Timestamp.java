package io.quorate.clock;

import java.util.HexFormat;

/**
 * The instant of a write in the order of the whole cluster: hybrid logical time, and the
 * ordinal of the node that gave it out to break ties.
 * <p>
 * Hybrid time packs 48 bits of milliseconds since the epoch above a 16-bit counter
 * (Kulkarni et al., "Logical Physical Clocks", 2014), so comparing two of them as
 * unsigned numbers compares time first.
 *
 * @param hybrid milliseconds since the epoch in the upper 48 bits, counter in the lower
 * 16
 * @param node 32-bit hash of the id of the node that gave it out, compared unsigned
 */
public record Timestamp(long hybrid, int node) implements Comparable<Timestamp> {

	/** Before every timestamp that a node gives out. */
	public static final Timestamp ZERO = new Timestamp(0, 0);

	/** Behind every timestamp that a node gives out. */
	public static final Timestamp MAX = new Timestamp(-1, -1);

	/** Number of bytes of a timestamp on disk and on the wire. */
	public static final int SIZE_BYTES = Long.BYTES + Integer.BYTES;

	private static final int COUNTER_BITS = 16;

	private static final HexFormat HEX = HexFormat.of();

	/** The first timestamp of a millisecond, whatever the node. */
	public static Timestamp ofMillis(long millis) {
		return new Timestamp(hybridOfMillis(millis), 0);
	}

	/** Hybrid time at the start of a millisecond. */
	public static long hybridOfMillis(long millis) {
		return millis << COUNTER_BITS;
	}

	/** Milliseconds since the epoch in a hybrid time. */
	public static long millisOfHybrid(long hybrid) {
		return hybrid >>> COUNTER_BITS;
	}

	/** Milliseconds since the epoch. */
	public long millis() {
		return millisOfHybrid(this.hybrid);
	}

	/** Whether this one is later than another. */
	public boolean isAfter(Timestamp other) {
		return compareTo(other) > 0;
	}

	@Override
	public int compareTo(Timestamp other) {
		int byTime = Long.compareUnsigned(this.hybrid, other.hybrid);
		return (byTime != 0) ? byTime : Integer.compareUnsigned(this.node, other.node);
	}

	/** Sixteen hexadecimal digits of hybrid time, a dash, eight of the node. */
	@Override
	public String toString() {
		return HEX.toHexDigits(this.hybrid) + "-" + HEX.toHexDigits(this.node);
	}

}
