package io.quorate.coordinator;

/** The parts that all writes of a coordinator share. */
record WriteServices(ClusterView clusterView, Planner planner, OrderingReplicas ordering, ContendedKeys contended,
		TimestampSource timestampSource, DeadlineSweep deadlines, CoordinatorMetrics metrics,
		ReplicationLatency spread) {
}
