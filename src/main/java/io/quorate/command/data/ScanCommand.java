package io.quorate.command.data;

import io.quorate.command.terminal.Terminal;
import picocli.CommandLine.Command;

/** The subcommand {@code scan}: prints keys and values of a range. Writes nothing. */
@Command(name = "scan", header = "Prints the keys and values of a range in the order of the keys.",
		footer = { "", "raw prints the key, a tab and the value in one line each: use json for values with line feeds.",
				RangeCommand.NO_SNAPSHOT })
public final class ScanCommand extends RangeCommand {

	ScanCommand(Terminal terminal) {
		super(terminal, false);
	}

}
