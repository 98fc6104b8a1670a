package io.quorate.storage;

import org.jspecify.annotations.Nullable;

/**
 * The store has failed or is closed. Whether a write in progress took effect is unknown,
 * unless the exception is a refusal.
 */
public final class StorageFailedException extends StorageException {

	private final boolean refusal;

	/** A failure, described by the message. */
	public StorageFailedException(String message, @Nullable Throwable cause) {
		this(message, cause, false);
	}

	private StorageFailedException(String message, @Nullable Throwable cause, boolean refusal) {
		super(message, cause);
		this.refusal = refusal;
	}

	/** The same failure, as the answer to a write of which nothing was written. */
	public StorageFailedException refusing() {
		return new StorageFailedException(String.valueOf(getMessage()), this, true);
	}

	/** Whether the write is certain not to have taken effect, now or later. */
	public boolean isRefusal() {
		return this.refusal;
	}

}
