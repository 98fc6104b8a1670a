package io.quorate.storage;

import org.jspecify.annotations.Nullable;

/**
 * The store has failed or is closed; whether a write in progress took effect is unknown.
 */
public final class StorageFailedException extends StorageException {

	/** Says what failed. */
	public StorageFailedException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
