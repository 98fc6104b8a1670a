package io.quorate.command;

import java.util.concurrent.Callable;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A subcommand that prints a range of keys, with or without their values. */
abstract class RangeCommand implements Callable<Integer> {

	/** The footer of each. */
	static final String NO_SNAPSHOT = "A range is no snapshot. A node that is lost meanwhile costs nothing: the next one goes on.";

	private final Terminal terminal;

	private final boolean isKeysOnly;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private RangeOptions range = new RangeOptions();

	@Option(names = { "-o", "--output" }, paramLabel = "FORMAT", defaultValue = "raw",
			description = OutputFormat.DESCRIPTION)
	private OutputFormat output = OutputFormat.RAW;

	RangeCommand(Terminal terminal, boolean isKeysOnly) {
		this.terminal = terminal;
		this.isKeysOnly = isKeysOnly;
	}

	@Override
	public final Integer call() {
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			RangeOutput.print(cluster, this.range.range(this.isKeysOnly), this.output, this.terminal);
		}
		return ExitCode.DONE;
	}

}
