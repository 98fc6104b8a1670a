package io.quorate.api.request;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

import io.quorate.api.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/**
 * Strict percent-decoding (RFC 3986). In a path a plus is a plus. In a parameter it is
 * refused: most encoders of forms write a space so, and the others a plus, and the node
 * does not guess which of two keys the client meant. A broken escape, or one whose bytes
 * are not UTF-8, is an error and never replaced: two wrong texts must not become the same
 * one.
 */
final class PercentCoding {

	private PercentCoding() {
	}

	/**
	 * Decodes a parameter.
	 * @param name its name, for the message
	 * @param raw ASCII text with escapes
	 * @return bytes that are well-formed UTF-8
	 * @throws ProblemException 400 when they are not, or a bare plus stands among them
	 */
	static byte[] decode(String name, String raw) {
		if (raw.indexOf('+') >= 0) {
			throw ProblemException
				.badRequest("parameter '%s' has a bare '+': write %%20 for a space, %%2B for a plus".formatted(name));
		}
		return decodeAny(name, raw);
	}

	/**
	 * Decodes the key in a path.
	 * @param raw ASCII text with escapes
	 * @return bytes that are well-formed UTF-8
	 * @throws ProblemException 400 when they are not
	 */
	static byte[] decodePath(String raw) {
		return decodeAny(null, raw);
	}

	/** The subject of a message about a parameter, or about the key in a path. */
	static String subject(@Nullable String parameter) {
		return (parameter != null) ? "parameter '%s'".formatted(parameter) : "the key in the path";
	}

	private static byte[] decodeAny(@Nullable String name, String raw) {
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

	private static byte escaped(@Nullable String name, String raw, int at) {
		if (at + 2 >= raw.length() || !HexFormat.isHexDigit(raw.charAt(at + 1))
				|| !HexFormat.isHexDigit(raw.charAt(at + 2))) {
			throw ProblemException.badRequest(
					"%s has a broken percent escape '%s': two hexadecimal digits must follow a %%, and a percent sign is written %%25"
						.formatted(subject(name), raw.substring(at, Math.min(at + 3, raw.length()))));
		}
		return (byte) HexFormat.fromHexDigits(raw, at + 1, at + 3);
	}

	private static byte literal(@Nullable String name, char c) {
		if (c > 127) {
			throw ProblemException
				.badRequest("%s has a character that must be percent-encoded as UTF-8".formatted(subject(name)));
		}
		return (byte) c;
	}

	private static void requireUtf8(@Nullable String name, byte[] bytes, int size) {
		try {
			StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, size));
		}
		catch (CharacterCodingException _) {
			throw ProblemException
				.badRequest("%s is not UTF-8: percent-encode the UTF-8 bytes of the text".formatted(subject(name)));
		}
	}

}
