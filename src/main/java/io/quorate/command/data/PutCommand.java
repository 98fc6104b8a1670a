package io.quorate.command.data;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

import io.quorate.client.Request;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.ConsistencyOptions;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.access.Requests;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.DurationConverter;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.FileFailure;
import io.quorate.command.terminal.KeyConverter;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Terminal;
import io.quorate.command.terminal.Utf8;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/**
 * The subcommand {@code put}: stores a value under a key. A write of unknown outcome is
 * not repeated.
 */
@Command(name = "put", header = "Stores a value under a key.", footer = { "",
		"The value is VALUE, or --file, or else standard input. When the command ends with 0, the value is "
				+ "on the disks of a majority of its replicas. raw prints nothing then, json the etag of the value." })
public final class PutCommand implements Callable<Integer> {

	/* A node takes none that is larger, whatever is configured for it. */
	private static final int MOST_BYTES = 16 * 1024 * 1024;

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ConsistencyOptions consistency = new ConsistencyOptions();

	@Option(names = "--ttl", paramLabel = "DURATION", converter = DurationConverter.class,
			description = "The time after which the value is gone, whole seconds, such as 60s, 1h or 1d.")
	private @Nullable Duration timeToLive;

	@Option(names = "--content-type", paramLabel = "TYPE", converter = MediaType.class,
			description = "The media type of the value, such as text/plain.")
	private @Nullable String contentType;

	@Option(names = { "-f", "--file" }, paramLabel = "FILE",
			description = "A file whose bytes are the value; - is standard input.")
	private @Nullable Path file;

	@Option(names = { "-o", "--output" }, paramLabel = "FORMAT", defaultValue = "raw",
			description = OutputFormat.DESCRIPTION)
	private OutputFormat output = OutputFormat.RAW;

	@Parameters(index = "0", paramLabel = "KEY", converter = KeyConverter.class, description = "The key.")
	private String key = "";

	@Parameters(index = "1", arity = "0..1", paramLabel = "VALUE", description = "The value as text.")
	private @Nullable String value;

	PutCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		Request put = this.consistency.on(Requests.put(this.key, bytes()))
			.parameter("ttl", seconds())
			.field("Content-Type", this.contentType);
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			WrittenKeys.write(cluster, put, this.key, this.output, this.terminal);
		}
		return ExitCode.DONE;
	}

	private @Nullable Long seconds() {
		if (this.timeToLive == null) {
			return null;
		}
		if (this.timeToLive.toMillisPart() != 0) {
			throw new CommandException(ExitCode.MISUSED, "--ttl is in whole seconds");
		}
		return this.timeToLive.toSeconds();
	}

	private byte[] bytes() {
		if (this.value != null && this.file != null) {
			throw new CommandException(ExitCode.MISUSED, "the value is VALUE or --file, not both");
		}
		try {
			if (this.value != null) {
				return Utf8.bytes(this.value);
			}
			boolean isStandard = this.file == null || this.file.equals(Terminal.STANDARD);
			try (InputStream from = isStandard ? this.terminal.in() : Files.newInputStream(this.file)) {
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
