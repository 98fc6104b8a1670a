package io.quorate.replica;

import java.util.Map;
import java.util.TreeMap;

/**
 * Every member of the cluster as a replica.
 *
 * @param local this node's own
 * @param byNode all of them, this node's own included, by the ids of their nodes
 */
public record Replicas(Replica local, Map<String, Replica> byNode) {

	public Replicas {
		byNode = Map.copyOf(byNode);
	}

	/** All replicas for requests that are planned under a version of the layout. */
	public Map<String, Replica> planned(long layout) {
		Map<String, Replica> planned = new TreeMap<>();
		this.byNode.forEach((id, replica) -> planned.put(id, replica.planned(layout)));
		return planned;
	}

	/** The replica of a node alone. */
	public static Replicas alone(Replica local) {
		return new Replicas(local, new TreeMap<>(Map.of(local.nodeId(), local)));
	}

}
