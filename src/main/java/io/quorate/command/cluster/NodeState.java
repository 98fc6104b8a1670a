package io.quorate.command.cluster;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.quorate.client.Answer;
import io.quorate.client.QuorateException;
import io.quorate.client.Request;
import io.quorate.command.access.Answers;
import io.quorate.command.access.Cluster;
import io.quorate.command.terminal.TextTable;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * One node, as it answers about itself.
 *
 * @param node the node
 * @param state {@code serves}, or the reason why it does not
 * @param isServing whether it takes requests
 * @param millis time until its answer
 * @param report its replication lag, {@code null} if it does not say
 */
record NodeState(URI node, String state, boolean isServing, double millis, @Nullable JsonNode report) {

	private static final String STATUS = "/v0/status";

	private static final String CONSISTENCY = "/v0/consistency";

	private static final double NANOS_A_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

	private static final String NONE = "-";

	/**
	 * Asks all nodes of a cluster, at once: one that stands still holds up no other one.
	 */
	static List<NodeState> all(Cluster cluster) {
		return cluster.nodes()
			.stream()
			.map((node) -> CompletableFuture.supplyAsync(() -> of(cluster, node),
					(task) -> Thread.ofVirtual().start(task)))
			.toList()
			.stream()
			.map(CompletableFuture::join)
			.toList();
	}

	/** Asks a node. */
	static NodeState of(Cluster cluster, URI node) {
		long start = System.nanoTime();
		try {
			Answer status = cluster.ask(node, Request.read(STATUS), Answers::isSuccess);
			double millis = (System.nanoTime() - start) / NANOS_A_MILLI;
			JsonNode itself = JsonMapper.shared().readTree(status.body());
			String conflicts = itself.path("conflicts")
				.valueStream()
				.map(JsonNode::asString)
				.collect(Collectors.joining("; "));
			boolean isReady = !itself.path("state").asString("").equals("not-ready");
			if (!conflicts.isEmpty() && !isReady) {
				return new NodeState(node, conflicts, false, millis, null);
			}
			JsonNode report;
			try {
				Answer answer = cluster.ask(node, Request.read(CONSISTENCY), Answers::isSuccess);
				report = JsonMapper.shared().readTree(answer.body());
			}
			catch (QuorateException failure) {
				if (failure.failures().stream().allMatch((attempt) -> attempt.status() == 0)) {
					throw failure;
				}
				return new NodeState(node, (isReady ? "serves; " : "is not ready; ") + cluster.reason(failure), isReady,
						millis, null);
			}
			boolean isRebuilding = report.path("rebuilding").asBoolean(false);
			String ready = isReady ? "serves" : "is not ready";
			String state = isRebuilding ? "is rebuilt" : ready;
			return new NodeState(node, conflicts.isEmpty() ? state : state + "; " + conflicts, isReady && !isRebuilding,
					millis, report);
		}
		catch (QuorateException failure) {
			return new NodeState(node, cluster.reason(failure), false, 0, null);
		}
		catch (JacksonException noJson) {
			return new NodeState(node, "the answer is no JSON", false, 0, null);
		}
	}

	JsonNode json() {
		ObjectNode line = JsonMapper.shared().createObjectNode();
		line.put("endpoint", this.node.toString()).put("serves", this.isServing).put("state", this.state);
		if (this.isServing) {
			line.put("answeredMillis", this.millis);
		}
		if (this.report != null) {
			line.set("consistency", this.report);
		}
		return line;
	}

	static TextTable table() {
		return new TextTable("ENDPOINT", "NODE", "STATE", "ANSWERED", "WRITES/S", "P50", "P99", "MISSED", "HINTS",
				"PEERS");
	}

	String[] cells() {
		return new String[] { this.node.toString(), id(), this.state, answered(), rate(),
				quantile(writes().path("p50Millis")), p99(), writes().path("missed").asString(NONE), hints(), peers() };
	}

	/** The name of the node, or its URL if it does not say. */
	String name() {
		return (this.report != null) ? id() + " " + this.node.getAuthority() : this.node.toString();
	}

	/** The time until its answer. */
	String answered() {
		return this.isServing ? millis(this.millis) : NONE;
	}

	/** The time until all replicas held a write, of 99 % of them. */
	String p99() {
		return quantile(writes().path("p99Millis"));
	}

	private String id() {
		return known().path("node").asString(NONE);
	}

	private String rate() {
		JsonNode writes = writes();
		if (writes.isMissingNode()) {
			return NONE;
		}
		double seconds = Math.max(1, writes.path("lastSeconds").asDouble(1));
		return String.format(Locale.ROOT, "%.1f",
				(writes.path("everywhere").asLong(0) + writes.path("missed").asLong(0)) / seconds);
	}

	private JsonNode writes() {
		return known().path("writes");
	}

	private JsonNode known() {
		return (this.report != null) ? this.report : JsonMapper.shared().missingNode();
	}

	private static String quantile(JsonNode value) {
		return value.isNumber() ? millis(value.asDouble()) : NONE;
	}

	private static String millis(double millis) {
		return String.format(Locale.ROOT, "%.1f ms", millis);
	}

	/** The number of writes that it keeps for its peers. */
	String hints() {
		return (this.report == null) ? NONE
				: Long.toString(this.report.path("peers")
					.valueStream()
					.mapToLong((peer) -> peer.path("hints").path("count").asLong(0))
					.sum());
	}

	/** The other members as it sees them: those that are up are not worth a name. */
	String peers() {
		List<String> others = new ArrayList<>();
		int up = 0;
		for (JsonNode peer : known().path("peers")) {
			String member = peer.path("member").asString("");
			if (member.equals("up")) {
				up++;
			}
			else {
				others.add(peer.path("peer").asString("") + " " + member);
			}
		}
		int all = up + others.size();
		String count = (all == 0) ? NONE : up + " of " + all + " up";
		return others.isEmpty() ? count : count + ", " + String.join(", ", others);
	}

}
