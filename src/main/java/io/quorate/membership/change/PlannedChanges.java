package io.quorate.membership.change;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quorate.clock.TimeSource;
import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.agreement.LayoutProposals;
import io.quorate.membership.layout.ChangeRefusedException.Reason;
import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.LayoutMachine.Asked;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.layout.MemberData;
import io.quorate.membership.reports.MemberReports;
import org.jspecify.annotations.Nullable;

/**
 * The changes of members with the plan of what they move, made before they are proposed.
 * Safe for any number of threads.
 */
public final class PlannedChanges {

	/* Compactions need room besides what comes. */
	private static final double FREE_PER_BYTE = 1.2;

	private final ClusterChanges changes;

	private final LayoutProposals proposals;

	private final LayoutOverview overview;

	private final MemberReports reports;

	private final Supplier<LayoutRecord> record;

	/** The planned changes of a node, in place of its unplanned ones. */
	public PlannedChanges(ClusterChanges changes, LayoutProposals proposals, LayoutOverview overview,
			MemberReports reports, LayoutAgreement agreement) {
		this(changes, proposals, overview, reports, agreement::record);
	}

	PlannedChanges(ClusterChanges changes, LayoutProposals proposals, LayoutOverview overview, MemberReports reports,
			Supplier<LayoutRecord> record) {
		this.changes = changes;
		this.proposals = proposals;
		this.overview = overview;
		this.reports = reports;
		this.record = record;
	}

	/**
	 * A change as it is asked for.
	 *
	 * @param silent members that have not answered whether they hear the one that is
	 * declared dead
	 */
	private record Wanted(ChangeRequest change, long version, String by, List<String> silent) {
	}

	/** A change that has passed all checks, and is not proposed yet. */
	public static final class Planned {

		private final Wanted wanted;

		private final LayoutRecord next;

		private final MovePlan plan;

		private final LayoutProposals proposals;

		private Planned(Wanted wanted, LayoutRecord next, MovePlan plan, LayoutProposals proposals) {
			this.wanted = wanted;
			this.next = next;
			this.plan = plan;
			this.proposals = proposals;
		}

		/** The partitions that the change moves. */
		public MovePlan plan() {
			return this.plan;
		}

		/**
		 * The members that have not answered whether they hear the one that the change
		 * declares dead; none when it declares none.
		 */
		public List<String> silent() {
			return this.wanted.silent();
		}

		/** Proposes the change. As the methods of {@link ClusterChanges}. */
		public CompletableFuture<LayoutVersion> propose() {
			return this.proposals.propose(this.wanted.change(), this.wanted.version(), this.wanted.by());
		}

		/** The outcome of the change in words, if it were proposed now. */
		@Override
		public String toString() {
			return "version %d would be %s".formatted(this.wanted.version() + 1, this.next);
		}

	}

	/**
	 * Checks a change, and plans it. Waits until a node that is to come is reached, for a
	 * bounded time, and takes as long as to compute the ring.
	 * @param ask asks for the change, and does nothing else
	 * @throws ExecutionException when the change cannot be, with a
	 * {@link ChangeRefusedException}
	 */
	public Planned plan(Function<ClusterChanges, CompletableFuture<LayoutVersion>> ask)
			throws ExecutionException, InterruptedException {
		AtomicReference<@Nullable Wanted> asked = new AtomicReference<>();
		List<String> silent = new CopyOnWriteArrayList<>();
		var _ = ask.apply(this.changes.proposedTo((change, version, by) -> {
			asked.set(new Wanted(change, version, by, List.copyOf(silent)));
			return CompletableFuture.completedFuture(new LayoutVersion(version, 0));
		}, silent::addAll)).get();
		Wanted wanted = Objects.requireNonNull(asked.get(), "nothing is asked for");
		try {
			LayoutRecord next = LayoutMachine.begun(this.record.get(), wanted.change(),
					new Asked(wanted.version(), wanted.by(), TimeSource.SYSTEM.millis()));
			MovePlan plan = this.overview.plan(next, wanted.version() + 1);
			requireRoom(plan);
			return new Planned(wanted, next, plan, this.proposals);
		}
		catch (ChangeRefusedException refused) {
			throw new ExecutionException(refused);
		}
	}

	private void requireRoom(MovePlan plan) {
		for (Map.Entry<String, MovePlan.Gain> move : plan.moves().entrySet()) {
			MemberData data = this.reports.dataOf(move.getKey());
			Long bytes = move.getValue().bytes();
			if (data != null && bytes != null && data.freeBytes() < FREE_PER_BYTE * bytes) {
				throw refused(
						"%s would get about %d bytes, and has %d bytes free on its disk: 1.2 times as many are needed"
							.formatted(move.getKey(), bytes, data.freeBytes()));
			}
		}
	}

	private static ChangeRefusedException refused(String why) {
		return new ChangeRefusedException(Reason.IMPOSSIBLE, why, null);
	}

}
