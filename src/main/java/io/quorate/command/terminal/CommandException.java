package io.quorate.command.terminal;

/**
 * The failure of a command: its exit code, and a message for the user. The program prints
 * the message alone.
 */
public final class CommandException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final int exitCode;

	/** A failure that the message explains. */
	public CommandException(int exitCode, String message) {
		super(message);
		this.exitCode = exitCode;
	}

	/** A failure with its cause, which the user does not see. */
	public CommandException(int exitCode, String message, Throwable cause) {
		super(message, cause);
		this.exitCode = exitCode;
	}

	/** One of {@link ExitCode}. */
	public int exitCode() {
		return this.exitCode;
	}

}
