package io.quorate.clock;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Judges whether a timestamp is too far in the future to be believed: more than the
 * greatest tolerated skew ahead of the median of the members' physical clocks. Of an even
 * number of clocks the lower middle one is the median; alone, the own clock is. Of two
 * clocks that differ by more than that neither is believed: it cannot be known which one
 * is wrong.
 * <p>
 * A reading of another clock is aged by the monotonic clock of this machine. Safe for any
 * number of threads; judging takes no lock.
 */
public final class SkewJudge {

	private final TimeSource own;

	private final LongSupplier nanoTime;

	private final long maxSkewMillis;

	/* Of each other member: its physical clock minus the monotonic clock here. */
	private final Map<String, Long> offsets = new HashMap<>();

	private volatile long[] sortedOffsets = {};

	/**
	 * A judge that knows only the own clock yet.
	 * @param nanoTime the monotonic clock of this machine
	 * @param maxSkew greatest time by which a timestamp may be ahead of the median
	 */
	public SkewJudge(TimeSource own, LongSupplier nanoTime, Duration maxSkew) {
		this.own = own;
		this.nanoTime = nanoTime;
		this.maxSkewMillis = maxSkew.toMillis();
	}

	/**
	 * Records the time that another member reports of its physical clock.
	 * @param member id of the member; its earlier report is forgotten
	 * @param physicalMillis milliseconds since the epoch
	 */
	public synchronized void heard(String member, long physicalMillis) {
		this.offsets.put(member, physicalMillis - monotonicMillis());
		sort();
	}

	/** Forgets the clock of a node that is no member any more. */
	public synchronized void forget(String member) {
		this.offsets.remove(member);
		sort();
	}

	private void sort() {
		long[] sorted = this.offsets.values().stream().mapToLong(Long::longValue).toArray();
		Arrays.sort(sorted);
		this.sortedOffsets = sorted;
	}

	/**
	 * The present time by the physical clock of another member, in milliseconds since the
	 * epoch, or {@code null} when the member has reported none.
	 */
	public synchronized @Nullable Long memberMillis(String member) {
		Long offset = this.offsets.get(member);
		return (offset != null) ? Long.valueOf(monotonicMillis() + offset) : null;
	}

	/** The median of the members' clocks, in milliseconds since the epoch. */
	public long medianMillis() {
		long monotonic = monotonicMillis();
		return monotonic + medianOffset(this.own.millis() - monotonic);
	}

	/**
	 * The physical time to go by, in milliseconds since the epoch: that of the own clock,
	 * or the median while the own clock is too far ahead of it. So neither timestamps nor
	 * their ceiling nor expiry follow a clock that is wrong.
	 */
	public long believedMillis() {
		long mine = this.own.millis();
		long monotonic = monotonicMillis();
		long median = monotonic + medianOffset(mine - monotonic);
		return (mine - median > this.maxSkewMillis) ? median : mine;
	}

	/** Whether a timestamp of any node is too far ahead to be accepted. */
	public boolean refuses(Timestamp stamp) {
		return isAhead(stamp.millis());
	}

	/**
	 * Whether this node's own physical clock must not give timestamps to writes: it is
	 * too far ahead, or {@linkplain #isDisputed() disputed}.
	 */
	public boolean refusesOwnClock() {
		return isAhead(this.own.millis()) || isDisputed();
	}

	/**
	 * Whether one other clock is known, and the two are further apart than the greatest
	 * tolerated skew.
	 */
	public boolean isDisputed() {
		long[] others = this.sortedOffsets;
		return others.length == 1 && Math.abs(this.own.millis() - monotonicMillis() - others[0]) > this.maxSkewMillis;
	}

	/**
	 * Whether a node with the rules of this judge may have accepted a timestamp as high
	 * as this one so long ago, though the medians of the two nodes differ by as much as
	 * is tolerated.
	 */
	public boolean mayHaveBeenTaken(Timestamp stamp, Duration ago) {
		return stamp.millis() - (medianMillis() - ago.toMillis()) <= 2 * this.maxSkewMillis;
	}

	private boolean isAhead(long millis) {
		return millis - medianMillis() > this.maxSkewMillis;
	}

	private long medianOffset(long mine) {
		long[] others = this.sortedOffsets;
		int middle = others.length / 2;
		long atLeast = (middle > 0) ? others[middle - 1] : Long.MIN_VALUE;
		long atMost = (middle < others.length) ? others[middle] : Long.MAX_VALUE;
		return Math.clamp(mine, atLeast, atMost);
	}

	private long monotonicMillis() {
		return this.nanoTime.getAsLong() / 1_000_000;
	}

}
