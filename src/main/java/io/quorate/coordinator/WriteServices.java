package io.quorate.coordinator;

/** The parts that all writes of a coordinator share, beside those of all requests. */
record WriteServices(RequestServices shared, UnprovenReplicas unproven, ReplicationLatency spread) {
}
