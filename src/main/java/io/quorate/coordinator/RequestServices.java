package io.quorate.coordinator;

/** The parts that all requests of a coordinator share, on any thread. */
record RequestServices(ClusterView clusterView, Planner planner, TimestampSource timestampSource,
		DeadlineSweep deadlines, CoordinatorMetrics metrics) {
}
