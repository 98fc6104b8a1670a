package io.quorate.membership.exchange;

import io.quorate.entry.Key;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.reports.MemberReports;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.LayoutFence;
import org.jspecify.annotations.Nullable;

/**
 * The fence of the layout that this node has adopted. It refuses requests that were
 * planned under an earlier one with another assignment of keys. Of a later layout it lets
 * writes pass only for keys of which this node is a replica by its own: what a node has
 * taken of a key before it is its replica does not count later.
 * <p>
 * A node may start with a layout that is long past, by which it holds keys that others
 * hold by now. So while it {@linkplain MemberReports#startsBehind() starts behind} its
 * peers, it carries out no request of its own layout, and until it has met a majority
 * none of a later one: what it takes may not count any more once it has adopted that, and
 * what it reads by may be the layout before the one by which it joins.
 * <p>
 * A process that is not the member of its id, because the layout names the directory of
 * another one, carries out none at all.
 * <p>
 * A node that joins adopts the layout by which it does, and right after that notes that
 * its directory is a member's. From before the one until the other it carries out no
 * request.
 */
public final class AdoptedLayoutFence implements LayoutFence {

	private final Layouts layouts;

	private final MemberReports reports;

	AdoptedLayoutFence(Layouts layouts, MemberReports reports) {
		this.layouts = layouts;
		this.reports = reports;
	}

	@Override
	public @Nullable Failure refuses(long layout, @Nullable Key written) {
		String displaced = this.reports.displaced();
		if (displaced != null) {
			return new Failure(Reason.JOINING, displaced);
		}
		// Before the fence, which is raised before the node is level with its peers.
		boolean startsBehind = this.reports.startsBehind();
		if (layout < this.layouts.fence()) {
			return new Failure(Reason.STALE_LAYOUT,
					"the request was planned under version %d of the layout, the node has adopted version %d"
						.formatted(layout, this.layouts.current().version()));
		}
		Layout current = this.layouts.current();
		if (layout <= current.version() && startsBehind) {
			return new Failure(Reason.STALE_LAYOUT,
					"this node has met no majority since its start, and has version %d of the layout, of which its peers have a later one"
						.formatted(current.version()));
		}
		if (layout > current.version() && !this.reports.membership().hasMetMajority()) {
			return new Failure(Reason.LAYOUT_BEHIND,
					"the request was planned under version %d of the layout, the node has adopted version %d, and has met no majority since its start"
						.formatted(layout, current.version()));
		}
		// After the layout was read: it has been adopted before this ends.
		if (this.layouts.isAdmitting()) {
			return new Failure(Reason.LAYOUT_BEHIND,
					"this node joins, and has not noted yet that its directory is that of a member; it has adopted version %d of the layout"
						.formatted(current.version()));
		}
		if (layout > current.version() && written != null && !current.isReplica(this.layouts.self(), written)) {
			return new Failure(Reason.LAYOUT_BEHIND,
					"the write was planned under version %d of the layout, the node has adopted version %d, and is no replica of the key by that"
						.formatted(layout, current.version()));
		}
		return null;
	}

}
