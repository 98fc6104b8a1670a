package io.quorate.api.batch;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

import io.quorate.api.problem.ProblemException;

/**
 * A string within a line of JSON, without its escapes: a part of the array in which the
 * line stands, so that a large value is copied once, when it is wanted. Well-formed
 * UTF-8.
 */
final class JsonText {

	private static final int UNICODE_ESCAPE = 6;

	private final byte[] bytes;

	private final int from;

	private final int to;

	private JsonText(byte[] bytes, int from, int to) {
		this.bytes = bytes;
		this.from = from;
		this.to = to;
	}

	/**
	 * Returns the string that begins at a quote. Its escapes are resolved in its place,
	 * which they only make shorter.
	 * @param name its name, for the message
	 * @param line well-formed UTF-8 with a string of JSON at this place, which was parsed
	 * before and is not parsed again
	 * @throws ProblemException 400 when an escape stands for half of a character
	 */
	static JsonText at(String name, byte[] line, int quote) {
		int from = quote + 1;
		int end = from;
		while (line[end] != '"') {
			if (line[end] == '\\') {
				return resolved(name, line, from, end);
			}
			end++;
		}
		return new JsonText(line, from, end);
	}

	private static JsonText resolved(String name, byte[] line, int from, int firstEscape) {
		int write = firstEscape;
		int read = firstEscape;
		while (line[read] != '"') {
			if (line[read] != '\\') {
				line[write++] = line[read++];
			}
			else if (line[read + 1] != 'u') {
				line[write++] = character(line[read + 1]);
				read += 2;
			}
			else {
				int codePoint = codePoint(name, line, read);
				read += (codePoint < Character.MIN_SUPPLEMENTARY_CODE_POINT) ? UNICODE_ESCAPE : 2 * UNICODE_ESCAPE;
				write = put(codePoint, line, write);
			}
		}
		return new JsonText(line, from, write);
	}

	private static byte character(byte escaped) {
		return switch (escaped) {
			case 'b' -> '\b';
			case 'f' -> '\f';
			case 'n' -> '\n';
			case 'r' -> '\r';
			case 't' -> '\t';
			default -> escaped;
		};
	}

	private static int codePoint(String name, byte[] line, int at) {
		char first = unit(line, at);
		if (!Character.isSurrogate(first)) {
			return first;
		}
		boolean isFollowed = line[at + UNICODE_ESCAPE] == '\\' && line[at + UNICODE_ESCAPE + 1] == 'u';
		char second = isFollowed ? unit(line, at + UNICODE_ESCAPE) : 0;
		if (!Character.isSurrogatePair(first, second)) {
			throw ProblemException
				.badRequest("member '%s' is no Unicode text: the escape \\u%04x is half of a character".formatted(name,
						(int) first));
		}
		return Character.toCodePoint(first, second);
	}

	private static char unit(byte[] line, int at) {
		int unit = 0;
		for (int i = at + 2; i < at + UNICODE_ESCAPE; i++) {
			unit = (unit << 4) + Character.digit(line[i], 16);
		}
		return (char) unit;
	}

	/** Writes a character as UTF-8, in at most as many bytes as its escape has. */
	private static int put(int codePoint, byte[] line, int at) {
		int more = (codePoint < 0x80) ? 0 : (codePoint < 0x800) ? 1 : (codePoint < 0x10000) ? 2 : 3;
		if (more == 0) {
			line[at] = (byte) codePoint;
			return at + 1;
		}
		// As many leading ones as there are bytes.
		line[at] = (byte) ((0xf00 >> (more + 1)) | (codePoint >> (6 * more)));
		for (int i = 1; i <= more; i++) {
			line[at + i] = (byte) (0x80 | ((codePoint >> (6 * (more - i))) & 0x3f));
		}
		return at + more + 1;
	}

	/** Number of bytes. */
	int sizeBytes() {
		return this.to - this.from;
	}

	/** A copy of the bytes. */
	byte[] utf8() {
		return Arrays.copyOfRange(this.bytes, this.from, this.to);
	}

	/** The largest number of bytes that {@link #decoded} can return. */
	int decodedSizeBytes() {
		return Math.ceilDiv(sizeBytes(), 4) * 3;
	}

	/**
	 * The bytes for which the text stands as base64 (RFC 4648, 4), with or without
	 * padding.
	 * @param name its name, for the message
	 * @throws ProblemException 400 when it does not
	 */
	byte[] decoded(String name) {
		try {
			ByteBuffer decoded = Base64.getDecoder().decode(ByteBuffer.wrap(this.bytes, this.from, sizeBytes()));
			return (decoded.limit() == decoded.array().length) ? decoded.array()
					: Arrays.copyOf(decoded.array(), decoded.limit());
		}
		catch (IllegalArgumentException wrong) {
			throw ProblemException.badRequest("member '%s' is no base64: %s".formatted(name, wrong.getMessage()));
		}
	}

	@Override
	public String toString() {
		return new String(this.bytes, this.from, sizeBytes(), StandardCharsets.UTF_8);
	}

}
