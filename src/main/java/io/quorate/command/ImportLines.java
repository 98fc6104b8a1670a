package io.quorate.command;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/** The lines of a file, with their place in it. Used by one thread. */
final class ImportLines {

	private static final int BUFFER = 256 * 1024;

	private final InputStream bytes;

	private long offset;

	private long number;

	/**
	 * Lines from a place on.
	 * @param bytes the input, at that place
	 * @param offset the number of bytes before it
	 * @param number the number of lines before it
	 */
	ImportLines(InputStream bytes, long offset, long number) {
		this.bytes = new BufferedInputStream(bytes, BUFFER);
		this.offset = offset;
		this.number = number;
	}

	/** The next line without its line feed, {@code null} at the end. */
	@Nullable String next() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		int next = this.bytes.read();
		if (next < 0) {
			return null;
		}
		while (next >= 0 && next != '\n') {
			line.write(next);
			next = this.bytes.read();
		}
		this.offset += line.size() + ((next >= 0) ? 1 : 0);
		this.number++;
		return line.toString(StandardCharsets.UTF_8);
	}

	/** Number of bytes that were read. */
	long offset() {
		return this.offset;
	}

	/** Number of lines that were read. */
	long number() {
		return this.number;
	}

}
