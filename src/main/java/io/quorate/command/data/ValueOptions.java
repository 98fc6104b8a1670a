package io.quorate.command.data;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;

import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.FileFailure;
import io.quorate.command.terminal.Terminal;
import io.quorate.command.terminal.Utf8;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * The options of a value that is to be stored, and the value itself. The parser sets them
 * before the command runs.
 */
final class ValueOptions {

	/* A node takes none that is larger, whatever is configured for it. */
	private static final int MOST_BYTES = 16 * 1024 * 1024;

	@Option(names = "--ttl", paramLabel = "DURATION", converter = TimeToLive.class,
			description = "The time after which the value is gone, whole seconds, such as 60s, 1h or 1d.")
	private @Nullable Duration timeToLive;

	@Option(names = "--content-type", paramLabel = "TYPE", converter = MediaType.class,
			description = "The media type of the value, such as text/plain.")
	private @Nullable String contentType;

	@Option(names = { "-f", "--file" }, paramLabel = "FILE",
			description = "A file whose bytes are the value; - is standard input.")
	private @Nullable Path file;

	@Nullable Duration timeToLive() {
		return this.timeToLive;
	}

	@Nullable String contentType() {
		return this.contentType;
	}

	/**
	 * The bytes of the value: of the text, or of the file, or of standard input.
	 * @throws CommandException if they cannot be read
	 */
	byte[] bytes(@Nullable String text, Terminal terminal) {
		if (text != null && this.file != null) {
			throw new CommandException(ExitCode.MISUSED, "the value is VALUE or --file, not both");
		}
		try {
			if (text != null) {
				return Utf8.bytes(text);
			}
			boolean isStandard = this.file == null || this.file.equals(Terminal.STANDARD);
			try (InputStream from = isStandard ? terminal.in() : Files.newInputStream(this.file)) {
				byte[] bytes = from.readNBytes(MOST_BYTES + 1);
				if (bytes.length > MOST_BYTES) {
					throw new CommandException(ExitCode.MISUSED, "a value has at most 16 MiB, and this one has more");
				}
				return bytes;
			}
		}
		catch (CharacterCodingException broken) {
			throw new CommandException(ExitCode.MISUSED, "the value is not Unicode", broken);
		}
		catch (IOException failure) {
			throw new CommandException(ExitCode.MISUSED, "the value cannot be read: " + FileFailure.reason(failure),
					failure);
		}
	}

	/**
	 * A media type: what a node would refuse, the client of the JDK refuses in its own
	 * words.
	 */
	static final class MediaType implements ITypeConverter<String> {

		private static final Pattern FORM = Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e]{0,253}[\\x21-\\x7e])?");

		@Override
		public String convert(String text) {
			if (!FORM.matcher(text).matches()) {
				throw new TypeConversionException(
						"a media type has 1 to 255 visible characters of ASCII, and spaces between them");
			}
			return text;
		}

	}

}
