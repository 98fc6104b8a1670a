package io.quorate.coordinator;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a write whose condition does not hold: nothing was written, and nothing
 * will be. Carries no stack trace.
 */
public final class ConditionFailedException extends RuntimeException {

	private final @Nullable Timestamp current;

	private final @Nullable Timestamp absent;

	/**
	 * Reports what the key holds instead.
	 * @param current version of its value, {@code null} when it has none
	 * @param absent version of the tombstone or the expired entry, {@code null} when
	 * there is a value, or nothing was ever held
	 */
	public ConditionFailedException(@Nullable Timestamp current, @Nullable Timestamp absent) {
		super("the key has %s".formatted((current != null) ? "version " + current : "no value"), null, false, false);
		this.current = current;
		this.absent = absent;
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
