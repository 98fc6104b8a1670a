package io.quorate.membership;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/** What a node needs before it stops: that all members agree, see {@link StopLeases}. */
public interface StopPermission {

	/**
	 * Waits until all members agree, or no other one stays, or for so long. Blocks the
	 * calling thread; not for event loops.
	 * @param longest the longest wait; zero asks nobody
	 * @return the objection that was left at the end, or {@code null}
	 */
	@Nullable String await(Duration longest);

}
