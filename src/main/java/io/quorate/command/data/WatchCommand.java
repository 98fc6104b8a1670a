package io.quorate.command.data;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import io.quorate.client.RangeQuery;
import io.quorate.client.WatchEvent;
import io.quorate.client.WatchOptions;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.access.RangeRecord;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.KeyConverter;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The subcommand {@code watch}: prints the changes of keys, or runs a handler for each,
 * until it is ended. Holds few events: a slow reader or handler holds the node back.
 */
@Command(name = "watch", header = "Prints the changes of a key, or of a range of keys, until Ctrl-C.", footer = { "",
		"Without KEY, --prefix, --start and --end it watches all keys.",
		"raw prints the event, the key, the etag and with --values the value, with tabs between them; json prints one "
				+ "object for each event. 'live' says that all changes before an instant have come; 'stalled', that too few "
				+ "replicas are reached; 'gap', that changes were missed: the present state follows, up to 'live'.",
		"CMD is run for each put and delete, one at a time: by 'sh -c', with QUORATE_EVENT (put or delete), QUORATE_KEY "
				+ "and QUORATE_ETAG in its environment, and with --values the value on its standard input. The same etag of "
				+ "a key is handled once, as far as the last 10,000 keys are known. If CMD ends with another status than 0, it "
				+ "is run again after 1s, 2s, 4s and so on, up to 30s; later events wait.",
		"The command goes on by itself at the next node when one is lost." })
public final class WatchCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Parameters(index = "0", arity = "0..1", paramLabel = "KEY", converter = KeyConverter.class,
			description = "The key.")
	private @Nullable String key;

	@Option(names = "--prefix", paramLabel = "PREFIX", converter = KeyConverter.class,
			description = "All keys that begin with it, in place of KEY.")
	private @Nullable String prefix;

	@Option(names = "--start", paramLabel = "KEY", converter = KeyConverter.class,
			description = "The first key of a range, in place of KEY.")
	private @Nullable String start;

	@Option(names = "--end", paramLabel = "KEY", converter = KeyConverter.class,
			description = "The key before which the range ends, in place of KEY.")
	private @Nullable String end;

	@Option(names = "--state", description = "The present state comes first, and then the changes.")
	private boolean hasState;

	@Option(names = "--values", description = "With the values of at most 64 KiB.")
	private boolean hasValues;

	@Option(names = "--cursor-file", paramLabel = "FILE",
			description = "Goes on where an earlier run with this file has ended. The file is written when events are "
					+ "printed, or handled.")
	private @Nullable Path cursorFile;

	@Option(names = "--exec", paramLabel = "CMD", description = "Runs it for each change, in place of printing.")
	private @Nullable String handler;

	@Option(names = { "-o", "--output" }, paramLabel = "FORMAT", defaultValue = "raw",
			description = "json or raw. Default: ${DEFAULT-VALUE}.")
	private OutputFormat output = OutputFormat.RAW;

	WatchCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() throws IOException {
		boolean isRange = this.start != null || this.end != null;
		if ((this.key != null && (this.prefix != null || isRange)) || (this.prefix != null && isRange)) {
			throw misused("KEY, --prefix, and --start with --end stand in place of each other");
		}
		if (this.output == OutputFormat.TABLE) {
			throw misused("a watch has no end, and so no table: -o is json or raw");
		}
		if (this.handler != null && this.output != OutputFormat.RAW) {
			throw misused("-o is for what is printed, --exec prints nothing");
		}
		CursorFile file = (this.cursorFile != null) ? new CursorFile(this.cursorFile) : null;
		WatchOptions options = options(file);
		WatchHandler run = (this.handler != null)
				? new WatchHandler(this.handler, this.terminal.err(), WatchHandler.Pause::really) : null;
		WatchOutput printed = new WatchOutput(this.terminal, this.output, this.hasValues);
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			cluster.watch(options, (event) -> {
				report(event, run != null);
				if (run != null) {
					run.take(event);
				}
				else {
					printed.print(event);
				}
				boolean isWanted = run != null || !this.terminal.out().checkError();
				if (isWanted && file != null) {
					write(file, event);
				}
				return isWanted;
			});
		}
		return ExitCode.DONE;
	}

	private static CommandException misused(String message) {
		return new CommandException(ExitCode.MISUSED, message);
	}

	private WatchOptions options(@Nullable CursorFile file) throws IOException {
		WatchOptions options = (this.key != null) ? WatchOptions.key(this.key) : WatchOptions.range(range());
		if (this.hasValues) {
			options = options.withValues();
		}
		String cursor = (file != null) ? file.read() : null;
		if (cursor == null) {
			return this.hasState ? options.fromState() : options;
		}
		try {
			return options.fromCursor(cursor);
		}
		catch (IllegalArgumentException none) {
			throw new CommandException(ExitCode.MISUSED, this.cursorFile + " has no cursor: delete it to begin anew",
					none);
		}
	}

	private RangeQuery range() {
		if (this.prefix != null) {
			return RangeQuery.prefix(this.prefix);
		}
		if (this.start == null) {
			return (this.end != null) ? RangeQuery.before(this.end) : RangeQuery.all();
		}
		return (this.end != null) ? RangeQuery.between(this.start, this.end) : RangeQuery.from(this.start);
	}

	/* Results are not mixed with what happens to the watch itself. */
	private void report(WatchEvent event, boolean isHandled) {
		PrintStream err = this.terminal.err();
		switch (event) {
			case WatchEvent.Disconnected lost ->
				err.println("quorate: " + RangeRecord.printable(lost.failure().toString())
						+ "; the watch goes on at the next node that answers");
			case WatchEvent.Gap _ when isHandled ->
				err.println("quorate: changes were missed, also deletions: the present state follows");
			case WatchEvent.Stalled stalled when isHandled ->
				err.println("quorate: too few replicas are reached, changes may come late; without: "
						+ RangeRecord.printable(String.join(", ", stalled.members())));
			default -> {
				return;
			}
		}
		err.flush();
	}

	private static void write(CursorFile file, WatchEvent event) {
		String cursor = event.cursor();
		if (cursor != null) {
			try {
				file.write(cursor);
			}
			catch (IOException failure) {
				throw new UncheckedIOException(failure);
			}
		}
	}

}
