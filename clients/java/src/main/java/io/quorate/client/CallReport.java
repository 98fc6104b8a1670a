package io.quorate.client;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;

/**
 * A report of one call. It has neither keys nor values.
 */
public final class CallReport {

	private final Operation operation;

	private final Duration duration;

	private final @Nullable Integer ack;

	private final @Nullable Integer acknowledged;

	private final int failedAttempts;

	private final @Nullable Throwable error;

	CallReport(Call<?> call, @Nullable Throwable error) {
		this.operation = call.operation();
		this.duration = call.duration();
		this.ack = call.options().ack();
		this.acknowledged = call.acknowledged();
		this.failedAttempts = call.failedAttempts();
		this.error = error;
	}

	/** Returns the kind of call. */
	public Operation operation() {
		return this.operation;
	}

	/**
	 * Returns the time from the beginning of the call to its end, with all attempts. Of a
	 * range it includes the time that its reader took.
	 */
	public Duration duration() {
		return this.duration;
	}

	/**
	 * Returns the number of replicas that the caller wanted to answer; it is empty if the
	 * cluster decided.
	 */
	public OptionalInt ack() {
		return optional(this.ack);
	}

	/**
	 * Returns the number of replicas that had stored the write, or answered the read,
	 * when the node answered: at least as many as it names in {@code Server-Timing}, or
	 * as the problem of the error has. It is empty if the node says nothing of them, and
	 * for calls of more than one key.
	 */
	public OptionalInt acknowledged() {
		return optional(this.acknowledged);
	}

	/** Returns the number of attempts that have failed, also of a call that succeeded. */
	public int failedAttempts() {
		return this.failedAttempts;
	}

	/**
	 * Returns the error of the caller, a {@link QuorateException} unless the client has a
	 * fault. It is empty if the call succeeded, also if a batch has items that failed, or
	 * a reader has left a range early.
	 */
	public Optional<Throwable> error() {
		return Optional.ofNullable(this.error);
	}

	private static OptionalInt optional(@Nullable Integer number) {
		return (number != null) ? OptionalInt.of(number) : OptionalInt.empty();
	}

	@Override
	public String toString() {
		return "CallReport[" + this.operation + ", " + this.duration.toMillis() + " ms, "
				+ ((this.error != null) ? this.error.getClass().getSimpleName() : "succeeded") + "]";
	}

}
