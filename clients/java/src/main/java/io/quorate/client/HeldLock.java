package io.quorate.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A lock that is held until it is released or lost. The client renews it each third of
 * its time to live, without a thread of its own; a lock that a thread has acquired by
 * {@link QuorateClient} as long as that thread runs. Safe for threads.
 */
public sealed class HeldLock implements AutoCloseable permits Job {

	private final Hold hold;

	HeldLock(Hold hold) {
		this.hold = hold;
		hold.keep();
	}

	final Hold hold() {
		return this.hold;
	}

	/** Returns the key that is locked. */
	public String key() {
		return this.hold.key();
	}

	/**
	 * Returns the fencing token: as text, and in its first 16 digits, above those of all
	 * earlier holders. What the lock protects keeps the highest one that it has seen, and
	 * refuses lower ones.
	 */
	public String token() {
		return this.hold.etag().replace("\"", "");
	}

	/**
	 * Returns whether no other one can have the lock, without asking a node. One second
	 * and a tenth of the time to live are kept as a margin.
	 */
	public final boolean isHeld() {
		return this.hold.isHeld();
	}

	/**
	 * Ensures that no other one can have the lock, without asking a node.
	 * @throws LockLostException if one may have it
	 */
	public final void check() {
		if (!isHeld()) {
			throw this.hold.lose();
		}
	}

	/**
	 * Has an action run once when the lock is lost, at once if it is; not after its
	 * release. It runs on the executor of the client.
	 * @param action the action
	 */
	public final void onLost(Runnable action) {
		CompletableFuture<Void> unused = this.hold.loss().thenRun(action);
	}

	/**
	 * Renews the lock now, for another time to live from now on.
	 * @param ttl the time to live, at least 5 seconds
	 * @throws LockLostException if it is lost
	 * @throws UnavailableException if no node could answer; it is held as long as before
	 */
	public final void renew(Duration ttl) {
		Steps.await(this.hold.core(), (steps) -> this.hold.renew(steps, ttl));
	}

	/**
	 * Renews the lock now, as {@link #renew} does.
	 * @param ttl the time to live, at least 5 seconds
	 */
	public final CompletableFuture<@Nullable Void> renewAsync(Duration ttl) {
		return Steps.begin(this.hold.core(), (steps) -> this.hold.renew(steps, ttl));
	}

	/**
	 * Releases the lock; does nothing a second time.
	 * @throws LockLostException if another one may have had it
	 * @throws OutcomeUnknownException if it may be locked until its time is over
	 * @throws UnavailableException if it is locked until its time is over
	 */
	public final void release() {
		if (this.hold.end()) {
			Steps.await(this.hold.core(), this.hold::release);
		}
	}

	/** Releases the lock, as {@link #release} does. */
	public final CompletableFuture<@Nullable Void> releaseAsync() {
		return this.hold.end() ? Steps.begin(this.hold.core(), this.hold::release)
				: CompletableFuture.completedFuture(null);
	}

	/** Releases the lock for a caller that waits for it no more. */
	final void drop() {
		CompletableFuture<@Nullable Void> unused = releaseAsync();
	}

	/** Releases the lock, as {@link #release} does. */
	@Override
	public final void close() {
		release();
	}

	@Override
	public String toString() {
		return getClass().getSimpleName() + "[" + key() + ", " + token() + "]";
	}

}
