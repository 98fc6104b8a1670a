package io.quorate.command.cluster;

import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;

import io.quorate.command.access.Cluster;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Terminal;
import io.quorate.command.terminal.TextTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The subcommand {@code status}: prints the state of each node of the list. Asks every
 * node of it.
 */
@Command(name = "status", header = "Prints the state of each node of the list.",
		exitCodeListHeading = "%nExit codes:%n",
		exitCodeList = { "0:all nodes of the list serve", "1:some do not", "5:none does" },
		footer = { "",
				"WRITES/S, P50, P99 and MISSED are of the writes of the last five minutes that the node coordinated: P50 "
						+ "and P99 are the times until all replicas held them, MISSED counts those that a replica has missed.",
				"HINTS are writes that the node keeps for peers. PEERS are other members, as this node sees them." })
public final class StatusCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Option(names = { "-o", "--output" }, paramLabel = "FORMAT", defaultValue = "table",
			description = "json, table or raw (one word for each node). Default: ${DEFAULT-VALUE}.")
	private OutputFormat output = OutputFormat.TABLE;

	StatusCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			List<NodeState> states = NodeState.all(cluster);
			print(states, this.output, this.terminal.out());
			long serving = states.stream().filter(NodeState::isServing).count();
			if (serving == states.size()) {
				return ExitCode.DONE;
			}
			return (serving > 0) ? ExitCode.FAILED : ExitCode.UNAVAILABLE;
		}
	}

	private static void print(List<NodeState> states, OutputFormat format, PrintStream out) {
		switch (format) {
			case JSON -> states.forEach((state) -> out.println(state.json()));
			case RAW -> states.forEach((state) -> out.println(state.node() + "\t" + state.state()));
			case TABLE -> {
				TextTable table = NodeState.table();
				states.forEach((state) -> table.add(state.cells()));
				table.print(out);
			}
		}
	}

}
