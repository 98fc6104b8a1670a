package io.quorate.command;

import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The subcommand {@code scan}: prints keys and values of a range. */
@Command(name = "scan", header = "Prints the keys and values of a range in the order of the keys.",
		footer = { "", "raw prints the key, a tab and the value in one line each: use json for values with line feeds.",
				"A range is no snapshot. A node that is lost meanwhile costs nothing: the next one goes on." })
final class ScanCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private RangeOptions range = new RangeOptions();

	@Option(names = { "-o", "--output" }, defaultValue = "raw", description = OutputFormat.DESCRIPTION)
	private OutputFormat output = OutputFormat.RAW;

	ScanCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			RangeOutput.print(cluster, this.range.range(false), this.output, this.terminal);
		}
		return ExitCode.DONE;
	}

}
