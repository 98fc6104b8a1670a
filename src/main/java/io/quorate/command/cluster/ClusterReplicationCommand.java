package io.quorate.command.cluster;

import java.util.concurrent.Callable;

import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The subcommand {@code cluster replication}: changes the replication factor. */
@Command(name = "replication", header = "Changes the replication factor by one.",
		footer = { "", "The principal of the token needs the rights 'admin' and 'metrics'." })
final class ClusterReplicationCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ChangeOptions options = new ChangeOptions();

	@Parameters(paramLabel = "FACTOR", description = "The greatest number of members that hold an entry.")
	private int factor;

	ClusterReplicationCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		if (this.factor < 1) {
			throw new CommandException(ExitCode.MISUSED, "FACTOR is at least 1");
		}
		return new ChangeRun(this.terminal, this.nodes, this.options).run(MemberChange.replication(this.factor));
	}

}
