package io.quorate.repair.move;

import io.quorate.entry.Key;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.members.Layouts;
import io.quorate.ring.RingPair;
import org.jspecify.annotations.Nullable;

/**
 * The keys that this node gains in the change under way, and has not copied yet. Safe for
 * any number of threads; to ask takes no lock.
 */
public final class GainedKeys implements LayoutFollower {

	private final String self;

	private volatile @Nullable RingPair awaited;

	/**
	 * The keys of a node that has just started: what it gains in a change under way, it
	 * copies again.
	 */
	public GainedKeys(Layouts layouts) {
		this.self = layouts.self();
		reassigns(layouts.current());
	}

	@Override
	public synchronized void reassigns(Layout later) {
		this.awaited = later.isJoint() ? later.rings() : null;
	}

	/** Whether this node gains a key, and has not copied it yet. */
	public boolean isAwaited(Key key) {
		RingPair change = this.awaited;
		return change != null && change.gains(this.self, change.partitionOf(key));
	}

	/** This node has copied all that it gains by a layout. */
	synchronized void copied(Layout layout) {
		if (layout.rings().equals(this.awaited)) {
			this.awaited = null;
		}
	}

}
