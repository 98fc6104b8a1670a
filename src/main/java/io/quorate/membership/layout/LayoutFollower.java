package io.quorate.membership.layout;

/**
 * A component that follows the changes of the layout. Called by the thread that adopts a
 * layout, one call at a time, in this order; must neither wait nor fail.
 */
public interface LayoutFollower {

	/**
	 * A peer is a member, or is reached at another address, by a layout that is to be
	 * adopted. When it is adopted, there are requests to the peer. Until then, for a
	 * bounded time, this node may wait for its connections; if another layout is adopted
	 * in the end, or none, the peer has {@link #left}.
	 */
	default void joins(Endpoint peer) {
	}

	/**
	 * The layout that is adopted next assigns keys in another way. A layout that cannot
	 * be adopted in the end does no harm.
	 */
	default void reassigns(Layout later) {
	}

	/** A layout has been adopted. */
	default void adopted(Layout now) {
	}

	/**
	 * A peer is no member any more by the layout that has been adopted, or is none by any
	 * that is to be.
	 */
	default void left(String peer) {
	}

}
