package io.quorate.command.cluster;

import java.util.concurrent.Callable;

import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The subcommand {@code cluster remove}: has a member leave the cluster. */
@Command(name = "remove", header = "Has a member leave the cluster.", footer = { "",
		"The member serves until the others have copied what it has; then it can be stopped, for good: its "
				+ "directory is not started again. The principal of the token needs the rights 'admin' and 'metrics'." })
final class ClusterRemoveCommand implements Callable<Integer> {

	static final String DEAD = "The member is lost for good, and disconnected: the change does not wait for it, and nothing is "
			+ "copied from it.";

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ChangeOptions options = new ChangeOptions();

	@Option(names = "--dead", description = DEAD)
	private boolean isDead;

	@Parameters(paramLabel = "MEMBER", converter = NodeConverter.Id.class, description = "The id of the member.")
	private String member = "";

	ClusterRemoveCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		return new ChangeRun(this.terminal, this.nodes, this.options)
			.run(MemberChange.remove(this.member, this.isDead));
	}

}
