package io.quorate.command.terminal;

/**
 * The exit codes of the program, the same for all subcommands. Scripts read them: none
 * changes its meaning.
 */
public final class ExitCode {

	/** Everything was done. */
	public static final int DONE = 0;

	/**
	 * The command failed, in part or as a whole. For {@code inspect}: damage was found.
	 */
	public static final int FAILED = 1;

	/** The arguments, or a file that they name, cannot be used. */
	public static final int MISUSED = 2;

	/** There is no value under the key. */
	public static final int ABSENT = 3;

	/**
	 * A write, or a change of members, may have happened or not.
	 */
	public static final int UNKNOWN = 4;

	/** No node could be reached, or all of them refused for now: nothing was written. */
	public static final int UNAVAILABLE = 5;

	/** A change of members has begun and goes on: the command has not seen its end. */
	public static final int UNFINISHED = 6;

	/** The key has not the version that the user has named: nothing was written. */
	public static final int CHANGED = 7;

	private ExitCode() {
	}

}
