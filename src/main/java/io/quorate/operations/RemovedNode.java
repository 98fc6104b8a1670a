package io.quorate.operations;

import java.io.IOException;
import java.util.function.BooleanSupplier;

import io.quorate.membership.Layout;
import io.quorate.membership.LayoutFollower;
import io.quorate.membership.Layouts;
import io.quorate.storage.StoreIdentity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a node that joins by itself and is a member no more: its next start sets its
 * files aside and joins as a new node. If it does not stop anyway, because it has left,
 * it ends: its supervisor starts it again. A node that learns layouts of the past, which
 * may have named its id and then have not, is not removed by them.
 */
final class RemovedNode implements LayoutFollower {

	private static final Logger log = LoggerFactory.getLogger(RemovedNode.class);

	private final String self;

	private final BooleanSupplier isBehind;

	private final StoreIdentity identity;

	private final Runnable end;

	private boolean wasMember;

	/**
	 * The end of a node that has not come yet.
	 * @param isBehind whether another member knows a later layout
	 * @param end ends the process, in order; a stop that is under way goes on
	 */
	RemovedNode(Layouts layouts, BooleanSupplier isBehind, StoreIdentity identity, Runnable end) {
		this.self = layouts.self();
		this.wasMember = layouts.isMember();
		this.isBehind = isBehind;
		this.identity = identity;
		this.end = end;
	}

	/* On a thread of its own: the stop of the node waits for the thread that adopts. */
	@Override
	public void adopted(Layout now) {
		if (now.hasMember(this.self)) {
			this.wasMember = true;
		}
		else if (this.wasMember && !this.isBehind.getAsBoolean()) {
			this.wasMember = false;
			Thread.ofPlatform().daemon().name("removed-node").start(() -> beginAnew(now.version()));
		}
	}

	private void beginAnew(long version) {
		try {
			this.identity.abandon();
			log.warn("Version {} of the layout does not name this node: its next start joins as a new node", version);
		}
		catch (IOException failure) {
			log.error("Version {} of the layout does not name this node, and its directory cannot be marked", version,
					failure);
		}
		this.end.run();
	}

}
