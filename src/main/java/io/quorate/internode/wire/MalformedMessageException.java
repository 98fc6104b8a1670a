package io.quorate.internode.wire;

/** Bytes that are no message of this protocol. */
public final class MalformedMessageException extends RuntimeException {

	public MalformedMessageException(String message) {
		super(message);
	}

}
