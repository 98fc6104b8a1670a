package io.quorate.membership.exchange;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;

import io.quorate.membership.agreement.DrivenMember;
import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.agreement.LayoutPeers;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.reports.MemberReports;
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

	/** The thread, not started, of a node whose store has no writes. */
	public static LayoutThread idle(Layouts layouts, LayoutAgreement agreement, MemberReports reports) {
		return new LayoutThread(layouts, agreement, reports, new AdoptedLayoutFence(layouts, reports), new IdleStore());
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

	/** An operator asks this node for a change of members. */
	public CompletableFuture<LayoutVersion> propose(ChangeRequest change, long version, String by) {
		return this.thread.propose(change, version, by);
	}

	/** A store without writes. */
	private static final class IdleStore implements LayoutThread.OwnStore {

		private final WritesUnderWay writes = new WritesUnderWay();

		@Override
		public WritesUnderWay.Barrier barrier() {
			return this.writes.barrier();
		}

		@Override
		public CompletableFuture<Void> onDisk() {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public StoreStatus status() {
			return new StoreStatus(new StoreStatus.Disk(5_000, 0), 0, new StoreStatus.Tables(0, 0, 0, 0),
					new StoreStatus.Held(7, 900));
		}

	}

}
