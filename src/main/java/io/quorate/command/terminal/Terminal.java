package io.quorate.command.terminal;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;

/**
 * The surroundings of a command.
 *
 * @param in standard input
 * @param out standard output, for results alone
 * @param err standard error, for messages and progress
 * @param screens the streams of the two that a person looks at
 * @param environment the variables of the environment
 * @param home the user's directory
 */
public record Terminal(InputStream in, Output out, PrintStream err, Screens screens, Map<String, String> environment,
		Path home) {

	/** The name that stands for standard input or output in the place of a file's. */
	public static final Path STANDARD = Path.of("-");

	/**
	 * The streams that a person looks at, and on which a line may be drawn again in its
	 * place.
	 *
	 * @param out whether standard output is one
	 * @param err whether standard error is one
	 */
	public record Screens(boolean out, boolean err) {

		/** None: both go to files or to other programs. */
		public static final Screens NONE = new Screens(false, false);

	}

}
