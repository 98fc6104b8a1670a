package io.quorate.internode;

import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.TimeSource;
import io.quorate.clock.Timestamp;

/**
 * The clock as messages between nodes see it: every message carries the present of its
 * sender, and shows it to the clock of its receiver. Called on event loops; must not
 * block.
 */
public interface InternodeClock {

	/**
	 * The clock of a node, which believes no stamp that is too far in the future.
	 * @param clock is shown what messages carry
	 * @param judge decides what is believed
	 * @param time the physical clock of this machine
	 */
	static InternodeClock of(HybridClock clock, SkewJudge judge, TimeSource time) {
		return new JudgedClock(clock, judge, time);
	}

	/** The stamp that a message carries. */
	Timestamp current();

	/** Takes notice of the stamp of a message; whether to believe it is decided here. */
	void observe(Timestamp seen);

	/** This machine's physical clock, in milliseconds since the epoch. */
	long physicalMillis();

}
