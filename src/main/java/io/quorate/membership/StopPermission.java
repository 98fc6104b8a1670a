package io.quorate.membership;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The agreement of all members that a node needs before it stops, see {@link StopLeases}.
 */
public interface StopPermission {

	/**
	 * Waits until all members agree, no other member stays, or the time is over. Blocks
	 * the calling thread; not for event loops.
	 * @param longest the longest wait; zero asks no member
	 * @return the objection that was left at the end, or {@code null}
	 */
	@Nullable String await(Duration longest);

}
