package io.quorate.coordinator;

/** What all writes of a coordinator share. */
record Writing(Cluster cluster, Stamps stamps, DeadlineSweep deadlines, CoordinatorMetrics metrics,
		WriteSpread spread) {
}
