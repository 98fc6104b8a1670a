package io.quorate.coordinator;

/** Whom a read asks first. */
interface ReplicaOrder {

	/** The place of a node: those with a lower one are asked first. */
	long rank(String node);

	/** Takes note of how long a node took to answer a read. */
	void answered(String node, long nanos);

}
