package io.quorate.command;

import java.io.PrintStream;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The subcommand {@code cluster status}: prints the layout that a node has adopted, its
 * members, and what the next layout waits for.
 */
@Command(name = "status", header = "Prints the members of the cluster, and what the next layout waits for.",
		exitCodeListHeading = "%nExit codes:%n",
		exitCodeList = { "0:no change of the layout waits", "1:one waits, or the node does not show the layout",
				"5:no node could answer for now" },
		footer = { "", "STATE is the state of the member as the node that answers sees it, ADOPTED the version of the",
				"layout that the member has. The principal of the token needs the right 'metrics'." })
final class ClusterStatusCommand implements Callable<Integer> {

	private static final String LAYOUT = "/actuator/cluster";

	private static final int NOT_FOUND = 404;

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
			Call call = Call.get(LAYOUT);
			HttpResponse<byte[]> answer = cluster.send(call);
			if (answer.statusCode() == NOT_FOUND) {
				throw new CommandException(ExitCode.FAILED, Cluster.node(answer)
						+ ": 404: there is no layout at this port. The node is an older one, or has a port of its own"
						+ " for operators (management.server.port)");
			}
			if (!Answers.isSuccess(answer)) {
				throw cluster.failure(call, answer);
			}
			JsonNode layout = read(answer);
			print(layout, Cluster.node(answer), this.terminal.out());
			return layout.path("blockedBy").isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
		}
	}

	private static JsonNode read(HttpResponse<byte[]> answer) {
		String refusal = Cluster.node(answer) + ": the answer is no layout";
		JsonNode layout;
		try {
			layout = JsonMapper.shared().readTree(answer.body());
		}
		catch (JacksonException noJson) {
			throw new CommandException(ExitCode.FAILED, refusal, noJson);
		}
		if (!layout.path("version").isIntegralNumber() || !layout.path("members").isObject()) {
			throw new CommandException(ExitCode.FAILED, refusal);
		}
		return layout;
	}

	private void print(JsonNode layout, String node, PrintStream out) {
		switch (this.output) {
			case JSON -> out.println(layout);
			case RAW -> layout.path("members")
				.properties()
				.forEach((member) -> out.println(member.getKey() + "\t" + state(member.getValue())));
			case TABLE -> {
				out.printf("Layout %s, %s, hash %s, as %s has it%n%n", layout.path("version").asString(),
						layout.path("state").asString(NONE), layout.path("hash").asString(NONE), node);
				table(layout.path("members")).print(out);
				layout.path("blockedBy")
					.forEach((reason) -> out.printf("%nThe next layout waits: %s%n", reason.asString()));
			}
		}
	}

	private static TextTable table(JsonNode members) {
		TextTable table = new TextTable("MEMBER", "ZONE", "STATE", "ADOPTED");
		for (Map.Entry<String, JsonNode> member : members.properties()) {
			JsonNode its = member.getValue();
			table.add(member.getKey(), its.path("zone").asString(NONE), state(its), its.path("adopted").asString(NONE));
		}
		return table;
	}

	private static String state(JsonNode member) {
		return member.path("state").asString(NONE);
	}

}
