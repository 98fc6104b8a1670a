package io.quorate.coordinator;

/** The parts that all writes of a coordinator share. */
record WriteServices(ClusterView clusterView, Planner planner, OrderingReplicas ordering,
		TimestampSource timestampSource, DeadlineSweep deadlines, CoordinatorMetrics metrics,
		ReplicationLatency spread) {
}
