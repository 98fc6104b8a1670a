package io.quorate.client;

import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;

/**
 * A problem document (RFC 9457) with which a node has answered. The answer to
 * {@code HEAD} has no document: then {@link #type()} is empty.
 *
 * @param node the URL of the node
 * @param status the status of the answer
 * @param members all members of the document, also those without a method of their own
 * @param retryAfter the time after which the node asks to try again; {@code null} if it
 * does not say so
 */
public record Problem(String node, int status, Map<String, Object> members,
		@Nullable Duration retryAfter) implements Serializable {

	static final String PREFIX = "urn:quorate:problem:";

	/** Creates a problem with a copy of the members. */
	public Problem {
		members = Map.copyOf(members);
	}

	/** Returns the kind of problem, such as {@code urn:quorate:problem:overloaded}. */
	public String type() {
		return text("type");
	}

	/** Returns the kind of problem in words. */
	public String title() {
		return text("title");
	}

	/** Returns the fault and its remedy, for people. */
	public String detail() {
		return text("detail");
	}

	/** Returns the path of the request, without its query and key. */
	public String instance() {
		return text("instance");
	}

	/**
	 * Returns {@code unknown} after a write that may have happened or not, and
	 * {@code not-written} or {@code written} if that is known; else it is empty.
	 */
	public String outcome() {
		return text("outcome");
	}

	/** Returns the number of replicas that had to answer, if the problem says it. */
	public OptionalInt required() {
		return number("required");
	}

	/** Returns the number of replicas that did answer, if the problem says it. */
	public OptionalInt acknowledged() {
		return number("acknowledged");
	}

	/** Returns each replica of the request, if the problem says them. */
	public List<ReplicaAnswer> replicas() {
		List<ReplicaAnswer> answers = new ArrayList<>();
		if (this.members.get("replicas") instanceof List<?> listed) {
			for (Object each : listed) {
				if (each instanceof Map<?, ?> replica) {
					answers.add(new ReplicaAnswer(text(replica, "node"), text(replica, "said")));
				}
			}
		}
		return List.copyOf(answers);
	}

	private String text(String name) {
		return text(this.members, name);
	}

	private static String text(Map<?, ?> members, String name) {
		return (members.get(name) instanceof String text) ? text : "";
	}

	private OptionalInt number(String name) {
		return (this.members.get(name) instanceof Long number && number == number.intValue())
				? OptionalInt.of(number.intValue()) : OptionalInt.empty();
	}

}
