package io.quorate.command;

import picocli.CommandLine.Command;

/** The subcommand {@code ls}: prints the keys of a range. */
@Command(name = "ls", header = "Prints the keys of a range in their order.",
		footer = { "", "raw prints one key a line, json also its size, etag and expiry. The values are not read.",
				RangeCommand.NO_SNAPSHOT })
final class ListCommand extends RangeCommand {

	ListCommand(Terminal terminal) {
		super(terminal, true);
	}

}
