package io.quorate.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The subcommand {@code cluster}: the commands about the members of the cluster. */
@Command(name = "cluster", header = "Shows the layout of the cluster.", synopsisSubcommandLabel = "COMMAND",
		subcommands = ClusterStatusCommand.class)
final class ClusterCommand implements Runnable {

	@Spec
	private @Nullable CommandSpec spec;

	@Override
	public void run() {
		throw Program.missingCommand(this.spec);
	}

}
