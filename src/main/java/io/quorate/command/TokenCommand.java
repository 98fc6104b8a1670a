package io.quorate.command;

import java.time.LocalDate;
import java.util.concurrent.Callable;

import io.quorate.security.access.Token;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * The subcommand {@code token}: prints a new token, once, and the line for the access
 * file, which has the hash of it alone.
 */
@Command(name = "token", header = "Prints a new token for a principal, and the line for the access file.",
		footer = { "", "The token is stored nowhere: it cannot be printed again." })
final class TokenCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Parameters(index = "0", paramLabel = "PRINCIPAL",
			description = "The name of the principal, 1 to 32 characters a-z, 0-9 and -.")
	private String principal = "";

	@Parameters(index = "1", arity = "0..1", paramLabel = "DAY",
			description = "The last day on which the token is valid, in UTC, such as 2027-06-01.")
	private @Nullable LocalDate until;

	TokenCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		if (!Token.isName(this.principal)) {
			throw new CommandException(ExitCode.MISUSED, "'" + this.principal + "' is no name of a principal");
		}
		Token token = Token.generate(this.principal);
		this.terminal.out().println("token: " + token.text());
		this.terminal.out().println("line for principals." + token.principal() + ".tokens in the access file:");
		this.terminal.out()
			.println("  - {sha256: \"" + token.sha256() + "\""
					+ ((this.until != null) ? ", until: \"" + this.until + "\"" : "") + "}");
		return ExitCode.DONE;
	}

}
