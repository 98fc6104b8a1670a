package io.quorate.membership;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The agreement of all members that a node needs before it stops, see {@link StopLeases}.
 */
public interface StopPermission {

	/**
	 * Notifies all members that this node would like to stop, and waits until they agree,
	 * no other member stays, or the time is over. When it returns, the members that are
	 * reached know of the stop. Blocks the calling thread; not for event loops.
	 * @param longest the longest wait for their agreement; zero stops in spite of all
	 * objections
	 * @return the objection that was left at the end, or {@code null}; always
	 * {@code null} for a wait of zero
	 */
	@Nullable String await(Duration longest);

}
