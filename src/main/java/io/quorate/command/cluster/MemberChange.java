package io.quorate.command.cluster;

import java.util.function.Predicate;

import io.quorate.client.Request;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A change of the members that an operator asks for.
 *
 * @param command the name of the command at a node
 * @param parameters the parameters of it but for the version
 * @param result the result in words
 * @param isIn whether a stable layout has the result
 */
record MemberChange(String command, ObjectNode parameters, String result, Predicate<LayoutAnswer> isIn) {

	private static final String MEMBER = "member";

	/** A node joins. */
	static MemberChange add(String node) {
		String id = NodeConverter.idOf(node);
		return new MemberChange("add", empty().put(MEMBER, node), id + " is a member", (layout) -> layout.has(id));
	}

	/**
	 * A member leaves.
	 * @param isDead whether it will not come back
	 */
	static MemberChange remove(String member, boolean isDead) {
		return new MemberChange("remove", declared(empty().put(MEMBER, member), isDead),
				member + " is no member any more" + (isDead ? "" : ", and can be stopped"),
				(layout) -> !layout.has(member));
	}

	/**
	 * A node takes the place of a member.
	 * @param isDead whether the member will not come back
	 */
	static MemberChange replace(String member, String node, boolean isDead) {
		String id = NodeConverter.idOf(node);
		return new MemberChange("replace", declared(empty().put(MEMBER, member).put("node", node), isDead),
				id + " has taken the place of " + member + (isDead ? "" : ", which can be stopped"),
				(layout) -> layout.has(id) && !layout.has(member));
	}

	/** The replication factor becomes another one. */
	static MemberChange replication(int factor) {
		return new MemberChange("replication", empty().put("factor", factor), "the replication factor is " + factor,
				(layout) -> {
					// A node that does not show the factor has no other answer either.
					JsonNode shown = layout.json().path("replicationFactor");
					return !shown.isNumber() || shown.asInt() == factor;
				});
	}

	/** The change that is under way is given up. */
	static MemberChange abort() {
		return new MemberChange("abort", empty(), "the members are those of before", LayoutAnswer::isStable);
	}

	private static ObjectNode empty() {
		return JsonMapper.shared().createObjectNode();
	}

	private static ObjectNode declared(ObjectNode parameters, boolean isDead) {
		return isDead ? parameters.put("dead", true) : parameters;
	}

	/**
	 * The request for it.
	 * @param version version of the layout that the change is to follow
	 * @param isDry whether the node checks it alone
	 */
	Request request(long version, boolean isDry) {
		ObjectNode body = empty().put("version", version);
		body.setAll(this.parameters);
		if (isDry) {
			body.put("dryRun", true);
		}
		Request request = Request.write("POST", LayoutAnswer.PATH + "/" + this.command)
			.field("Content-Type", "application/json")
			.body(JsonMapper.shared().writeValueAsBytes(body));
		return isDry ? request.harmless() : request;
	}

}
