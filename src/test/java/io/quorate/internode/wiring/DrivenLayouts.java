package io.quorate.internode.wiring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;

import io.quorate.internode.LayoutExchange;
import io.quorate.membership.ChangeRequest;
import io.quorate.membership.DrivenMember;
import io.quorate.membership.LayoutAgreement;
import io.quorate.membership.LayoutPeers;
import io.quorate.membership.LayoutProgress;
import io.quorate.membership.LayoutVersion;
import io.quorate.replica.LayoutFence;
import io.quorate.replica.WritesUnderWay;
import io.quorate.storage.Store;
import io.quorate.storage.StoreStatus;

/** The thread of the layout, and the fence, of a node in simulated time. */
public final class DrivenLayouts {

	private final LayoutThread thread;

	private final LayoutFence fence;

	/**
	 * A thread that is not started.
	 * @param underWay writes of this node's replica
	 * @param executor simulated thread
	 */
	public DrivenLayouts(DrivenMember member, LayoutAgreement agreement, WritesUnderWay underWay, Store store,
			ScheduledExecutorService executor, boolean isWithoutBarrier) {
		AdoptedLayoutFence adopted = new AdoptedLayoutFence(member.layouts(), member.reports());
		this.fence = adopted;
		this.thread = new LayoutThread(member.layouts(), agreement, member.reports(), adopted,
				new LayoutThread.OwnStore() {

					@Override
					public WritesUnderWay.Barrier barrier() {
						return isWithoutBarrier ? new WritesUnderWay().barrier() : underWay.barrier();
					}

					@Override
					public CompletableFuture<Void> onDisk() {
						return isWithoutBarrier ? CompletableFuture.completedFuture(null) : store.force();
					}

					@Override
					public StoreStatus status() {
						return store.status();
					}

				}, executor);
	}

	/** Begins to propose, and to ask peers for what was decided. */
	public void start(LayoutPeers peers) {
		this.thread.ask(peers);
		this.thread.start();
	}

	public LayoutExchange exchange() {
		return this.thread;
	}

	public LayoutProgress progress() {
		return this.thread;
	}

	public LayoutFence fence() {
		return this.fence;
	}

	/** Asks this node for a change of members. */
	public CompletableFuture<LayoutVersion> propose(ChangeRequest change, long version) {
		return this.thread.propose(change, version, "an operator");
	}

}
