package io.quorate.command.directory;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.Terminal;
import io.quorate.security.access.Token;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * The subcommand {@code token}: prints new tokens, once, and the lines for the access
 * file, which has their hashes alone.
 */
@Command(name = "token", header = "Prints a new token for each principal, and the line for the access file.", footer = {
		"", "The tokens are stored nowhere: they cannot be printed again.",
		"DAY is the last day on which they are valid, in UTC, such as 2027-06-01. Without it they do not end." })
public final class TokenCommand implements Callable<Integer> {

	private static final Pattern DAY = Pattern.compile("[0-9]+-[0-9]+-[0-9]+");

	private final Terminal terminal;

	@Parameters(arity = "1..*", paramLabel = "PRINCIPAL",
			description = "The name of a principal, 1 to 32 characters a-z, 0-9 and -. The last one may be a DAY.")
	private List<String> words = List.of();

	TokenCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		List<String> principals = new ArrayList<>(this.words);
		String last = principals.getLast();
		LocalDate until = (principals.size() > 1 && DAY.matcher(last).matches()) ? day(principals.removeLast()) : null;
		for (String principal : principals) {
			if (!Token.isName(principal)) {
				throw new CommandException(ExitCode.MISUSED, "'" + principal
						+ "' is no name of a principal: it has 1 to 32 characters a-z, 0-9 and -, and begins with no -");
			}
		}
		principals.forEach((principal) -> print(Token.generate(principal), until));
		return ExitCode.DONE;
	}

	private static LocalDate day(String text) {
		try {
			return LocalDate.parse(text);
		}
		catch (DateTimeException none) {
			throw new CommandException(ExitCode.MISUSED, "'" + text + "' is no day: write one such as 2027-06-01",
					none);
		}
	}

	private void print(Token token, @Nullable LocalDate until) {
		this.terminal.out().println("token: " + token.text());
		this.terminal.out().println("line for principals." + token.principal() + ".tokens in the access file:");
		this.terminal.out()
			.println("  - {sha256: \"" + token.sha256() + "\"" + ((until != null) ? ", until: \"" + until + "\"" : "")
					+ "}");
	}

}
