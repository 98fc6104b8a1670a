package io.quorate.coordinator;

/**
 * The failure of a write whose idempotency key another request has had: nothing was
 * written. Carries no stack trace.
 */
public final class IdempotencyKeyReusedException extends RuntimeException {

	/** Reports that the request is another one. */
	public IdempotencyKeyReusedException() {
		super("a write with this idempotency key has asked for something else", null, false, false);
	}

}
