package io.quorate.storage;

import org.jspecify.annotations.Nullable;

/** A failure of the store to do what a caller asked for. */
public abstract sealed class StorageException extends RuntimeException
		permits StorageOverloadedException, DiskFullException, StorageCorruptedException, StorageExpiredException,
		StorageFailedException, StorageStartException {

	protected StorageException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
