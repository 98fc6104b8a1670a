package io.quorate.command.cluster;

import java.util.concurrent.Callable;

import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The subcommand {@code cluster add}: has a node join the cluster. */
@Command(name = "add", header = "Has a node that runs as a candidate join the cluster.", footer = { "",
		"The node runs already, with an empty directory and quorate.cluster.join. It has to know a member by "
				+ "quorate.cluster.members or quorate.cluster.seeds; any member adds it. No request fails meanwhile.",
		"The principal of the token needs the rights 'admin' and 'metrics'." })
final class ClusterAddCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ChangeOptions options = new ChangeOptions();

	@Parameters(paramLabel = "NODE", converter = NodeConverter.class,
			description = "The node, such as n3@10.0.0.4:7100; with its zone, such as n3@10.0.0.4:7100/b, if the members have "
					+ "zones. It is the address for other nodes.")
	private String node = "";

	ClusterAddCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		return new ChangeRun(this.terminal, this.nodes, this.options).run(MemberChange.add(this.node));
	}

}
