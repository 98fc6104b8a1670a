package io.quorate.client;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * The places for connections of a client. A request has a place from before its
 * connection until the end of its answer. The request that has waited longest gets the
 * next one.
 */
final class Places {

	private final int mostWaiting;

	private final Deque<Runnable> waiting = new ArrayDeque<>();

	private int free;

	private boolean isClosed;

	Places(int places, int mostWaiting) {
		this.free = places;
		this.mostWaiting = mostWaiting;
	}

	/**
	 * Runs an action with a place: at once, or when there is one.
	 * @param action the action, which gives the place back by {@link #leave}
	 * @throws TooManyCallsException if too many wait already
	 */
	void enter(Runnable action) {
		synchronized (this) {
			if (this.free == 0 || this.isClosed) {
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
		this.waiting.remove(action);
	}

	void leave() {
		Runnable next = next();
		if (next != null) {
			next.run();
		}
	}

	private synchronized @Nullable Runnable next() {
		Runnable next = this.isClosed ? null : this.waiting.pollFirst();
		if (next == null) {
			this.free++;
		}
		return next;
	}

	/**
	 * Hands no place over from now on. Calls that wait for one are ended by their client.
	 */
	synchronized void close() {
		this.isClosed = true;
	}

}
