package io.quorate.command.data;

import java.util.concurrent.Callable;

import io.quorate.command.access.Cluster;
import io.quorate.command.access.ConsistencyOptions;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.access.Range;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.KeyConverter;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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

	/** The options of a range of keys. */
	private static final class RangeOptions {

		@Mixin
		private ConsistencyOptions consistency = new ConsistencyOptions();

		@Parameters(index = "0", arity = "0..1", paramLabel = "PREFIX", converter = KeyConverter.class,
				description = "All keys that begin with it.")
		private @Nullable String prefix;

		@Option(names = "--start", paramLabel = "KEY", converter = KeyConverter.class,
				description = "The first key, in place of PREFIX.")
		private @Nullable String start;

		@Option(names = "--end", paramLabel = "KEY", converter = KeyConverter.class,
				description = "The key before which the range ends, in place of PREFIX.")
		private @Nullable String end;

		@Option(names = "--reverse", description = "From the last key to the first.")
		private boolean isReversed;

		@Option(names = "--limit", paramLabel = "N", description = "The most records.")
		private @Nullable Long limit;

		/**
		 * The range that the options name.
		 * @throws CommandException when they contradict each other
		 */
		Range range(boolean isKeysOnly) {
			if (this.prefix != null && (this.start != null || this.end != null)) {
				throw new CommandException(ExitCode.MISUSED, "PREFIX stands in place of --start and --end");
			}
			if (this.limit != null && this.limit < 1) {
				throw new CommandException(ExitCode.MISUSED, "--limit is at least 1");
			}
			return new Range(this.prefix, new Range.Bounds(this.start, this.end), this.isReversed, isKeysOnly,
					(this.limit != null) ? this.limit : Long.MAX_VALUE, this.consistency);
		}

	}

}
