package io.quorate.command.data;

import java.time.Duration;
import java.util.concurrent.Callable;

import io.quorate.client.Touch;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.KeyConverter;
import io.quorate.command.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The subcommand {@code touch}: gives a value more time to live. */
@Command(name = "touch", header = "Gives a value more time to live.", footer = { "",
		"The value and its etag stay. A value that lives longer, or for ever, stays so. If there is none, the command ends "
				+ "with 3." })
public final class TouchCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Option(names = "--ttl", required = true, paramLabel = "DURATION", converter = TimeToLive.class,
			description = "The time after which the value is gone, whole seconds, such as 60s, 1h or 1d.")
	private Duration timeToLive = Duration.ZERO;

	@Parameters(index = "0", paramLabel = "KEY", converter = KeyConverter.class, description = "The key.")
	private String key = "";

	TouchCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			if (cluster.call((client) -> client.touch(Touch.of(this.key, this.timeToLive))).isEmpty()) {
				throw new CommandException(ExitCode.ABSENT, "there is no value under this key");
			}
		}
		return ExitCode.DONE;
	}

}
