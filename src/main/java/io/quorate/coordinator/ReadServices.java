package io.quorate.coordinator;

/**
 * The parts that all reads of a coordinator share.
 *
 * @param digestAbove a value of more bytes is left out by replicas that are not asked for
 * the whole; {@link Integer#MAX_VALUE} to have none left out
 * @param planner plans each read by the current layout
 * @param order order in which a read asks replicas
 * @param local id of this node, whose latency says nothing about its peers
 */
record ReadServices(int digestAbove, Planner planner, ReplicaOrder order, Hedging hedging, Suspects suspects,
		TimestampSource timestampSource, DeadlineSweep deadlines, BackgroundReadRepair backgroundReadRepair,
		String local, CoordinatorMetrics metrics) {

	/** Records the latency of a replica. */
	void note(String node, long nanos, boolean isHedged) {
		this.order.answered(node, nanos);
		if (!isHedged && !node.equals(this.local)) {
			this.hedging.record(nanos);
		}
	}

}
