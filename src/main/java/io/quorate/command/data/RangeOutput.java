package io.quorate.command.data;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import io.quorate.client.RangeLine;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.Range;
import io.quorate.command.access.RangeRecord;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Terminal;
import io.quorate.command.terminal.TextTable;

/** The print of a range, record by record; a table is printed at the end. */
final class RangeOutput {

	private static final int LOOK = 1_000;

	private final PrintStream out;

	private final boolean isScreen;

	private final OutputFormat format;

	private final boolean withValues;

	private final TextTable table;

	private long records;

	RangeOutput(Terminal terminal, OutputFormat format, boolean withValues) {
		this.out = terminal.out();
		this.isScreen = terminal.screens().out();
		this.format = format;
		this.withValues = withValues;
		this.table = RangeRecord.table(withValues);
	}

	/** Reads and prints a whole range; returns the number of records. */
	static long print(Cluster cluster, Range range, OutputFormat format, Terminal terminal) {
		RangeOutput output = new RangeOutput(terminal, format, !range.isKeysOnly());
		long records = cluster.read(range, output::add);
		if (format == OutputFormat.TABLE) {
			output.table.print(terminal.out());
		}
		return records;
	}

	/**
	 * The same with a zero byte behind each key, which no line feed in a key is mistaken
	 * for.
	 */
	static void printZeros(Cluster cluster, Range range, Terminal terminal) {
		RangeOutput output = new RangeOutput(terminal, OutputFormat.RAW, false);
		cluster.read(range, output::zero);
	}

	private boolean zero(RangeLine read) {
		if (read.key().indexOf(0) >= 0) {
			throw new CommandException(ExitCode.FAILED,
					"the key " + RangeRecord.printable(read.key()) + " has a zero itself: -o json prints it");
		}
		this.out.print(read.key() + "\0");
		return hasReader();
	}

	private boolean add(RangeLine read) {
		switch (this.format) {
			case JSON -> {
				this.out.write(read.json(), 0, read.json().length);
				this.out.println();
			}
			case TABLE -> this.table.add(RangeRecord.of(read).cells(this.withValues));
			case RAW -> raw(read);
		}
		return hasReader();
	}

	/* A pipe may be closed. The look flushes. */
	private boolean hasReader() {
		return this.records++ % LOOK != 0 || !this.out.checkError();
	}

	private void raw(RangeLine read) {
		this.out.print(this.isScreen ? RangeRecord.printable(read.key()) : read.key());
		if (this.withValues) {
			this.out.print('\t');
			byte[] value = RangeRecord.of(read).value();
			if (this.isScreen) {
				this.out.print(RangeRecord.printable(new String(value, StandardCharsets.UTF_8)));
			}
			else {
				this.out.write(value, 0, value.length);
			}
		}
		this.out.println();
	}

}
