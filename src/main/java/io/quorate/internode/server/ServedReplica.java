package io.quorate.internode.server;

import io.quorate.replica.Replica;
import io.quorate.replica.comparison.ComparisonService;

/** The parts of this node that peers reach. */
public record ServedReplica(Replica replica, ComparisonService comparisonService) {
}
