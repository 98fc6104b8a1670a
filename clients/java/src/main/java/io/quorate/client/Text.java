package io.quorate.client;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Functions of text and its bytes. What is no text is an error: those of strings put a
 * question mark or a replacement character in its place, which would be another key or
 * value.
 */
final class Text {

	private Text() {
	}

	/**
	 * Returns a text as UTF-8.
	 * @throws CharacterCodingException if it has half of a surrogate pair
	 */
	static ByteBuffer encode(String text) throws CharacterCodingException {
		return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
	}

	/** Returns whether a text has whole characters alone. */
	static boolean isWhole(String text) {
		return StandardCharsets.UTF_8.newEncoder().canEncode(text);
	}

	/**
	 * Returns a value as text, by the charset of its type.
	 * @throws IllegalStateException if it is no such text
	 */
	static String of(byte[] value, String type) {
		try {
			return MediaType.charset(type).newDecoder().decode(ByteBuffer.wrap(value)).toString();
		}
		catch (CharacterCodingException failure) {
			throw new IllegalStateException("the value is no text of its type, " + type + ": value() has its bytes",
					failure);
		}
	}

}
