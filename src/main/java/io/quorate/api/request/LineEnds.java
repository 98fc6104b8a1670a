package io.quorate.api.request;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.io.SerializedString;

/**
 * The escapes of lines of JSON: also of characters that JSON permits in a string, and at
 * which readers of lines in use, such as Python's {@code splitlines}, end a line.
 */
public final class LineEnds extends CharacterEscapes {

	private static final long serialVersionUID = 1L;

	private static final SerializedString NEXT_LINE = new SerializedString("\\u0085");

	private static final SerializedString LINE_SEPARATOR = new SerializedString("\\u2028");

	private static final SerializedString PARAGRAPH_SEPARATOR = new SerializedString("\\u2029");

	@Override
	public int[] getEscapeCodesForAscii() {
		return standardAsciiEscapesForJSON();
	}

	@Override
	public @Nullable SerializableString getEscapeSequence(int character) {
		return switch (character) {
			case 0x85 -> NEXT_LINE;
			case 0x2028 -> LINE_SEPARATOR;
			case 0x2029 -> PARAGRAPH_SEPARATOR;
			default -> null;
		};
	}

}
