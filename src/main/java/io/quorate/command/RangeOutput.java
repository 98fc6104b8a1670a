package io.quorate.command;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

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

	/** Reads and prints a whole range. */
	static void print(Cluster cluster, Range range, OutputFormat format, Terminal terminal) {
		RangeOutput output = new RangeOutput(terminal, format, !range.isKeysOnly());
		new RangeReader(cluster, range).read(output::add);
		if (format == OutputFormat.TABLE) {
			output.table.print(terminal.out());
		}
	}

	/* Whether there is a reader: a pipe may be closed. The look flushes. */
	private boolean add(RangeRecord read) {
		switch (this.format) {
			case JSON -> this.out.println(read.json());
			case TABLE -> this.table.add(read.cells(this.withValues));
			case RAW -> raw(read);
		}
		return this.records++ % LOOK != 0 || !this.out.checkError();
	}

	private void raw(RangeRecord read) {
		this.out.print(this.isScreen ? RangeRecord.printable(read.key()) : read.key());
		if (this.withValues) {
			this.out.print('\t');
			byte[] value = read.value();
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
