package io.quorate.operations;

import java.io.IOException;

import io.quorate.membership.Layout;
import io.quorate.membership.LayoutFollower;
import io.quorate.membership.Layouts;
import io.quorate.storage.StoreIdentity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a node that joins by itself and is a member no more: its next start sets its
 * files aside and joins as a new node. If it does not stop anyway, because it has left,
 * it ends: its supervisor starts it again.
 */
final class RemovedNode implements LayoutFollower {

	private static final Logger log = LoggerFactory.getLogger(RemovedNode.class);

	private final String self;

	private final StoreIdentity identity;

	private final Runnable end;

	private boolean wasMember;

	/**
	 * The end of a node that has not come yet.
	 * @param end ends the process, in order; a stop that is under way goes on
	 */
	RemovedNode(Layouts layouts, StoreIdentity identity, Runnable end) {
		this.self = layouts.self();
		this.wasMember = layouts.isMember();
		this.identity = identity;
		this.end = end;
	}

	/* On a thread of its own: the stop of the node waits for the thread that adopts. */
	@Override
	public void adopted(Layout now) {
		boolean isMember = now.hasMember(this.self);
		if (this.wasMember && !isMember) {
			Thread.ofPlatform().daemon().name("removed-node").start(() -> beginAnew(now.version()));
		}
		this.wasMember = isMember;
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
