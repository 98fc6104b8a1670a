package io.quorate.command.cluster;

import picocli.CommandLine.Command;

/**
 * The subcommand {@code cluster}: the commands about the members of the cluster. Does
 * nothing by itself.
 */
@Command(name = "cluster", header = "Shows and changes the members of the cluster.",
		synopsisSubcommandLabel = "COMMAND",
		subcommands = { ClusterStatusCommand.class, ClusterAddCommand.class, ClusterRemoveCommand.class,
				ClusterReplaceCommand.class, ClusterReplicationCommand.class, ClusterAbortCommand.class,
				ClusterRecoverCommand.class })
public final class ClusterCommand {

}
