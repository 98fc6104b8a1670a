package io.quorate.internode.wire;

import io.quorate.meter.TraceContext;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;

/**
 * The trace and the layout that a request belongs to.
 *
 * @param trace place in a trace to which the receiver adds, {@code null} for none
 * @param layout version of the layout under which it was planned, or
 * {@link Replica#UNPLANNED} for that of the sender when it is sent
 */
public record RequestTags(@Nullable TraceContext trace, long layout) {

	/** The tags of a request without a trace and without a plan. */
	public static final RequestTags NONE = new RequestTags(null, Replica.UNPLANNED);

}
