package io.quorate.command.cluster;

import java.util.concurrent.Callable;

import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The subcommand {@code cluster replace}: has a node take the place of a member. */
@Command(name = "replace", header = "Has a node that runs as a candidate take the place of a member.",
		footer = { "",
				"The node copies exactly the share of the member, which can be stopped then. Both are of one zone.",
				"The principal of the token needs the rights 'admin' and 'metrics'." })
final class ClusterReplaceCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ChangeOptions options = new ChangeOptions();

	@Option(names = "--dead", description = ClusterRemoveCommand.DEAD)
	private boolean isDead;

	@Parameters(index = "0", paramLabel = "MEMBER", converter = NodeConverter.Id.class,
			description = "The id of the member that goes.")
	private String member = "";

	@Parameters(index = "1", paramLabel = "NODE", converter = NodeConverter.class,
			description = "The node that comes, such as n3@10.0.0.4:7100, or n3@10.0.0.4:7100/b with its zone. It is the "
					+ "address for other nodes.")
	private String node = "";

	ClusterReplaceCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		return new ChangeRun(this.terminal, this.nodes, this.options)
			.run(MemberChange.replace(this.member, this.node, this.isDead));
	}

}
