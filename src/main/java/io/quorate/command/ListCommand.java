package io.quorate.command;

import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The subcommand {@code ls}: prints the keys of a range. */
@Command(name = "ls", header = "Prints the keys of a range in their order.",
		footer = { "", "raw prints one key a line, json also its size, etag and expiry. The values are not read.",
				"A range is no snapshot. A node that is lost meanwhile costs nothing: the next one goes on." })
final class ListCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private RangeOptions range = new RangeOptions();

	@Option(names = { "-o", "--output" }, defaultValue = "raw", description = OutputFormat.DESCRIPTION)
	private OutputFormat output = OutputFormat.RAW;

	ListCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			RangeOutput.print(cluster, this.range.range(true), this.output, this.terminal);
		}
		return ExitCode.DONE;
	}

}
