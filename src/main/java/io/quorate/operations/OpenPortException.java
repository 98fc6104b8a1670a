package io.quorate.operations;

/** A node would be open to other machines though no operator has said so. */
public final class OpenPortException extends RuntimeException {

	OpenPortException(String detail) {
		super(detail);
	}

}
