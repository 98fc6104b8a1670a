package io.quorate.coordinator;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a write whose condition does not hold: this request has written nothing,
 * and will not. Carries no stack trace.
 */
public final class ConditionFailedException extends RuntimeException {

	private final @Nullable Timestamp current;

	private final @Nullable Timestamp absent;

	private final boolean isForgotten;

	/**
	 * Reports what the key holds instead.
	 * @param current version of its value, {@code null} when it has none
	 * @param absent version of the tombstone or the expired entry, {@code null} when
	 * there is a value, or nothing was ever held
	 */
	public ConditionFailedException(@Nullable Timestamp current, @Nullable Timestamp absent) {
		this(current, absent, false);
	}

	/**
	 * Reports what the key holds instead.
	 * @param isForgotten whether an earlier request with the same idempotency key may
	 * have been done, and been forgotten
	 */
	ConditionFailedException(@Nullable Timestamp current, @Nullable Timestamp absent, boolean isForgotten) {
		super("the key has %s".formatted((current != null) ? "version " + current : "no value"), null, false, false);
		this.current = current;
		this.absent = absent;
		this.isForgotten = isForgotten;
	}

	/**
	 * Whether the write may have been done by an earlier request with the same
	 * idempotency key: too many others have been done since.
	 */
	public boolean isForgotten() {
		return this.isForgotten;
	}

	/** Version of the value that the key holds, {@code null} for none. */
	public @Nullable Timestamp current() {
		return this.current;
	}

	/** Version of the deletion or the expired value, {@code null} for none. */
	public @Nullable Timestamp absent() {
		return this.absent;
	}

}
