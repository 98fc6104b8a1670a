package io.quorate.internode.context;

import io.quorate.clock.BootTime;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.TimeSource;
import io.quorate.clock.Timestamp;

/**
 * The clock of messages between nodes: every message carries the current timestamp of its
 * sender, which the clock of its receiver observes. Called on event loops; must not
 * block.
 */
public interface InternodeClock {

	/**
	 * The clock of a node, which believes no timestamp that is too far in the future.
	 * @param clock observes the timestamps of messages
	 * @param judge decides which timestamps are believed
	 * @param time the physical clock of this machine
	 */
	static InternodeClock of(HybridClock clock, SkewJudge judge, TimeSource time) {
		return new JudgedClock(clock, judge, time);
	}

	/** The timestamp that a message carries. */
	Timestamp current();

	/** Takes note of the timestamp of a message, unless it is too far in the future. */
	void observe(Timestamp seen);

	/** This machine's physical clock, in milliseconds since the epoch. */
	long physicalMillis();

	/** The clock of this machine by which readings of other clocks are aged. */
	default long bootNanos() {
		return BootTime.nanos();
	}

	/** The monotonic clock by which the silence of a peer is judged. */
	default long nanos() {
		return System.nanoTime();
	}

}
