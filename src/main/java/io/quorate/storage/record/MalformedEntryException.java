package io.quorate.storage.record;

/** The bytes of an entry are malformed. */
public final class MalformedEntryException extends RuntimeException {

	/** A malformed entry, described by the message. */
	public MalformedEntryException(String message) {
		super(message);
	}

}
