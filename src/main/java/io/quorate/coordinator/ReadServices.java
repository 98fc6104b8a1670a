package io.quorate.coordinator;

/**
 * The parts that all reads of a coordinator share, beside those of all requests.
 *
 * @param digestAbove a value of more bytes is left out by replicas that are not asked for
 * the whole; {@link Integer#MAX_VALUE} to have none left out
 * @param order order in which a read asks replicas
 */
record ReadServices(RequestServices shared, int digestAbove, ReplicaOrder order, Hedging hedging,
		BackgroundReadRepair backgroundReadRepair) {

	/**
	 * Records the latency of a replica; that of this node says nothing about its peers.
	 */
	void note(String node, long nanos, boolean isHedged) {
		this.order.answered(node, nanos);
		if (!isHedged && !node.equals(this.shared.clusterView().local())) {
			this.hedging.record(nanos);
		}
	}

}
