package io.quorate.replica;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Every member of the cluster as a replica.
 *
 * @param local this node's own
 * @param peers those of all other members, at present
 */
public record Replicas(Replica local, Supplier<? extends Collection<? extends Replica>> peers) {

	/** The replica of a node alone. */
	public static Replicas alone(Replica local) {
		return new Replicas(local, List::of);
	}

	/** All of them, this node's own included, by the ids of their nodes. */
	public Map<String, Replica> byNode() {
		Map<String, Replica> all = new TreeMap<>(Map.of(this.local.nodeId(), this.local));
		this.peers.get().forEach((peer) -> all.put(peer.nodeId(), peer));
		return all;
	}

	/** All replicas for requests that are planned under a version of the layout. */
	public Map<String, Replica> planned(long layout) {
		Map<String, Replica> planned = byNode();
		planned.replaceAll((_, replica) -> replica.planned(layout));
		return planned;
	}

}
