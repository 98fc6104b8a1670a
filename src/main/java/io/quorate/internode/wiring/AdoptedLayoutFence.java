package io.quorate.internode.wiring;

import io.quorate.entry.Key;
import io.quorate.membership.Layout;
import io.quorate.membership.Layouts;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.LayoutFence;
import org.jspecify.annotations.Nullable;

/**
 * The fence of the layout that this node has adopted. It refuses requests that were
 * planned under an earlier one with another assignment of keys. Of a later layout it lets
 * writes pass only for keys of which this node is a replica by its own: what a node has
 * taken of a key before it is its replica does not count later.
 */
final class AdoptedLayoutFence implements LayoutFence {

	private final Layouts layouts;

	AdoptedLayoutFence(Layouts layouts) {
		this.layouts = layouts;
	}

	@Override
	public @Nullable Failure refuses(long layout, @Nullable Key written) {
		if (layout < this.layouts.fence()) {
			return new Failure(Reason.STALE_LAYOUT,
					"the request was planned under version %d of the layout, the node has adopted version %d"
						.formatted(layout, this.layouts.current().version()));
		}
		Layout current = this.layouts.current();
		if (layout > current.version() && written != null && !current.isReplica(this.layouts.self(), written)) {
			return new Failure(Reason.LAYOUT_BEHIND,
					"the write was planned under version %d of the layout, the node has adopted version %d, and is no replica of the key by that"
						.formatted(layout, current.version()));
		}
		return null;
	}

}
