package io.quorate.storage;

/** A bound of the store was reached; nothing was done. It heals by itself. */
public final class StorageOverloadedException extends StorageException {

	/**
	 * Says which bound was reached.
	 * @param bound what is bounded, as a person would call it
	 * @param limit its limit
	 */
	public StorageOverloadedException(String bound, long limit) {
		super("%s at the limit of %d".formatted(bound, limit), null);
	}

}
