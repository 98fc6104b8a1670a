package io.quorate.coordinator;

import java.util.function.BiFunction;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.CoordinatorMetrics.Operation;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * The request to write the register of a key, or to settle it for a read.
 *
 * @param condition condition on the version that is replaced
 * @param entryOf returns the entry with a timestamp, of a number of copies; {@code null}
 * for a read
 * @param requestContext terms of the request: its permit counts the bytes of the write
 * until every replica that was sent them has replied
 */
record RegisterTerms(Operation operation, Key key, Condition condition,
		@Nullable BiFunction<Timestamp, Integer, Entry> entryOf, RequestContext requestContext) {

	Deadline deadline() {
		return this.requestContext.deadline();
	}

	RequestTimeline timeline() {
		return this.requestContext.timeline();
	}

	boolean isWrite() {
		return this.entryOf != null;
	}

}
