package io.quorate.command;

import java.util.List;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The subcommand {@code del}: deletes keys. */
@Command(name = "del", header = "Deletes keys, one after the other.", footer = { "",
		"A key that does not exist is deleted, too. The command ends at the first key that it cannot delete, "
				+ "and names it: with 1 if it has deleted others before and no node could answer for this one." })
final class DeleteCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ConsistencyOptions consistency = new ConsistencyOptions();

	@Option(names = { "-o", "--output" }, paramLabel = "FORMAT", defaultValue = "raw",
			description = OutputFormat.DESCRIPTION)
	private OutputFormat output = OutputFormat.RAW;

	@Parameters(arity = "1..*", paramLabel = "KEY", converter = KeyConverter.class, description = "The keys.")
	private List<String> keys = List.of();

	DeleteCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			for (String key : this.keys) {
				try {
					WrittenKeys.write(cluster, this.consistency.on(Call.ofKey("DELETE", key)), key, this.output,
							this.terminal);
				}
				catch (CommandException failure) {
					boolean isInPart = failure.exitCode() == ExitCode.UNAVAILABLE && !key.equals(this.keys.getFirst());
					throw new CommandException(isInPart ? ExitCode.FAILED : failure.exitCode(),
							key + ": " + failure.getMessage(), failure);
				}
			}
		}
		return ExitCode.DONE;
	}

}
