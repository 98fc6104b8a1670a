package io.quorate.watch;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;

/** A watch that changes are reported to. Used by one thread at a time. */
interface Listener {

	/** The keys that it watches. */
	ScanRange range();

	/** Whether a key is one of them. */
	boolean covers(Key key);

	/** Whether it needs values. */
	boolean hasValues();

	/**
	 * Takes an event of one of its keys.
	 * @param timestamp timestamp of its entry
	 */
	void offer(WatchEvent.OfKey event, Timestamp timestamp);

	/** Arrivals were left out, which it finds by its numbers. */
	void fallBehind();

	/** Its numbers mean nothing any more. */
	void lose();

	/** Whether each input may make something possible for it. */
	boolean isBusy();

	/** Does what an input or the time has made possible. */
	void go();

}
