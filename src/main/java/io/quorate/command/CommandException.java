package io.quorate.command;

/** The failure of a command: its exit code, and a message for the user. */
final class CommandException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final int exitCode;

	CommandException(int exitCode, String message) {
		super(message);
		this.exitCode = exitCode;
	}

	CommandException(int exitCode, String message, Throwable cause) {
		super(message, cause);
		this.exitCode = exitCode;
	}

	int exitCode() {
		return this.exitCode;
	}

}
