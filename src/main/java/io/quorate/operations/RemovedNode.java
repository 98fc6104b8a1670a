package io.quorate.operations;

import java.io.IOException;
import java.util.function.BooleanSupplier;

import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.storage.StoreIdentity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a node that joins by itself and is a member no more: its next start sets its
 * files aside and joins as a new node. A node that was removed while it was away ends, so
 * that its supervisor starts it again. One that is removed while it runs waits to be
 * stopped: it would join again at once. A node that learns layouts of the past, which
 * have named another directory with its id and then have not, is not removed by them.
 */
final class RemovedNode implements LayoutFollower {

	private static final Logger log = LoggerFactory.getLogger(RemovedNode.class);

	private final BooleanSupplier hasLeft;

	private final BooleanSupplier hasServed;

	private final StoreIdentity identity;

	private final Runnable end;

	private boolean marks;

	/**
	 * The end of a node that has not come yet.
	 * @param hasLeft whether the directory of this node is that of a member that has left
	 * @param hasServed whether this process has been a member among a majority of them
	 * @param end ends the process, in order; a stop that is under way goes on
	 */
	RemovedNode(BooleanSupplier hasLeft, BooleanSupplier hasServed, StoreIdentity identity, Runnable end) {
		this.hasLeft = hasLeft;
		this.hasServed = hasServed;
		this.identity = identity;
		this.end = end;
	}

	/* On a thread of its own: the stop of the node waits for the thread that adopts. */
	@Override
	public void adopted(Layout now) {
		if (this.hasLeft.getAsBoolean() && !this.marks) {
			boolean ends = !this.hasServed.getAsBoolean();
			Thread.ofPlatform().daemon().name("removed-node").start(() -> beginAnew(now.version(), ends));
			this.marks = true;
		}
	}

	private void beginAnew(long version, boolean ends) {
		try {
			this.identity.abandon();
			log.warn("Version {} of the layout does not name this node: its next start joins as a new node", version);
		}
		catch (IOException | RuntimeException | Error failure) {
			log.error("Version {} of the layout does not name this node, and its directory cannot be marked", version,
					failure);
		}
		if (ends) {
			this.end.run();
		}
	}

}
