package io.quorate.command;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A key as an argument. The JDK replaces characters of an argument that the locale cannot
 * say; such a key would be another one than the user wrote, and is refused.
 */
final class KeyConverter implements ITypeConverter<String> {

	private static final int MOST_BYTES = 1024;

	private static final char REPLACEMENT = '\uFFFD';

	@Override
	public String convert(String text) {
		int length;
		try {
			length = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text)).remaining();
		}
		catch (CharacterCodingException broken) {
			throw new TypeConversionException("the key is not Unicode");
		}
		if (text.indexOf(REPLACEMENT) >= 0 && !"UTF-8".equalsIgnoreCase(System.getProperty("sun.jnu.encoding", ""))) {
			throw new TypeConversionException(
					"the key has characters that this locale cannot say: set LC_ALL to one of UTF-8, such as C.UTF-8");
		}
		if (length == 0 || length > MOST_BYTES) {
			throw new TypeConversionException("a key has 1 to 1,024 bytes, this one has " + length);
		}
		return text;
	}

}
