package io.quorate.command;

import java.util.Locale;

/** The forms in which a command prints its result. */
enum OutputFormat {

	/** JSON, one object a line, for programs. */
	JSON,

	/** Columns with a head, for people. */
	TABLE,

	/** The plain data, for pipes. */
	RAW;

	static final String DESCRIPTION = "json, table or raw. Default: ${DEFAULT-VALUE}.";

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT);
	}

}
