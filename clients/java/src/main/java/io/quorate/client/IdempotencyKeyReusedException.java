package io.quorate.client;

/** The refusal of a write whose idempotency key is that of another one. */
public class IdempotencyKeyReusedException extends RefusedException {

	IdempotencyKeyReusedException(String message, Problem problem) {
		super(message, problem, null);
	}

}
