package io.quorate.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of a range of keys. */
final class RangeOptions {

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
