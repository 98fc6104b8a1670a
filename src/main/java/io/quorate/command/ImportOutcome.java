package io.quorate.command;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.jspecify.annotations.Nullable;

/**
 * The records that an import could not write, in a file of their own. Safe for threads.
 */
final class ImportOutcome implements AutoCloseable {

	private final Path path;

	private @Nullable Writer writer;

	private long refused;

	private long unknown;

	ImportOutcome(Path path) {
		this.path = path;
	}

	/** Notes a record that was certainly not written. */
	synchronized void refused(ImportItem item, String reason) throws IOException {
		this.refused++;
		write(item, reason);
	}

	/** Notes a record that may have been written or not. */
	synchronized void unknown(ImportItem item, String reason) throws IOException {
		this.unknown++;
		write(item, reason);
	}

	private void write(ImportItem item, String reason) throws IOException {
		Writer open = this.writer;
		if (open == null) {
			open = Files.newBufferedWriter(this.path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
			this.writer = open;
		}
		open.write(item.failed(reason) + "\n");
		open.flush();
	}

	/** The exit code, after a message if there is something to say. */
	synchronized int exitCode(Terminal terminal) {
		if (this.refused + this.unknown == 0) {
			return ExitCode.DONE;
		}
		terminal.err()
			.printf("quorate: %,d records were refused, and %,d may have been written or not: they are in %s%n",
					this.refused, this.unknown, this.path);
		return (this.unknown > 0) ? ExitCode.UNKNOWN : ExitCode.FAILED;
	}

	@Override
	public synchronized void close() throws IOException {
		if (this.writer != null) {
			this.writer.close();
		}
	}

}
