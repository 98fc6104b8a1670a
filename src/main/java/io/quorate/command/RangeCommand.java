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
		if (endsWithZeros() && this.output != OutputFormat.RAW) {
			throw new CommandException(ExitCode.MISUSED, "--null is a form of raw");
		}
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			Range asked = this.range.range(this.isKeysOnly);
			if (endsWithZeros()) {
				RangeOutput.printZeros(cluster, asked, this.terminal);
			}
			else {
				RangeOutput.print(cluster, asked, this.output, this.terminal);
			}
		}
		return ExitCode.DONE;
	}

	/** Whether a zero byte ends each key, in place of a line feed. */
	boolean endsWithZeros() {
		return false;
	}

}
