package io.quorate.security.access;

import java.io.PrintStream;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The command {@code token PRINCIPAL [DAY]}: prints a new token, once, and the line for
 * the access file, which has the hash of it alone. Exits with 0, or with 2 if the
 * arguments are wrong.
 */
public final class TokenCommand {

	private static final String USAGE = """
			token PRINCIPAL [DAY]

			Prints a new token for PRINCIPAL (1 to 32 characters a-z, 0-9 and -), which is stored nowhere, and the line for
			the access file (quorate.security.access). With DAY, such as 2027-06-01, the last day on which it is valid, in UTC.
			""";

	private TokenCommand() {
	}

	/** Runs the command. */
	public static int run(List<String> arguments, PrintStream out, PrintStream err) {
		boolean isNamed = !arguments.isEmpty() && arguments.size() <= 2 && Token.isName(arguments.getFirst());
		String until = (arguments.size() > 1) ? day(arguments.get(1)) : "";
		if (!isNamed || until == null) {
			err.print(USAGE);
			return 2;
		}
		Token token = Token.generate(arguments.getFirst());
		out.println("token: " + token.text());
		out.println("line for principals." + token.principal() + ".tokens in the access file:");
		out.println("  - {sha256: \"" + token.sha256() + "\"" + until + "}");
		return 0;
	}

	private static @Nullable String day(String text) {
		try {
			return ", until: \"" + LocalDate.parse(text) + "\"";
		}
		catch (DateTimeParseException noDay) {
			return null;
		}
	}

}
