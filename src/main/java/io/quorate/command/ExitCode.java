package io.quorate.command;

/** The exit codes of the program, the same for all subcommands. */
final class ExitCode {

	/** Everything was done. */
	static final int DONE = 0;

	/**
	 * The command failed, in part or as a whole. For {@code inspect}: damage was found.
	 */
	static final int FAILED = 1;

	/** The arguments, or a file that they name, cannot be used. */
	static final int MISUSED = 2;

	/** There is no value under the key. */
	static final int ABSENT = 3;

	/**
	 * A write, or a change of members, may have happened or not, and was not repeated.
	 */
	static final int UNKNOWN = 4;

	/** No node could be reached, or all of them refused for now: nothing was written. */
	static final int UNAVAILABLE = 5;

	/** A change of members has begun and goes on: the command has not seen its end. */
	static final int UNFINISHED = 6;

	private ExitCode() {
	}

}
