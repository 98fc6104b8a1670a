package io.quorate.command.setup;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.command.setup.ClusterNode.Place;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.membership.layout.Endpoint;

/**
 * The nodes of a cluster, in their order. Immutable.
 *
 * @param all those that the cluster began with, and those that join it
 */
record ClusterNodes(List<ClusterNode> all) {

	/** No node. */
	static final ClusterNodes NONE = new ClusterNodes(List.of());

	private static final int COPIES = 3;

	private static final int LAST_PORT = 65_535;

	ClusterNodes {
		all = List.copyOf(all);
	}

	/** The node with an id. */
	Optional<ClusterNode> find(String id) {
		return this.all.stream().filter((node) -> node.id().equals(id)).findFirst();
	}

	/**
	 * The nodes with one more. Each node of a host has ports of its own, the first that
	 * are free from those two on.
	 * @throws CommandException when the two are one, or the host has no more ports
	 */
	ClusterNodes with(Host host, int port, int internodePort, Place place) {
		if (port == internodePort) {
			throw new CommandException(ExitCode.MISUSED,
					"--port and --internode-port are two ports, not %d both".formatted(port));
		}
		List<ClusterNode> neighbours = this.all.stream().filter((node) -> node.host().equals(host.name())).toList();
		int more = 0;
		while (isTaken(neighbours, port + more, internodePort + more)) {
			more++;
		}
		if (Math.max(port, internodePort) + more > LAST_PORT) {
			throw new CommandException(ExitCode.MISUSED, host.name() + " has no port left for " + host.id());
		}
		String name = host.name().contains(":") ? "[" + host.name() + "]" : host.name();
		Endpoint peers = Endpoint.parse("%s@%s:%d".formatted(host.id(), name, internodePort + more));
		return new ClusterNodes(
				Stream.concat(this.all.stream(), Stream.of(new ClusterNode(peers, port + more, place))).toList());
	}

	private static boolean isTaken(List<ClusterNode> neighbours, int port, int internodePort) {
		return neighbours.stream()
			.flatMap((node) -> Stream.of(node.port(), node.peers().port()))
			.anyMatch((taken) -> taken == port || taken == internodePort);
	}

	/**
	 * The nodes without one that another node replaces. A list of first members never
	 * changes.
	 */
	ClusterNodes without(String id) {
		List<ClusterNode> left = new ArrayList<>();
		for (ClusterNode node : this.all) {
			if (!node.id().equals(id)) {
				left.add(node);
			}
			else if (node.place() != Place.JOINS) {
				left.add(node.replaced());
			}
		}
		return new ClusterNodes(left);
	}

	/** The members that the cluster began with, as nodes are configured. */
	String members() {
		return first().map((node) -> node.peers().toString()).collect(Collectors.joining(","));
	}

	/** The copies of each key with which the cluster began. */
	int copies() {
		return (int) Math.min(COPIES, first().count());
	}

	private Stream<ClusterNode> first() {
		return this.all.stream().filter((node) -> node.place() != Place.JOINS);
	}

	/** The nodes besides the first members that one which joins is to know. */
	String seeds(ClusterNode joining) {
		return this.all.stream()
			.filter((node) -> node.place() == Place.JOINS && !node.equals(joining))
			.map((node) -> node.peers().toString())
			.collect(Collectors.joining(","));
	}

	/** The addresses of the nodes for clients. */
	String urls() {
		return this.all.stream()
			.filter((node) -> node.place() != Place.FORMER)
			.map(ClusterNode::url)
			.collect(Collectors.joining(","));
	}

	/** The list as a text. */
	String text() {
		return this.all.stream().map((node) -> node.line() + "\n").collect(Collectors.joining());
	}

	/**
	 * The list of such a text.
	 * @throws IllegalArgumentException when a line is no node
	 */
	static ClusterNodes ofText(String text) {
		return new ClusterNodes(text.lines().map(ClusterNode::ofLine).toList());
	}

}
