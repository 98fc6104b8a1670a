package io.quorate.coordinator;

import java.time.Duration;
import java.util.function.BiFunction;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.CoordinatorMetrics.Operation;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Handover;
import org.jspecify.annotations.Nullable;

/**
 * The request to write the register of a key, or to settle it for a read.
 *
 * @param condition condition on the version that is replaced
 * @param entryOf returns the entry with a timestamp, of a number of copies; {@code null}
 * for a read or a touch
 * @param ttlMillis time after which the value reads as absent, or which a touch leaves to
 * it at least; 0 where the entry says when, {@link Handover#KEEP} where that before does
 * @param requestContext terms of the request: its permit counts the bytes of the write
 * until every replica that was sent them has replied
 */
record RegisterTerms(Operation operation, Key key, Condition condition,
		@Nullable BiFunction<Timestamp, Integer, Entry> entryOf, long ttlMillis, RequestContext requestContext) {

	/** A write, or a read. */
	RegisterTerms(Operation operation, Key key, Condition condition,
			@Nullable BiFunction<Timestamp, Integer, Entry> entryOf, RequestContext requestContext) {
		this(operation, key, condition, entryOf, 0, requestContext);
	}

	/** A touch. */
	RegisterTerms(Key key, Condition condition, Duration ttl, RequestContext requestContext) {
		this(Operation.PUT, key, condition, null, ttl.toMillis(), requestContext);
	}

	Deadline deadline() {
		return this.requestContext.deadline();
	}

	RequestTimeline timeline() {
		return this.requestContext.timeline();
	}

	/** Whether the request is to change what the key holds. */
	boolean isWrite() {
		return this.entryOf != null || isTouch();
	}

	/** Whether the request is to change the expiry alone. */
	boolean isTouch() {
		return this.entryOf == null && this.ttlMillis > 0;
	}

	/**
	 * Whether the request may be run again, whatever has become of it: a read, or a touch
	 * of versions that it names, which no later value has.
	 */
	boolean isRepeatable() {
		Condition.Versions match = this.condition.match();
		return this.entryOf == null && (!isTouch() || (match != null && !match.isAny()));
	}

}
