package io.quorate.command.cluster;

import java.util.concurrent.Callable;

import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The subcommand {@code cluster abort}: gives up the change that is under way. */
@Command(name = "abort", header = "Gives up the change of members that is under way.", footer = { "",
		"The members are those of before. The principal of the token needs the rights 'admin' and 'metrics'." })
final class ClusterAbortCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ChangeOptions options = new ChangeOptions();

	ClusterAbortCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		return new ChangeRun(this.terminal, this.nodes, this.options).run(MemberChange.abort());
	}

}
