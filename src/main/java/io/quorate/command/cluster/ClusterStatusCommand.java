package io.quorate.command.cluster;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
import tools.jackson.databind.JsonNode;

/**
 * The subcommand {@code cluster status}: prints the layout that a node has adopted, its
 * members, the change that is under way, and what the next layout waits for.
 */
@Command(name = "status", header = "Prints the members of the cluster, and what the next layout waits for.",
		exitCodeListHeading = "%nExit codes:%n",
		exitCodeList = { "0:no change of the layout waits", "1:one waits, or the node does not show the layout",
				"5:no node could answer for now" },
		footer = { "", "STATE is the state of the member as the node that answers sees it, ADOPTED the version of the "
				+ "layout that the member has, PARTITIONS the number of partitions of which it is a replica. The "
				+ "principal of the token needs the right 'metrics'." })
final class ClusterStatusCommand implements Callable<Integer> {

	private static final String NONE = "-";

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Option(names = { "-o", "--output" }, paramLabel = "FORMAT", defaultValue = "table",
			description = "json, table or raw (member and state). Default: ${DEFAULT-VALUE}.")
	private OutputFormat output = OutputFormat.TABLE;

	ClusterStatusCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			LayoutAnswer layout = LayoutAnswer.of(cluster);
			print(layout, this.terminal.out());
			return layout.blockedBy().isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
		}
	}

	private void print(LayoutAnswer layout, PrintStream out) {
		switch (this.output) {
			case JSON -> out.println(layout.json());
			case RAW -> layout.members()
				.properties()
				.forEach((member) -> out.println(member.getKey() + "\t" + state(member.getValue())));
			case TABLE -> {
				out.printf("Layout %d, %s, hash %s, as %s has it%n%n", layout.version(), layout.state(), layout.hash(),
						layout.node());
				table(layout).print(out);
				if (layout.change().isThere()) {
					print(layout.change(), out);
				}
				layout.blockedBy().forEach((reason) -> out.printf("%nThe next layout waits: %s%n", reason));
			}
		}
	}

	private static TextTable table(LayoutAnswer layout) {
		List<String> head = new ArrayList<>(List.of("MEMBER", "ZONE", "STATE", "ADOPTED"));
		boolean hasPartitions = layout.hasPartitions();
		if (hasPartitions) {
			head.add("PARTITIONS");
		}
		TextTable table = new TextTable(head.toArray(String[]::new));
		for (Map.Entry<String, JsonNode> member : layout.members().properties()) {
			JsonNode its = member.getValue();
			List<String> row = new ArrayList<>(List.of(member.getKey(), its.path("zone").asString(NONE), state(its),
					its.path("adopted").asString(NONE)));
			if (hasPartitions) {
				row.add(ChangeReport.count(its.path("partitions")));
			}
			table.add(row.toArray(String[]::new));
		}
		return table;
	}

	private static void print(ChangeReport change, PrintStream out) {
		List<String> words = new ArrayList<>(List.of(change.step()));
		if (!Double.isNaN(change.share())) {
			words.add(ChangeReport.percent(change.share()));
		}
		words.addAll(change.amounts());
		out.printf("%nUnder way: %s: %s%n", change.words(), String.join(", ", words));
		if (!change.origin().isEmpty()) {
			out.printf("Asked for %s%n", change.origin());
		}
		if (change.hasGainers()) {
			out.println();
			change.gainers().print(out);
		}
	}

	private static String state(JsonNode member) {
		return member.path("state").asString(NONE);
	}

}
