package io.quorate.storage;

import org.jspecify.annotations.Nullable;

/**
 * The store has failed or is closed; whether a write in progress took effect is unknown.
 */
public final class StorageFailedException extends StorageException {

	/** A failure, described by the message. */
	public StorageFailedException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
