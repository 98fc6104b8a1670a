package io.quorate.internode.server;

import java.util.function.Function;

import io.quorate.replica.Replica;
import io.quorate.replica.comparison.ComparisonService;
import org.jspecify.annotations.Nullable;

/**
 * The parts of this node that peers reach.
 *
 * @param departures returns the reason why a peer should not stop now, or {@code null}
 */
public record ServedReplica(Replica replica, ComparisonService comparisonService,
		Function<String, @Nullable String> departures) {
}
