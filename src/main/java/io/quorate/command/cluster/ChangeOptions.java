package io.quorate.command.cluster;

import java.time.Duration;

import io.quorate.command.terminal.DurationConverter;
import io.quorate.command.terminal.OutputFormat;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of a change of members. A {@linkplain Mixin mixin} of every subcommand that
 * asks for one.
 */
final class ChangeOptions {

	@Option(names = "--layout", paramLabel = "VERSION",
			description = "The version of the layout that the change is meant for: if it has another one by now, nothing "
					+ "is changed. Default: the version that the node has.")
	private @Nullable Long layout;

	@Option(names = "--wait",
			description = "Waits until the change is complete, and shows its progress. That is the default.")
	private boolean isAskedToWait;

	@Option(names = "--no-wait", description = "Ends as soon as the change has begun.")
	private boolean isAskedNotToWait;

	@Option(names = "--within", paramLabel = "DURATION", defaultValue = "1d", converter = DurationConverter.class,
			description = "The most time to wait. The change goes on without the command. Default: ${DEFAULT-VALUE}.")
	private Duration within = Duration.ZERO;

	@Option(names = "--dry-run", description = "Changes nothing: prints whether the change can begin, and its plan.")
	private boolean isDry;

	@Option(names = { "-o", "--output" }, paramLabel = "FORMAT", defaultValue = "table",
			description = "json, table or raw (version of the layout; of a plan: member, partitions and bytes). "
					+ "Default: ${DEFAULT-VALUE}.")
	private OutputFormat output = OutputFormat.TABLE;

	/** The version that the user has seen, {@code null} for none. */
	@Nullable Long layout() {
		return this.layout;
	}

	/** Whether the command waits for the end of the change. */
	boolean isAwaited() {
		return !this.isDry && (this.isAskedToWait || !this.isAskedNotToWait);
	}

	/** The most time that it waits. */
	Duration within() {
		return this.within;
	}

	/** Whether nothing is to be changed. */
	boolean isDry() {
		return this.isDry;
	}

	OutputFormat output() {
		return this.output;
	}

}
