package io.quorate.security.access;

/** An access file cannot be used; the message says why, with the place. */
public final class AccessFileException extends RuntimeException {

	AccessFileException(String detail) {
		super(detail);
	}

}
