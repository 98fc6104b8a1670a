package io.quorate.internode.context;

import io.micrometer.core.instrument.MeterRegistry;

/**
 * The spans and meters by which operators observe the connections.
 *
 * @param spans spans of the work for requests of peers
 * @param registry of the meters
 */
public record Observation(ReplicaSpans spans, MeterRegistry registry) {
}
