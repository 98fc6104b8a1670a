package io.quorate.command.cluster;

import java.util.List;
import java.util.Locale;

import io.quorate.client.Answer;
import io.quorate.client.Request;
import io.quorate.command.access.Answers;
import io.quorate.command.access.Cluster;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The layout of the cluster, as a node has answered. A node of another version may leave
 * out fields.
 *
 * @param node the node
 * @param json its answer, which has a version and members
 */
record LayoutAnswer(String node, JsonNode json) {

	/** The path of the layout. */
	static final String PATH = "/actuator/cluster";

	private static final int NOT_FOUND = 404;

	private static final String NONE = "-";

	/**
	 * Asks a node of the list.
	 * @throws CommandException if no node shows the layout
	 */
	static LayoutAnswer of(Cluster cluster) {
		Answer answer = cluster.send(Request.read(PATH), (each) -> Answers.isSuccess(each) || isAbsent(each));
		if (isAbsent(answer)) {
			throw absent(answer);
		}
		return new LayoutAnswer(answer.node(), read(answer));
	}

	/** Whether the node does not have what it was asked for. */
	static boolean isAbsent(Answer answer) {
		return answer.status() == NOT_FOUND;
	}

	/** The failure of a request for something that the node does not have. */
	static CommandException absent(Answer answer) {
		String reason = Answers.result(answer);
		return new CommandException(ExitCode.FAILED,
				answer.node() + ": 404: "
						+ (!reason.isEmpty() ? reason
								: "there is no layout at this port. The node is an older one, or has a port of its own"
										+ " for operators (management.server.port)"));
	}

	private static JsonNode read(Answer answer) {
		String refusal = answer.node() + ": the answer is no layout";
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

	long version() {
		return this.json.path("version").asLong();
	}

	String hash() {
		return this.json.path("hash").asString(NONE);
	}

	String state() {
		return this.json.path("state").asString(NONE);
	}

	/** Whether no change of members is under way. */
	boolean isStable() {
		return state().equals("stable");
	}

	JsonNode members() {
		return this.json.path("members");
	}

	boolean has(String member) {
		return members().has(member);
	}

	/** Whether the node reports how many partitions each member has. */
	boolean hasPartitions() {
		return members().valueStream().anyMatch((member) -> member.has("partitions"));
	}

	/** The members that are up and have, as far as the node knows, an earlier version. */
	List<String> behind() {
		return members().propertyStream()
			.filter((member) -> isUp(member.getValue()) && member.getValue().path("adopted").asLong(0) < version())
			.map((member) -> String.format(Locale.ROOT, "%s has not adopted version %d", member.getKey(), version()))
			.toList();
	}

	private static boolean isUp(JsonNode member) {
		return member.path("state").asString("").equals("up");
	}

	/** The reasons for which the next layout is not decided. */
	List<String> blockedBy() {
		return this.json.path("blockedBy").valueStream().map((reason) -> reason.asString("")).toList();
	}

	/** The change that is under way, without any field if the node does not report it. */
	ChangeReport change() {
		return new ChangeReport(this.json.path("change"));
	}

}
