package io.quorate.internode;

/** Bytes that are no message of this protocol. */
final class MalformedMessageException extends RuntimeException {

	MalformedMessageException(String message) {
		super(message);
	}

}
