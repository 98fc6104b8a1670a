package io.quorate.command.data;

import java.time.Duration;
import java.util.concurrent.Callable;

import io.quorate.client.Request;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.ConsistencyOptions;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.access.Requests;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.KeyConverter;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The subcommand {@code put}: stores a value under a key. A write of unknown outcome is
 * not repeated.
 */
@Command(name = "put", header = "Stores a value under a key.", footer = { "",
		"The value is VALUE, or --file, or else standard input. When the command ends with 0, the value is "
				+ "on the disks of a majority of its replicas. raw prints nothing then, json the etag of the value." })
public final class PutCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ConsistencyOptions consistency = new ConsistencyOptions();

	@Mixin
	private ValueOptions options = new ValueOptions();

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
		Duration time = this.options.timeToLive();
		Request put = this.consistency.on(Requests.put(this.key, this.options.bytes(this.value, this.terminal)))
			.parameter("ttl", (time != null) ? time.toSeconds() : null)
			.field("Content-Type", this.options.contentType());
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			WrittenKeys.write(cluster, put, this.key, this.output, this.terminal);
		}
		return ExitCode.DONE;
	}

}
