package io.quorate.client;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * The places for connections of a client. A request has a place from before its
 * connection until the end of its answer. The request that has waited longest gets the
 * next one, but for urgent requests, which come before all others.
 */
final class Places {

	private final int places;

	private final int mostWaiting;

	private final Deque<Runnable> urgent = new ArrayDeque<>();

	private final Deque<Runnable> waiting = new ArrayDeque<>();

	private int free;

	private int waits;

	private boolean isClosed;

	Places(int places, int mostWaiting) {
		this.places = places;
		this.free = places;
		this.mostWaiting = mostWaiting;
	}

	/**
	 * Runs an action with a place: at once, or when there is one.
	 * @param action the action, which gives the place back by {@link #leave}
	 * @param isUrgent whether it comes before those that are not, however many wait
	 * @throws TooManyCallsException if too many wait already
	 */
	void enter(Runnable action, boolean isUrgent) {
		synchronized (this) {
			if (this.free == 0 || this.isClosed) {
				if (isUrgent) {
					this.urgent.addLast(action);
					return;
				}
				if (this.waiting.size() >= this.mostWaiting) {
					throw new TooManyCallsException(
							this.mostWaiting + " calls wait for a connection of the client already", null);
				}
				this.waiting.addLast(action);
				return;
			}
			this.free--;
		}
		action.run();
	}

	/** Waits no more. The action may run nevertheless, if its place has come already. */
	synchronized void giveUp(Runnable action) {
		if (!this.urgent.remove(action)) {
			this.waiting.remove(action);
		}
	}

	void leave() {
		Runnable next = next();
		if (next != null) {
			next.run();
		}
	}

	private synchronized @Nullable Runnable next() {
		Deque<Runnable> first = this.urgent.isEmpty() ? this.waiting : this.urgent;
		Runnable next = this.isClosed ? null : first.pollFirst();
		if (next == null) {
			this.free++;
		}
		return next;
	}

	/**
	 * Counts a request that has a place for seconds, since its node waits for something.
	 * @return {@code false} if it would leave less than half of the places free
	 */
	synchronized boolean beginWait() {
		int left = Math.min(this.free, this.places - this.waits) - 1;
		if (2 * left < this.places) {
			return false;
		}
		this.waits++;
		return true;
	}

	synchronized void endWait() {
		this.waits--;
	}

	/**
	 * Hands no place over from now on. Calls that wait for one are ended by their client.
	 */
	synchronized void close() {
		this.isClosed = true;
	}

}
