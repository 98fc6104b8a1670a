package io.quorate.api;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

import io.quorate.api.problem.ProblemException;

/**
 * Strict percent-decoding (RFC 3986). A plus is a plus. A broken escape, or one whose
 * bytes are not UTF-8, is an error and never replaced: two wrong texts must not become
 * the same one.
 */
final class PercentCoding {

	private PercentCoding() {
	}

	/**
	 * Decodes a parameter.
	 * @param name its name, for the message
	 * @param raw ASCII text with escapes
	 * @return bytes that are well-formed UTF-8
	 * @throws ProblemException 400 when they are not
	 */
	static byte[] decode(String name, String raw) {
		byte[] bytes = new byte[raw.length()];
		int size = 0;
		boolean ascii = true;
		int at = 0;
		while (at < raw.length()) {
			char c = raw.charAt(at);
			if (c == '%') {
				bytes[size] = escaped(name, raw, at);
				at += 3;
			}
			else {
				bytes[size] = literal(name, c);
				at++;
			}
			ascii &= bytes[size] >= 0;
			size++;
		}
		if (!ascii) {
			requireUtf8(name, bytes, size);
		}
		return (size == bytes.length) ? bytes : Arrays.copyOf(bytes, size);
	}

	private static byte escaped(String name, String raw, int at) {
		if (at + 2 >= raw.length() || !HexFormat.isHexDigit(raw.charAt(at + 1))
				|| !HexFormat.isHexDigit(raw.charAt(at + 2))) {
			throw ProblemException.badRequest(
					"parameter '%s' has a broken percent escape '%s': two hexadecimal digits must follow a %%, and a percent sign is written %%25"
						.formatted(name, raw.substring(at, Math.min(at + 3, raw.length()))));
		}
		return (byte) HexFormat.fromHexDigits(raw, at + 1, at + 3);
	}

	private static byte literal(String name, char c) {
		if (c > 127) {
			throw ProblemException
				.badRequest("parameter '%s' has a character that must be percent-encoded as UTF-8".formatted(name));
		}
		return (byte) c;
	}

	private static void requireUtf8(String name, byte[] bytes, int size) {
		try {
			StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, size));
		}
		catch (CharacterCodingException _) {
			throw ProblemException
				.badRequest("parameter '%s' is not UTF-8: percent-encode the UTF-8 bytes of the text".formatted(name));
		}
	}

}
