package io.quorate.storage;

import java.util.Map;

import io.quorate.entry.Key;

/**
 * The node and cluster whose data a store holds. A directory belongs to one owner for
 * good.
 *
 * @param node id of this node
 * @param cluster name of the cluster
 * @param zones zone of each member of the configuration by its id, this node included
 * unless it is a candidate; empty for none
 * @param replicationFactor number of nodes that hold a record at the most
 */
public record StoreOwner(String node, String cluster, Map<String, String> zones, int replicationFactor) {

	public StoreOwner {
		zones = Map.copyOf(zones);
	}

	/** The only node of its cluster. */
	public static StoreOwner alone(String node, String cluster) {
		return new StoreOwner(node, cluster, Map.of(node, ""), 1);
	}

	/** The number that stands for this node in the timestamps of its clock. */
	public int ordinal() {
		return (int) Key.of(this.node).hash64();
	}

}
