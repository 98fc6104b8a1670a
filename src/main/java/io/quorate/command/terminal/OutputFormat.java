package io.quorate.command.terminal;

import java.util.Locale;

/** The forms in which a command prints its result. */
public enum OutputFormat {

	/** JSON, one object a line, for programs. */
	JSON,

	/** Columns with a head, for people. */
	TABLE,

	/** The plain data, for pipes. */
	RAW;

	/** The description of the option. */
	public static final String DESCRIPTION = "json, table or raw. Default: ${DEFAULT-VALUE}.";

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT);
	}

}
