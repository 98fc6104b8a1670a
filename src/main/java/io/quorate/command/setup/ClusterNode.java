package io.quorate.command.setup;

import io.quorate.membership.layout.Endpoint;

/**
 * A node of the cluster. Immutable.
 *
 * @param peers its id, its host, and its port for other nodes
 * @param port its port for clients
 * @param place its place among the members
 */
record ClusterNode(Endpoint peers, int port, Place place) {

	/** Every place of a node among the members. */
	enum Place {

		/** The cluster began with it. */
		FIRST,

		/** It joins, or has joined, the cluster. */
		JOINS,

		/** The cluster began with it, and another one has replaced it. */
		FORMER

	}

	/** Its id, which is also the name of its directory. */
	String id() {
		return this.peers.id();
	}

	/** Its address for clients. */
	String url() {
		String host = host();
		return "https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + this.port;
	}

	String host() {
		return this.peers.host();
	}

	/**
	 * The address on which it listens. A machine may know its own name as that of
	 * loopback: with a name it listens on all.
	 */
	String listens() {
		return Host.isAddress(host()) ? host() : "0.0.0.0";
	}

	/** Its host, in the words of {@code keytool} for an alternative name. */
	String alternativeName() {
		return (Host.isAddress(host()) ? "ip:" : "dns:") + host();
	}

	/** The line that stands for it in a list of nodes. */
	String line() {
		return "%s %d %s".formatted(this.peers, this.port, this.place);
	}

	/**
	 * The node of such a line.
	 * @throws IllegalArgumentException when the line has another form
	 */
	static ClusterNode ofLine(String line) {
		String[] words = line.split(" ", -1);
		if (words.length != 3) {
			throw new IllegalArgumentException("'%s' is no node".formatted(line));
		}
		return new ClusterNode(Endpoint.parse(words[0]), Integer.parseInt(words[1]), Place.valueOf(words[2]));
	}

	ClusterNode replaced() {
		return new ClusterNode(this.peers, this.port, Place.FORMER);
	}

}
