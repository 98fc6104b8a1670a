package io.quorate.coordinator;

/** The order in which a read asks replicas. */
interface ReplicaOrder {

	/** The rank of a node: nodes with a lower one are asked first. */
	long rank(String node);

	/** Records the time that a node took to answer a read. */
	void answered(String node, long nanos);

}
