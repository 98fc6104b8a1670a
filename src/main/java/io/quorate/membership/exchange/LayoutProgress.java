package io.quorate.membership.exchange;

import io.quorate.membership.layout.Moved;

/** The part of the decisions about the layout that hears of this node's progress. */
@FunctionalInterface
public interface LayoutProgress {

	/**
	 * This node has copied all that it gains in the change under way. May be called by
	 * any thread; does not wait.
	 * @param version version of the layout by which it has copied
	 */
	void copied(long version);

	/**
	 * This node has copied some of what it gains. May be called by any thread; does not
	 * wait.
	 */
	default void moved(Moved its) {
	}

}
