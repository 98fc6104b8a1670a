package io.quorate.storage.record;

/** Bytes that should be those of an entry are not. */
public final class MalformedEntryException extends RuntimeException {

	/** Says what is wrong with the bytes. */
	public MalformedEntryException(String message) {
		super(message);
	}

}
