package io.quorate.client;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A job that no other worker begins until this one is {@link #done}, or ends without:
 * then it is to be done again. Its lease is a lock, which is renewed and may be lost; so
 * a job must do no harm when it is done again.
 */
public final class Job extends HeldLock {

	private final Taking.Claim claim;

	Job(Taking.Claim claim) {
		super(claim.hold());
		this.claim = claim;
	}

	/** Returns the key of the job. */
	@Override
	public String key() {
		return this.claim.key();
	}

	/**
	 * Returns the fencing token: the version of this attempt, above those of all earlier
	 * ones.
	 */
	@Override
	public String token() {
		return this.claim.etag().replace("\"", "");
	}

	/** Returns the JSON of the job, without the number of its attempts. */
	public byte[] value() {
		return this.claim.before().value().clone();
	}

	/** Returns the same as text. */
	public String text() {
		return Text.of(this.claim.before().value(), "application/json");
	}

	/** Returns the number of this attempt, 1 for the first. */
	public long attempt() {
		return this.claim.before().attempt() + 1;
	}

	/**
	 * Deletes the job, and gives the lease back.
	 * @throws LockLostException if another worker has begun the job
	 * @throws OutcomeUnknownException if the job may be begun again when the time of the
	 * lease is over
	 * @throws UnavailableException if it is begun again
	 */
	public void done() {
		hold().end();
		Steps.await(hold().core(), this.claim::done);
	}

	/** Deletes the job, and gives the lease back, as {@link #done} does. */
	public CompletableFuture<@Nullable Void> doneAsync() {
		hold().end();
		return Steps.begin(hold().core(), this.claim::done);
	}

}
