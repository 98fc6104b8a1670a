package io.quorate.command;

import picocli.CommandLine.Command;

/** The subcommand {@code cluster}: the commands about the members of the cluster. */
@Command(name = "cluster", header = "Shows the layout of the cluster.", synopsisSubcommandLabel = "COMMAND",
		subcommands = ClusterStatusCommand.class)
final class ClusterCommand {

}
