package io.quorate.watch;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Random;
import java.util.Set;

/**
 * The room that the watches of a node share: places for {@value #MOST_CATCH_UPS}
 * catch-ups, and the bytes of events that wait for clients or are on their way to them.
 * Used by one thread at a time.
 */
final class WatchRoom {

	static final int MOST_CATCH_UPS = 16;

	private final Surroundings surroundings;

	private final Random random;

	private int catchUps;

	private final Set<Listener> waiting = new LinkedHashSet<>();

	private long heldBytes;

	WatchRoom(Surroundings surroundings) {
		this.surroundings = surroundings;
		this.random = new Random(now());
	}

	private long now() {
		return this.surroundings.clocks().nanoTime().getAsLong();
	}

	/** Takes a place for a catch-up, or waits for the next one that is free. */
	boolean mayCatchUp(Listener watch) {
		if (this.catchUps == MOST_CATCH_UPS) {
			this.waiting.add(watch);
			return false;
		}
		this.waiting.remove(watch);
		this.catchUps++;
		return true;
	}

	/** Leaves a place for a catch-up. */
	void endCatchUp() {
		this.catchUps--;
		Iterator<Listener> each = this.waiting.iterator();
		if (each.hasNext()) {
			Listener next = each.next();
			each.remove();
			this.surroundings.turns().execute(next::go);
		}
	}

	/** Whether a watch waits for a place. */
	boolean isAwaited() {
		return !this.waiting.isEmpty();
	}

	/** Waits for no place any more. */
	void leave(Listener watch) {
		this.waiting.remove(watch);
	}

	/** Notes that clients have so many more bytes of events to take. */
	void hold(int bytes) {
		this.heldBytes += bytes;
	}

	/**
	 * Whether another event may wait for a client. Each has an equal share, however much
	 * the slow ones have to take.
	 * @param ownBytes bytes of events that the client has to take
	 */
	boolean isFree(int ownBytes) {
		long bytes = this.surroundings.bounds().bytes();
		return this.heldBytes < bytes || ownBytes < bytes / Watches.MOST;
	}

	/**
	 * An instant after a time or up to twice of it, so that those who have left together
	 * do not come back together.
	 */
	long soon(long nanos) {
		return now() + nanos + this.random.nextLong(nanos);
	}

}
