package io.quorate.command.data;

import io.quorate.command.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The subcommand {@code ls}: prints the keys of a range. Writes nothing. */
@Command(name = "ls", header = "Prints the keys of a range in their order.", footer = { "",
		"raw prints one key a line, json also its size, etag and expiry. The values are not read. A key can have "
				+ "blanks and line feeds: for other programs take -o json, or --null, as 'quorate del -' and 'xargs -0' do.",
		RangeCommand.NO_SNAPSHOT })
public final class ListCommand extends RangeCommand {

	@Option(names = { "-0", "--null" }, description = "Ends each key with a zero byte in place of a line feed.")
	private boolean endsWithZeros;

	ListCommand(Terminal terminal) {
		super(terminal, true);
	}

	@Override
	boolean endsWithZeros() {
		return this.endsWithZeros;
	}

}
