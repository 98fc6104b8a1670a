package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The nodes {@code n0}, {@code n1} and so on of a cluster, each in a process of its own.
 * Their ports between nodes stay the same over restarts, those of HTTP do not. All are
 * gone when it is closed, frozen ones too. Used by one thread.
 */
final class ClusterProcesses implements AutoCloseable {

	/* Keys enough for every partition's first node to have been asked. */
	private static final int KEYS_OF_ALL_NODES = 32;

	/** How long a peer may be silent until the connections to it are closed. */
	static final String SILENCE = "quorate.internode.disconnect-after";

	/* A node that gets no processor for some seconds is not gone. */
	private static final String SILENT_FOR = Scale.of("20s", "3s");

	/* No more than the shortest max-timeout of a test. */
	private static final Duration PROBE = Duration.ofSeconds(3);

	private static final Duration SETTLED = Duration.ofSeconds(6);

	private static final Duration CONNECTED = Duration.ofMinutes(3);

	/* What a node may log, at any level, because another one is gone. */
	private static final Pattern LOST_PEER = Pattern.compile(
			"(Connection refused|Connection reset|Broken pipe|ClosedChannelException|connection timed out|QuorumNotReachedException)");

	private final Map<String, NodeProcess> nodes = new LinkedHashMap<>();

	private final List<Integer> ports;

	private int replicationFactor;

	private @Nullable Links links;

	private ClusterProcesses(Path home, List<Integer> ports) {
		this.ports = ports;
		this.replicationFactor = ports.size();
		for (int i = 0; i < ports.size(); i++) {
			this.nodes.put("n" + i, NodeProcess.in(home.resolve("n" + i)).with("quorate.node.id", "n" + i));
		}
	}

	/** So many nodes, not started yet, with their data and logs under a directory. */
	static ClusterProcesses in(Path home, int nodes) throws IOException {
		ClusterProcesses cluster = new ClusterProcesses(home, FreePorts.any(nodes)).with(SILENCE, SILENT_FOR);
		return cluster.withZones(Stream.generate(() -> "").limit(nodes).toArray(String[]::new));
	}

	/** No node, until there is a cluster. */
	static ClusterProcesses none() {
		return new ClusterProcesses(Path.of("unused"), List.of());
	}

	/** With the zone of each node, an empty one for none. */
	ClusterProcesses withZones(String... zones) {
		assertThat(zones).hasSize(this.nodes.size());
		List<String> members = new ArrayList<>();
		for (int i = 0; i < zones.length; i++) {
			members.add(address("n" + i) + (zones[i].isEmpty() ? "" : "/" + zones[i]));
		}
		return with("quorate.cluster.members", String.join(",", members));
	}

	/** With links between the nodes that can be cut. Before anything names members. */
	ClusterProcesses withLinks(Path home) throws IOException {
		Links made = Links.between(this.nodes.keySet(), this.ports, home);
		this.links = made;
		this.nodes.forEach((name, node) -> node.withJvm("-Djdk.net.hosts.file=" + made.hosts(name)));
		return this;
	}

	/** With copies of everything on so many nodes; without it on all. */
	ClusterProcesses withReplicationFactor(int factor) {
		this.replicationFactor = factor;
		return with("quorate.cluster.replication-factor", Integer.toString(factor));
	}

	/** With a property on every node. */
	ClusterProcesses with(String name, String value) {
		return each((node) -> node.with(name, value));
	}

	/** With a heap of this size on every node, such as {@code 128m}. */
	ClusterProcesses withHeap(String size) {
		return each((node) -> node.withHeap(size));
	}

	/** With an argument of the JVM of every node. */
	ClusterProcesses withJvm(String argument) {
		return each((node) -> node.withJvm(argument));
	}

	/** With something else about every node. */
	ClusterProcesses each(Consumer<NodeProcess> change) {
		this.nodes.values().forEach(change);
		return this;
	}

	/** With something else about one node. */
	ClusterProcesses one(String name, Consumer<NodeProcess> change) {
		change.accept(node(name));
		return this;
	}

	/**
	 * Starts all at once, and returns when each of them serves and has reached each
	 * other.
	 */
	ClusterProcesses start() throws IOException {
		start(names().toArray(String[]::new));
		awaitConnected();
		return this;
	}

	/** Starts some at once, and returns when they serve, whomever they have reached. */
	void start(String... names) throws IOException {
		for (String name : names) {
			node(name).launch();
		}
		for (String name : names) {
			node(name).awaitServing();
		}
	}

	/** Returns when all replicas of any key can be reached through each node. */
	void awaitConnected() {
		int probes = probes();
		for (String name : names()) {
			NodeClient client = client(name).with("replicas=%d/%1$d".formatted(this.replicationFactor)).within(PROBE);
			await().atMost(CONNECTED)
				.pollInterval(Duration.ofMillis(50))
				.untilAsserted(() -> requireReplicas(name, client, probes));
		}
	}

	/** Number of keys that are deleted to see that: one where each node has all keys. */
	int probes() {
		return (this.replicationFactor == this.nodes.size()) ? 1 : KEYS_OF_ALL_NODES;
	}

	/* Deletions of what never was: they need all replicas, and leave nothing to see. */
	private static void requireReplicas(String name, NodeClient client, int probes)
			throws IOException, InterruptedException {
		for (int probe = 0; probe < probes; probe++) {
			NodeAnswer answer = client.delete("probe-of-the-fixture-" + probe);
			assertThat(answer.statusCode()).as("%s: %s", name, NodeClient.text(answer)).isEqualTo(202);
		}
	}

	/** Returns when comparisons do not leave out as too young what was written before. */
	static void letSettle() {
		new Pace(SETTLED).await();
	}

	NodeProcess node(String name) {
		NodeProcess node = this.nodes.get(name);
		if (node == null) {
			throw new IllegalArgumentException("no node " + name + " among " + names());
		}
		return node;
	}

	/** A client of a node, as long as that is not started again. */
	NodeClient client(String name) {
		return NodeClient.of(node(name));
	}

	List<String> names() {
		return List.copyOf(this.nodes.keySet());
	}

	/** All but these. */
	List<String> others(String... names) {
		return names().stream().filter((name) -> !List.of(names).contains(name)).toList();
	}

	Collection<NodeProcess> nodes() {
		return this.nodes.values();
	}

	/** The list of members that every node is given. */
	String members() {
		return names().stream().map(this::address).collect(Collectors.joining(","));
	}

	/** A node as it is named to the others. */
	String address(String name) {
		String host = (this.links != null) ? Links.host(name) : "127.0.0.1";
		return "%s@%s:%d".formatted(name, host, internodePort(name));
	}

	/** The links between the nodes. */
	Links links() {
		return Objects.requireNonNull(this.links, "the cluster is one without links");
	}

	int internodePort(String name) {
		return this.ports.get(names().indexOf(name));
	}

	/** Ends a node at once, and returns when it is gone. */
	void kill9(String name) throws InterruptedException {
		node(name).kill9();
	}

	/** Asks a node to stop, and returns when it has. */
	int terminate(String name) throws InterruptedException {
		return node(name).terminate();
	}

	/** Stops all threads of a node where they are. */
	void freeze(String name) throws IOException, InterruptedException {
		node(name).freeze();
	}

	/** Lets a frozen node go on. */
	void thaw(String name) throws IOException, InterruptedException {
		node(name).thaw();
	}

	/** Starts a node that has ended, and returns when it serves. */
	void restart(String name) throws IOException {
		start(name);
	}

	/** Starts a node that has ended, without its data. */
	void restartWiped(String name) throws IOException {
		wipe(name);
		start(name);
	}

	/** Freezes all but one node. */
	void freezeOthers(String name) throws IOException, InterruptedException {
		for (String other : others(name)) {
			freeze(other);
		}
	}

	/** Thaws and restarts nodes until all are there and have reached each other again. */
	void heal() throws IOException, InterruptedException {
		List<String> dead = new ArrayList<>();
		for (String name : names()) {
			if (node(name).isAlive()) {
				thaw(name);
			}
			else {
				dead.add(name);
			}
		}
		start(dead.toArray(String[]::new));
		awaitConnected();
	}

	/** Deletes the data of a node that has ended. */
	void wipe(String name) throws IOException {
		assertThat(node(name).isAlive()).as("%s runs", name).isFalse();
		try (Stream<Path> files = Files.walk(node(name).data())) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}

	/**
	 * Lines that no healthy node prints, of all nodes and starts, but those that the loss
	 * of a peer explains.
	 */
	List<String> alarms() {
		return this.nodes.entrySet()
			.stream()
			.flatMap((node) -> node.getValue()
				.alarms()
				.stream()
				.filter((line) -> !LOST_PEER.matcher(line).find())
				.map((line) -> node.getKey() + ": " + line))
			.toList();
	}

	@Override
	public void close() {
		this.nodes.values().forEach(NodeProcess::close);
		if (this.links != null) {
			this.links.close();
		}
	}

}
