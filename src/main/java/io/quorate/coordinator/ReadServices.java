package io.quorate.coordinator;

/**
 * What all reads of a coordinator share.
 *
 * @param policy how many replicas are asked to begin with, and for what
 * @param order whom a read asks first
 * @param local id of this node, whose latency says nothing about the others
 */
record ReadServices(ReadPolicy policy, ReplicaOrder order, Hedging hedging, Suspects suspects,
		TimestampSource timestampSource, DeadlineSweep deadlines, BackgroundReadRepair backgroundReadRepair,
		String local, CoordinatorMetrics metrics) {

	/** Takes note of how long a replica took. */
	void note(String node, long nanos, boolean isHedged) {
		this.order.answered(node, nanos);
		if (!isHedged && !node.equals(this.local)) {
			this.hedging.record(nanos);
		}
	}

}
