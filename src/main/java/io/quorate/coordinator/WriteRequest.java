package io.quorate.coordinator;

import java.util.function.BiFunction;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.CoordinatorMetrics.Operation;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;

/**
 * The request to write one key.
 *
 * @param entryOf returns the entry with a timestamp, of a number of copies
 * @param requestContext terms of the request: its permit counts the bytes of the write
 * until every replica that was sent them has replied
 */
record WriteRequest(Operation operation, Key key, BiFunction<Timestamp, Integer, Entry> entryOf,
		RequestContext requestContext) {

	Deadline deadline() {
		return this.requestContext.deadline();
	}

	RequestTimeline timeline() {
		return this.requestContext.timeline();
	}

}
