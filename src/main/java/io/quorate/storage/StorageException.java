package io.quorate.storage;

import org.jspecify.annotations.Nullable;

/** A store could not do what it was asked to. */
public abstract sealed class StorageException extends RuntimeException
		permits StorageOverloadedException, DiskFullException, StorageCorruptedException, StorageExpiredException,
		StorageFailedException, StorageStartException {

	protected StorageException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
