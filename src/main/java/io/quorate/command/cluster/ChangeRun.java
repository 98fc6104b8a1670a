package io.quorate.command.cluster;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;

import io.quorate.client.Answer;
import io.quorate.command.access.Answers;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.Terminal;
import io.quorate.command.terminal.TextTable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The run of a command that changes the members: it asks a node for the change, prints
 * its answer, and waits for the end of the change if the user wants that.
 *
 * @param terminal the surroundings
 * @param nodes the nodes to ask
 * @param options the options of the change
 */
record ChangeRun(Terminal terminal, NodeOptions nodes, ChangeOptions options) {

	/* The nodes of the list may all start anew, one after the other. */
	private static final Duration SILENCE = Duration.ofMinutes(2);

	private static final int ACCEPTED = 202;

	/**
	 * Runs the command.
	 * @return its exit code
	 */
	int run(MemberChange change) {
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			JsonNode answer = asked(change, cluster);
			print(answer);
			if (this.options.isAwaited()) {
				await(change, cluster, answer.path("version").asLong());
			}
			return ExitCode.DONE;
		}
	}

	private JsonNode asked(MemberChange change, Cluster cluster) {
		Answer answer = cluster.send(change.request(version(cluster), this.options.isDry()), this::isUnderstood);
		if (LayoutAnswer.isAbsent(answer)) {
			throw LayoutAnswer.absent(answer);
		}
		if (this.options.isDry() && answer.status() == ACCEPTED) {
			throw new CommandException(ExitCode.FAILED, answer.node()
					+ ": the node knows no dry run, and HAS BEGUN the change: 'quorate cluster abort' gives it up");
		}
		try {
			JsonNode read = JsonMapper.shared().readTree(answer.body());
			if (this.options.isDry() ? read.isObject() : read.path("version").isIntegralNumber()) {
				return read;
			}
		}
		catch (JacksonException noJson) {
			// It is not of a node.
		}
		throw new CommandException(this.options.isDry() ? ExitCode.FAILED : ExitCode.UNKNOWN,
				answer.node() + ": the answer is not that of a node. The change may have begun or not.");
	}

	private boolean isUnderstood(Answer answer) {
		return answer.status() == ACCEPTED || LayoutAnswer.isAbsent(answer)
				|| (this.options.isDry() && Answers.isOk(answer));
	}

	private long version(Cluster cluster) {
		Long seen = this.options.layout();
		if (seen != null && !this.options.isDry()) {
			return seen;
		}
		LayoutAnswer now = LayoutAnswer.of(cluster);
		// A node that does not know the parameter would ignore it, and begin the change.
		if (this.options.isDry() && !now.hasPartitions()) {
			throw new CommandException(ExitCode.FAILED,
					now.node() + ": the node is an older one, which knows no dry run. It was not asked for the change");
		}
		return (seen != null) ? seen : now.version();
	}

	private void print(JsonNode answer) {
		PrintStream out = this.terminal.out();
		JsonNode plan = answer.path("plan");
		switch (this.options.output()) {
			case JSON -> out.println(answer);
			case RAW -> {
				if (this.options.isDry()) {
					plan.path("moves")
						.properties()
						.forEach((move) -> out
							.println(String.join("\t", move.getKey(), move.getValue().path("partitions").asString("-"),
									move.getValue().path("bytes").asString("-"))));
				}
				else if (!this.options.isAwaited()) {
					out.println(answer.path("version"));
				}
			}
			case TABLE -> {
				out.println(answer.path("result").asString("version " + answer.path("version") + " is decided"));
				if (!plan.path("moves").isEmpty()) {
					out.println();
					table(plan).print(out);
					out.println();
				}
			}
		}
		out.flush();
	}

	private static TextTable table(JsonNode plan) {
		TextTable table = new TextTable("GAINER", "PARTITIONS", "BYTES");
		for (Map.Entry<String, JsonNode> move : plan.path("moves").properties()) {
			JsonNode its = move.getValue();
			table.add(move.getKey(), ChangeReport.count(its.path("partitions")), ChangeReport.bytes(its.path("bytes")));
		}
		if (plan.path("moves").size() > 1) {
			table.add("all", ChangeReport.count(plan.path("partitions")), ChangeReport.bytes(plan.path("bytes")));
		}
		return table;
	}

	private void await(MemberChange change, Cluster cluster, long version) {
		LayoutAnswer end;
		try (ChangeProgress progress = new ChangeProgress(this.terminal, System::nanoTime)) {
			end = new ChangeWatch(cluster, progress, this.options.within(), SILENCE).awaitStable(version);
		}
		boolean isDone = change.isIn().test(end);
		PrintStream out = this.terminal.out();
		switch (this.options.output()) {
			case JSON -> out.println(end.json());
			case RAW -> out.println(end.version());
			case TABLE -> {
				if (isDone) {
					out.printf("version %d (%s) is stable: %s%n", end.version(), end.hash(), change.result());
				}
			}
		}
		if (!isDone) {
			throw new CommandException(ExitCode.FAILED,
					"%s: the change was given up: version %d (%s) is stable without it".formatted(end.node(),
							end.version(), end.hash()));
		}
	}

}
