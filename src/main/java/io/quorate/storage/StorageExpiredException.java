package io.quorate.storage;

/**
 * A read was dropped because its deadline passed while it waited for a thread; nothing
 * was read for it.
 */
public final class StorageExpiredException extends StorageException {

	/** A deadline that has passed. */
	public StorageExpiredException() {
		super("the deadline had passed before the work began", null);
	}

}
