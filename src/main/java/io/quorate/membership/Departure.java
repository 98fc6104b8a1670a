package io.quorate.membership;

import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/** The departure of this node from its cluster, for good. */
public interface Departure {

	/**
	 * Reason why this node cannot leave, or {@code null} when it can.
	 * @param staying number of members that are to stay in the end
	 */
	@Nullable String objection(int staying);

	/**
	 * Removes this node from the members, waits until that is decided, and until the
	 * other members know of it. The node serves meanwhile as a replica. Other changes of
	 * the members are waited for. It stays a member when an operator gives its removal
	 * up. Blocks the calling thread; not for event loops.
	 * @param reasonToStay returns the reason why the node is to stay a member after all,
	 * or {@code null}; asked right before each proposal, and about once a minute until
	 * the removal is under way
	 * @param longest the longest wait
	 * @return whether the node has left
	 */
	boolean leave(Supplier<@Nullable String> reasonToStay, Duration longest);

}
