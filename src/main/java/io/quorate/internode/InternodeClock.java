package io.quorate.internode;

import io.quorate.clock.Timestamp;

/**
 * The clock as messages between nodes see it: every message carries the present of its
 * sender, and shows it to the clock of its receiver. Called on event loops; must not
 * block.
 */
public interface InternodeClock {

	/** The stamp that a message carries. */
	Timestamp current();

	/** Takes notice of the stamp of a message; whether to believe it is decided here. */
	void observe(Timestamp seen);

	/** This machine's physical clock, in milliseconds since the epoch. */
	long physicalMillis();

}
