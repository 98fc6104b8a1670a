package io.quorate.storage;

/**
 * The deadline of a read passed while it waited for its turn; nothing was done for it.
 */
public final class StorageExpiredException extends StorageException {

	/** Says that the deadline has passed. */
	public StorageExpiredException() {
		super("the deadline had passed before the work began", null);
	}

}
