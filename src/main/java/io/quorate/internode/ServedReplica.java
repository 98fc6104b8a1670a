package io.quorate.internode;

import java.util.function.Function;

import io.quorate.replica.Replica;
import io.quorate.replica.comparison.ComparisonService;
import org.jspecify.annotations.Nullable;

/**
 * What peers reach of this node.
 *
 * @param departures says to a peer why it should not stop now, or {@code null}
 */
record ServedReplica(Replica replica, ComparisonService comparisonService,
		Function<String, @Nullable String> departures) {
}
