package io.quorate.process;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A cluster of processes whose members change: {@code n0}, {@code n1} and {@code n2} are
 * its first members, with three copies of everything, and the other nodes are candidates
 * when they are started. Used by one thread.
 */
final class ChangingCluster implements AutoCloseable {

	/** Time in which any change ends when nothing hinders it. */
	static final Duration LIMIT = Duration.ofMinutes(3);

	/** Part of the refusal of a change while a member is not up. */
	static final String NOT_UP = "wait until it is up";

	/* Parts of refusals that a change meets which is asked for too early. */
	private static final List<String> TOO_EARLY = List.of(NOT_UP, "wait until it has its data",
			"it may be declared dead after");

	/* A node that gets no processor for a moment answers none. */
	private static final String NOT_ANSWERED = "no handshake within";

	private static final Duration AGAIN = Duration.ofMillis(200);

	private static final List<String> FIRST = List.of("n0", "n1", "n2");

	private static final Pattern VERSION = Pattern.compile("\"version\":(\\d+),");

	private final ClusterProcesses processes;

	private ChangingCluster(ClusterProcesses processes) {
		this.processes = processes;
	}

	/**
	 * Starts the first members, and returns when their layout is activated.
	 * @param candidates number of nodes that are not started yet
	 */
	static ChangingCluster start(Path home, int candidates) throws IOException {
		return start(home, candidates, (_) -> {
		});
	}

	/**
	 * As above.
	 * @param change something else about all nodes
	 */
	static ChangingCluster start(Path home, int candidates, Setting change) throws IOException {
		return started(firstOf(small(home, FIRST.size() + candidates), change));
	}

	/** As above, with links between the nodes that can be cut. */
	static ChangingCluster startWithLinks(Path home, int candidates, Setting change) throws IOException {
		return started(firstOf(small(home, FIRST.size() + candidates).withLinks(home), change));
	}

	/** As above, with nodes whose copies take some seconds, however little they copy. */
	static ChangingCluster startWithSlowCopies(Path home, int candidates) throws IOException {
		return start(home, candidates, (processes) -> processes.with("quorate.repair.move-share", "0.01"));
	}

	private static ClusterProcesses firstOf(ClusterProcesses processes, Setting change) throws IOException {
		String[] members = processes.members().split(",", -1);
		processes.with("quorate.cluster.members", String.join(",", List.of(members).subList(0, FIRST.size())))
			.withReplicationFactor(FIRST.size());
		IntStream.range(FIRST.size(), members.length)
			.forEach((i) -> processes.one("n" + i, (node) -> node.with("quorate.cluster.join", members[i])));
		change.make(processes);
		return processes;
	}

	private static ChangingCluster started(ClusterProcesses processes) throws IOException {
		ChangingCluster cluster = new ChangingCluster(processes);
		try {
			processes.start(FIRST.toArray(String[]::new));
			cluster.awaitStable(2, "n0", "n1", "n2");
			return cluster;
		}
		catch (IOException | RuntimeException | AssertionError failure) {
			cluster.close();
			throw failure;
		}
	}

	private static ClusterProcesses small(Path home, int nodes) throws IOException {
		return ClusterProcesses.in(home, nodes)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.operations.drain-delay", "100ms")
			.with("quorate.storage.memtable-size", "1MB");
	}

	/**
	 * Starts {@code n0} as a node of its own, without members.
	 * @param candidates number of nodes that are not started yet
	 */
	static ChangingCluster startAlone(Path home, int candidates) throws IOException {
		ClusterProcesses processes = small(home, 1 + candidates);
		String[] members = processes.members().split(",", -1);
		processes.with("quorate.cluster.members", members[0])
			.one("n0", (node) -> node.without("quorate.cluster.members"));
		for (int i = 1; i < members.length; i++) {
			String own = members[i];
			processes.one("n" + i, (node) -> node.with("quorate.cluster.join", own));
		}
		ChangingCluster cluster = new ChangingCluster(processes);
		try {
			processes.start("n0");
			cluster.awaitStable(2, "n0");
			return cluster;
		}
		catch (IOException | RuntimeException | AssertionError failure) {
			cluster.close();
			throw failure;
		}
	}

	/** Names {@code n0}, which was alone, as the only first member. */
	void withAddress() {
		this.processes.with("quorate.cluster.members", address("n0"));
	}

	/** The nodes. */
	ClusterProcesses processes() {
		return this.processes;
	}

	/** Starts a candidate, which is not ready. */
	void startCandidate(String name) throws Exception {
		this.processes.start(name);
		assertThat(ready(name)).as("a candidate is not ready").isEqualTo(503);
	}

	/** Ends a node that is no member, and deletes its data. */
	void discard(String name) throws Exception {
		this.processes.terminate(name);
		this.processes.wipe(name);
	}

	/**
	 * Begins the addition of a candidate through a member.
	 * @return version of the layout that begins it
	 */
	long add(String through, String name) throws Exception {
		return begin(through, "add", "\"member\":\"%s\"".formatted(address(name)));
	}

	/** Begins the removal of a member, as above. */
	long remove(String through, String name) throws Exception {
		return begin(through, "remove", "\"member\":\"%s\"".formatted(name));
	}

	/** Asks a member to give up the change that a version has begun. */
	HttpResponse<byte[]> abort(String through, long version) throws Exception {
		return this.processes.client(through)
			.postPath("/actuator/cluster/abort", "{\"version\":%d}".formatted(version));
	}

	/** Begins a change, asking for it again and again while that is too early. */
	long begin(String through, String command, String parameters) throws Exception {
		Stream<String> passing = Stream.concat(TOO_EARLY.stream(), Stream.of(NOT_ANSWERED));
		return begun(inTime(passing.toList(), through, command, parameters));
	}

	/**
	 * As {@link #ask}, again while it is too early for the change.
	 */
	HttpResponse<byte[]> inTime(String through, String command, String parameters) throws Exception {
		return inTime(TOO_EARLY, through, command, parameters);
	}

	private HttpResponse<byte[]> inTime(List<String> passing, String through, String command, String parameters)
			throws Exception {
		long limit = System.nanoTime() + LIMIT.toNanos();
		Pace pace = new Pace(AGAIN);
		while (true) {
			HttpResponse<byte[]> answer = ask(through, command, parameters);
			boolean isTooEarly = answer.statusCode() == 409
					&& passing.stream().anyMatch(NodeClient.text(answer)::contains);
			if (!isTooEarly || System.nanoTime() - limit >= 0) {
				return answer;
			}
			pace.await();
		}
	}

	/**
	 * The reason in words for which a member refuses a change, when it is not too early
	 * for it.
	 */
	String refusal(String through, String command, String parameters) throws Exception {
		HttpResponse<byte[]> answer = inTime(through, command, parameters);
		assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(409);
		return NodeClient.text(answer);
	}

	/** The parameter of a node that comes. */
	String address(String name) {
		return this.processes.address(name);
	}

	/** Asks a member for a change that follows the layout which it has adopted. */
	HttpResponse<byte[]> ask(String through, String command, String parameters) throws Exception {
		return this.processes.client(through)
			.postPath("/actuator/cluster/" + command, "{\"version\":%d,%s}".formatted(version(through), parameters));
	}

	/**
	 * Requires that a change has begun.
	 * @return version of its layout
	 */
	static long begun(HttpResponse<byte[]> answer) {
		String text = NodeClient.text(answer);
		assertThat(answer.statusCode()).as(text).isEqualTo(202);
		Matcher version = Pattern.compile("\"version\":(\\d+)").matcher(text);
		assertThat(version.find()).as(text).isTrue();
		return Long.parseLong(version.group(1));
	}

	/** Waits until these are the members of one stable layout of at least a version. */
	void awaitStable(long least, String... members) {
		await().atMost(LIMIT).untilAsserted(() -> {
			for (String name : members) {
				String status = status(name);
				assertThat(version(name)).as(status).isGreaterThanOrEqualTo(least);
				assertThat(status).contains("\"state\":\"stable\"", "\"blockedBy\":[]");
				assertThat(status.split("\"adopted\":" + version(name) + "}", -1)).as(status)
					.hasSize(members.length + 1);
			}
		});
	}

	/** Whether a change is under way, as a node sees it. */
	boolean isJoint(String name) throws Exception {
		return status(name).contains("\"state\":\"joint\"");
	}

	/** Version of the layout that a node has adopted. */
	long version(String name) throws Exception {
		Matcher version = VERSION.matcher(status(name));
		assertThat(version.find()).isTrue();
		return Long.parseLong(version.group(1));
	}

	/** Waits until a node has adopted at least a version of the layout. */
	void awaitVersion(String name, long least) {
		await().atMost(LIMIT).untilAsserted(() -> assertThat(version(name)).isGreaterThanOrEqualTo(least));
	}

	/** The layout as a node sees it. */
	String status(String name) throws Exception {
		return NodeClient.text(this.processes.client(name).getPath("/actuator/cluster"));
	}

	/** Waits until members see a member as up: they send it requests. */
	void awaitUp(String name, String... by) {
		Pattern up = Pattern.compile("\"%s\":\\{[^}]*\"state\":\"up\"".formatted(name));
		await().atMost(LIMIT).untilAsserted(() -> {
			for (String each : by) {
				assertThat(status(each)).as("%s, as %s sees it", name, each).containsPattern(up);
			}
		});
	}

	/** Waits for the readiness of a node. */
	void awaitReady(String name) {
		await().atMost(LIMIT).until(() -> ready(name) == 200);
	}

	/** The status of a node's readiness. */
	int ready(String name) throws Exception {
		return this.processes.client(name).getPath("/actuator/health/readiness").statusCode();
	}

	/** Lines that no healthy node prints. */
	List<String> alarms() {
		return this.processes.alarms();
	}

	/** Lines by which nodes say that they are to be rebuilt, of all starts. */
	List<String> rebuilds() {
		return this.processes.names()
			.stream()
			.flatMap((name) -> this.processes.node(name).log().lines())
			.filter((line) -> line.contains("This node is to be rebuilt from its peers"))
			.toList();
	}

	@Override
	public void close() {
		this.processes.close();
	}

	/** A setting of nodes that are not started yet. */
	@FunctionalInterface
	interface Setting {

		void make(ClusterProcesses processes) throws IOException;

	}

}
