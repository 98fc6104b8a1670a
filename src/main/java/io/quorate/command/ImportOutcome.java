package io.quorate.command;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The records that an import could not write, and the lines that are none, in a file of
 * their own. Safe for threads.
 */
final class ImportOutcome implements Unwritten, AutoCloseable {

	/* Of the lines that are no record, so many are named. */
	private static final int SHOWN = 10;

	private final Path path;

	private final List<String> reasons = new ArrayList<>();

	private long lines;

	private @Nullable OutputStream stream;

	private long refused;

	private long unknown;

	ImportOutcome(Path path) {
		this.path = path;
	}

	@Override
	public synchronized void refused(ImportItem item, String reason) throws IOException {
		this.refused++;
		write(item, reason);
	}

	@Override
	public synchronized void unknown(ImportItem item, String reason) throws IOException {
		this.unknown++;
		write(item, reason);
	}

	/** Notes a line that is no record. It is kept as it is, to be corrected. */
	synchronized void noRecord(byte[] line, long number, String reason) throws IOException {
		this.refused++;
		this.lines++;
		if (this.lines <= SHOWN) {
			this.reasons.add("line %,d is no record: %s".formatted(number, reason));
		}
		write(line);
	}

	private void write(ImportItem item, String reason) throws IOException {
		write(item.failed(reason).getBytes(StandardCharsets.UTF_8));
	}

	private void write(byte[] line) throws IOException {
		OutputStream open = this.stream;
		if (open == null) {
			open = new BufferedOutputStream(
					Files.newOutputStream(this.path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
			this.stream = open;
		}
		open.write(line);
		open.write('\n');
		open.flush();
	}

	/** The exit code, after a message if there is something to say. */
	synchronized int exitCode(Terminal terminal) {
		if (this.refused + this.unknown == 0) {
			return ExitCode.DONE;
		}
		this.reasons.forEach((reason) -> terminal.err().println("quorate: " + reason));
		if (this.lines > SHOWN) {
			terminal.err().printf("quorate: %,d more lines are no records%n", this.lines - SHOWN);
		}
		terminal.err()
			.printf("quorate: %,d records were refused, and %,d may have been written or not: they are in %s%n",
					this.refused, this.unknown, this.path);
		return (this.unknown > 0) ? ExitCode.UNKNOWN : ExitCode.FAILED;
	}

	@Override
	public synchronized void close() throws IOException {
		if (this.stream != null) {
			this.stream.close();
		}
	}

}
