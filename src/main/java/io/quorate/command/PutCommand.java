package io.quorate.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The subcommand {@code put}: stores a value under a key. */
@Command(name = "put", header = "Stores a value under a key.", footer = { "",
		"The value is VALUE, or --file, or else standard input. When the command ends with 0, the value is "
				+ "on the disks of a majority of its replicas. raw prints nothing then, json the etag of the value." })
final class PutCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ConsistencyOptions consistency = new ConsistencyOptions();

	@Option(names = "--ttl", paramLabel = "DURATION", converter = DurationConverter.class,
			description = "The time after which the value is gone, whole seconds, such as 60s or 5m.")
	private @Nullable Duration timeToLive;

	@Option(names = "--content-type", paramLabel = "TYPE",
			description = "The media type of the value, such as text/plain.")
	private @Nullable String contentType;

	@Option(names = { "-f", "--file" }, paramLabel = "FILE", description = "A file whose bytes are the value.")
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
		Call call = this.consistency.on(Call.ofKey("PUT", this.key))
			.with("ttl", seconds())
			.withHeader("Content-Type", this.contentType)
			.withBody(bytes());
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			WrittenKeys.write(cluster, call, this.key, this.output, this.terminal);
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
				return this.value.getBytes(StandardCharsets.UTF_8);
			}
			return (this.file != null) ? Files.readAllBytes(this.file) : this.terminal.in().readAllBytes();
		}
		catch (IOException failure) {
			throw new CommandException(ExitCode.MISUSED, "the value cannot be read: " + failure, failure);
		}
	}

}
