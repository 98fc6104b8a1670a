package io.quorate.command;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import io.quorate.command.terminal.Utf8;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a process as its user wrote them. The JVM puts replacement characters
 * in the place of bytes that are no text, or that its locale cannot say.
 */
public final class Arguments {

	private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");

	private static final String REPLACEMENT = "\uFFFD";

	private Arguments() {
	}

	/**
	 * The reason why the arguments are not those of the user, {@code null} if they are.
	 */
	public static @Nullable String fault(List<String> arguments) {
		return fault(arguments, COMMAND_LINE);
	}

	/*
	 * A replacement character that the user has written is one on the command line, too.
	 */
	public static @Nullable String fault(List<String> arguments, Path commandLine) {
		for (int i = 0; i < arguments.size(); i++) {
			if (arguments.get(i).contains(REPLACEMENT)) {
				byte[] written = written(arguments.size() - i, commandLine);
				String said = "argument %d ".formatted(i + 1);
				try {
					if (written != null && !Utf8.text(written).equals(arguments.get(i))) {
						return said + "has characters that this locale cannot say:"
								+ " set LC_ALL to one of UTF-8, such as C.UTF-8";
					}
				}
				catch (CharacterCodingException noText) {
					return said + "is not UTF-8";
				}
				if (written == null) {
					return said + "has the replacement character U+FFFD, or is not UTF-8";
				}
			}
		}
		return null;
	}

	/* The last but so many of the command line, each of which ends with a zero. */
	private static byte @Nullable [] written(int fromEnd, Path commandLine) {
		byte[] line;
		try {
			line = Files.readAllBytes(commandLine);
		}
		catch (IOException unknown) {
			return null;
		}
		int end = line.length - 1;
		for (int left = fromEnd; end >= 0; left--) {
			int start = end;
			while (start > 0 && line[start - 1] != 0) {
				start--;
			}
			if (left == 1) {
				return Arrays.copyOfRange(line, start, end);
			}
			end = start - 1;
		}
		return null;
	}

}
