package io.quorate.command.terminal;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Functions of text as bytes. What is no text is refused: the functions of the JDK put a
 * question mark or a replacement character in its place, which would be another key or
 * value than the user has.
 */
public final class Utf8 {

	private Utf8() {
	}

	/**
	 * The bytes of a text.
	 * @throws CharacterCodingException if it has half of a surrogate pair
	 */
	public static byte[] bytes(String text) throws CharacterCodingException {
		ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
		byte[] bytes = new byte[encoded.remaining()];
		encoded.get(bytes);
		return bytes;
	}

	/**
	 * The text of bytes.
	 * @throws CharacterCodingException if they are no UTF-8
	 */
	public static String text(byte[] bytes) throws CharacterCodingException {
		return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
	}

	/** Whether a text has whole characters alone. */
	public static boolean isText(String text) {
		return StandardCharsets.UTF_8.newEncoder().canEncode(text);
	}

}
