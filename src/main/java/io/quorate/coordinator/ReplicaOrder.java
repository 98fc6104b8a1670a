package io.quorate.coordinator;

import java.util.List;

import io.quorate.replica.Replica;

/** Whom a read asks first. */
interface ReplicaOrder {

	/** The same replicas, the best first. */
	List<Replica> bestFirst(List<Replica> replicas);

	/** Takes note of how long a node took to answer a read. */
	void answered(String node, long nanos);

}
