package io.quorate.command.terminal;

import java.nio.charset.CharacterCodingException;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A key as an argument, or as a line of standard input. One that no node takes is refused
 * before any request.
 */
public final class KeyConverter implements ITypeConverter<String> {

	/** The bytes that a key may have. */
	public static final int MOST_BYTES = 1024;

	@Override
	public String convert(String text) {
		int length;
		try {
			length = Utf8.bytes(text).length;
		}
		catch (CharacterCodingException broken) {
			throw new TypeConversionException("the key is not Unicode");
		}
		if (length == 0 || length > MOST_BYTES) {
			throw new TypeConversionException("a key has 1 to 1,024 bytes, this one has " + length);
		}
		return text;
	}

}
