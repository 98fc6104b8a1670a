package io.quorate.membership.agreement;

import java.util.List;

import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutException;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.members.Layouts;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The conditions on which a node whose configuration has no other member belongs to a
 * cluster that has grown. Such a node cannot ask the members of its configuration for
 * what it may have lost, because there are none: only its directory and its seeds know
 * the others.
 */
final class FirstAlone implements LayoutFollower {

	private static final Logger log = LoggerFactory.getLogger(FirstAlone.class);

	private final Layouts layouts;

	private boolean isAdvised;

	/** Reports, once, that no seed would protect this node. */
	FirstAlone(Layouts layouts) {
		this.layouts = layouts;
		adopted(layouts.current());
	}

	/**
	 * Requires that the other members can reach this node, and that it would serve by
	 * their layout.
	 * @param assignedVersion highest version of a layout by which the store of this node
	 * has gained or lost keys, 0 for none
	 * @throws LayoutException when that is not so
	 */
	static void check(Layouts layouts, long assignedVersion) {
		if (!layouts.isFirstAlone()) {
			return;
		}
		Layout last = layouts.current();
		if (layouts.own() == null && last.members().size() > 1) {
			throw new LayoutException(
					("version %d of the layout (file LAYOUT) has the members %s: set quorate.cluster.members to the"
							+ " address of this node, %s, as it was when the cluster grew")
						.formatted(last.version(), last.members(), layouts.self()),
					null);
		}
		if (last.version() == Layout.FIRST && assignedVersion > 0 && !layouts.awaitsSeed()) {
			throw new LayoutException(
					("the members of the cluster have changed (version %d of the layout), and the file LAYOUT, which"
							+ " names them, is lost: set quorate.cluster.seeds to some of the present members")
						.formatted(assignedVersion),
					null);
		}
	}

	@Override
	public void adopted(Layout now) {
		List<Endpoint> others = now.endpoints()
			.stream()
			.filter((endpoint) -> !endpoint.id().equals(this.layouts.self()))
			.toList();
		boolean isSafe = this.layouts.seeds()
			.stream()
			.anyMatch((seed) -> others.stream().anyMatch((other) -> other.id().equals(seed.id())));
		if (this.layouts.isFirstAlone() && now.hasMember(this.layouts.self()) && !others.isEmpty() && !isSafe
				&& !this.isAdvised) {
			this.isAdvised = true;
			log.warn(
					"quorate.cluster.members names this node alone. If its directory were lost, it would begin a cluster of its own: for its next start set quorate.cluster.seeds={}, or some of these members",
					String.join(",", others.stream().map(Endpoint::toString).toList()));
		}
	}

}
