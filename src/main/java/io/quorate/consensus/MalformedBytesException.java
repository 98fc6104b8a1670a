package io.quorate.consensus;

/** The failure to read bytes that are no message or state of this room. */
public final class MalformedBytesException extends RuntimeException {

	MalformedBytesException(String message) {
		super(message);
	}

	MalformedBytesException(String message, Throwable cause) {
		super(message, cause);
	}

}
