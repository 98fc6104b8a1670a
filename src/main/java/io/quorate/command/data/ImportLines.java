package io.quorate.command.data;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import org.jspecify.annotations.Nullable;

/** The lines of a file, with their place in it. Used by one thread. */
final class ImportLines {

	private static final int BUFFER = 256 * 1024;

	/* The largest value as text has six bytes for each of its own. */
	private static final int MOST_BYTES = 112 * 1024 * 1024;

	/* The byte order mark of UTF-8. */
	private static final byte[] MARK = { (byte) 0xEF, (byte) 0xBB, (byte) 0xBF };

	private final InputStream bytes;

	private final int end;

	private long offset;

	private long number;

	/**
	 * Lines from a place on.
	 * @param bytes the input, at that place
	 * @param offset the number of bytes before it
	 * @param number the number of lines before it
	 */
	ImportLines(InputStream bytes, long offset, long number) {
		this(bytes, offset, number, '\n');
	}

	private ImportLines(InputStream bytes, long offset, long number, int end) {
		this.bytes = new BufferedInputStream(bytes, BUFFER);
		this.offset = offset;
		this.number = number;
		this.end = end;
	}

	/** Lines that end with a zero byte in place of a line feed. */
	static ImportLines ofZeros(InputStream bytes) {
		return new ImportLines(bytes, 0, 0, 0);
	}

	/**
	 * Refuses what is a file of another kind as a whole.
	 * @throws CommandException with the way to make lines of it
	 */
	void requireLines() throws IOException {
		if (this.offset > 0) {
			return;
		}
		this.bytes.mark(BUFFER);
		byte[] head = new byte[BUFFER];
		int length = Math.max(0, this.bytes.read(head));
		this.bytes.reset();
		String kind = kind(Arrays.copyOf(head, length));
		if (!kind.isEmpty()) {
			throw new CommandException(ExitCode.MISUSED, "an import reads JSON lines, and this is " + kind);
		}
	}

	private static String kind(byte[] head) {
		int first = (head.length > 0) ? head[0] & 0xFF : 0;
		int second = (head.length > 1) ? head[1] & 0xFF : ' ';
		if ((first == 0xFE && second == 0xFF) || (first == 0xFF && second == 0xFE)
				|| (head.length > 1 && (first == 0) != (second == 0))) {
			return "UTF-16: 'iconv -f UTF-16 -t UTF-8' makes UTF-8 of it";
		}
		if (first == 0x1F && second == 0x8B) {
			return "compressed: 'zcat FILE | quorate import -' reads it";
		}
		String text = new String(head, StandardCharsets.ISO_8859_1);
		return text.substring(hasMark(head) ? MARK.length : 0).stripLeading().startsWith("[")
				? "one JSON array: \"jq -c '.[]' FILE | quorate import -\" reads it" : "";
	}

	private static boolean hasMark(byte[] head) {
		return Arrays.equals(head, 0, Math.min(head.length, MARK.length), MARK, 0, MARK.length);
	}

	/**
	 * The next line without its end, {@code null} behind the last one. The first one is
	 * without the mark that some programs put before UTF-8.
	 */
	byte @Nullable [] next() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		int next = this.bytes.read();
		if (next < 0) {
			return null;
		}
		while (next >= 0 && next != this.end) {
			if (line.size() == MOST_BYTES) {
				throw new CommandException(ExitCode.MISUSED, "line %d has more than %d MiB, as no record has"
					.formatted(this.number + 1, MOST_BYTES / 1024 / 1024));
			}
			line.write(next);
			next = this.bytes.read();
		}
		boolean isFirst = this.offset == 0 && this.end == '\n';
		this.offset += line.size() + ((next >= 0) ? 1 : 0);
		this.number++;
		byte[] whole = line.toByteArray();
		return (isFirst && hasMark(whole)) ? Arrays.copyOfRange(whole, MARK.length, whole.length) : whole;
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
