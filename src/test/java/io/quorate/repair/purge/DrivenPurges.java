package io.quorate.repair.purge;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.members.Layouts;
import io.quorate.repair.antientropy.Agreement;
import io.quorate.repair.antientropy.AgreementListener;
import io.quorate.repair.purge.PurgeConfiguration.PurgeAgreements;
import io.quorate.repair.record.Horizon;
import io.quorate.repair.record.PeerRecords;
import io.quorate.ring.RingPair;
import io.quorate.storage.PurgePolicy;

/** The permission of a node to purge, in simulated time. */
public final class DrivenPurges {

	/* They depend on nothing but the rings and the node, and take milliseconds each. */
	private static final Map<SetsKey, ReplicaSets> SETS = new ConcurrentHashMap<>();

	private final ClusterPurgePolicy policy;

	private final PurgePermission permission;

	private final AgreementListener agreements;

	private record SetsKey(RingPair rings, String self) {
	}

	/**
	 * Time as a node has it.
	 *
	 * @param nowMillis the present by the hybrid clock
	 * @param nanos the monotonic clock
	 */
	public record Time(Duration grace, Duration longestDeadline, LongSupplier nowMillis, LongSupplier nanos) {
	}

	/** The faults that are planted: agreements of the side of before alone, and kept. */
	public record Faults(boolean isOldSideEnough, boolean areMarksKept) {
	}

	/**
	 * A permission that permits nothing yet.
	 * @param nowhere a directory that does not exist: nothing is written there
	 */
	public DrivenPurges(Layouts layouts, Horizon horizon, Time time, Faults faults, Path nowhere) {
		ReplicaSets first = sets(layouts.current(), layouts, faults);
		Marks marks = new Marks(new ClusterDeadline(time.longestDeadline()));
		this.policy = new ClusterPurgePolicy(first, time.grace(), time.nowMillis());
		this.permission = new PurgePermission(first, marks, PeerRecords.open(nowhere), horizon, this.policy,
				new PurgePermission.Terms(time.grace(), time.nowMillis(), time.nanos()));
		Map<String, Agreement> last = new ConcurrentHashMap<>();
		PurgeAgreements real = new PurgeAgreements(this.permission, horizon);
		this.agreements = faults.areMarksKept() ? new Kept(real, last) : real;
		layouts.follow(new LayoutFollower() {

			@Override
			public void reassigns(Layout later) {
				DrivenPurges.this.permission.assigned(sets(later, layouts, faults));
				if (faults.areMarksKept()) {
					last.forEach((peer, agreed) -> restore(marks, agreed, time.nanos().getAsLong()));
				}
			}

			@Override
			public void left(String peer) {
				DrivenPurges.this.permission.forget(peer);
			}

		});
	}

	private static ReplicaSets sets(Layout layout, Layouts layouts, Faults faults) {
		RingPair rings = faults.isOldSideEnough()
				? new RingPair(layout.rings().before(), layout.rings().before(), layout.rings().firstFactor())
				: layout.rings();
		return SETS.computeIfAbsent(new SetsKey(rings, layouts.self()),
				(key) -> new ReplicaSets(key.rings(), key.self()));
	}

	/* As if it had not become void. */
	private static void restore(Marks marks, Agreement agreed, long nanos) {
		marks.begun(agreed.peer(), agreed.theirs().storageId(), agreed.round().number(),
				agreed.ours().durableSequence(), agreed.round().instant());
		var _ = marks.completed(agreed.peer(), agreed.theirs().storageId(), agreed.round().number(), nanos);
	}

	/** Agreements that are remembered. */
	private record Kept(PurgeAgreements real, Map<String, Agreement> last) implements AgreementListener {

		@Override
		public io.quorate.clock.Timestamp purgeHorizon() {
			return this.real.purgeHorizon();
		}

		@Override
		public io.quorate.replica.@org.jspecify.annotations.Nullable Failure begins(Agreement agreement) {
			return this.real.begins(agreement);
		}

		@Override
		public void completed(Agreement agreement) {
			this.last.put(agreement.peer(), agreement);
			this.real.completed(agreement);
		}

	}

	/** Permits what may be purged by now; to be called now and then. */
	public void advance() {
		try {
			this.permission.advance(() -> {
			});
		}
		catch (IOException impossible) {
			throw new AssertionError(impossible);
		}
	}

	public PurgePolicy policy() {
		return this.policy;
	}

	public PurgePermission permission() {
		return this.permission;
	}

	public AgreementListener agreements() {
		return this.agreements;
	}

}
