package io.quorate.storage;

import org.jspecify.annotations.Nullable;

/**
 * The store refuses to open a directory. The message says which file, why, and what can
 * be done.
 */
public final class StorageStartException extends StorageException {

	/** Says why the store does not open, and what can be done. */
	public StorageStartException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
