package io.quorate.coordinator;

import java.util.Map;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.repair.HintSink;
import io.quorate.replica.Replica;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;

/**
 * A coordinator over replicas that are not those of the node, for a warm-up. It works as
 * the node's own does, but keeps no hints and suspects no replica.
 */
public final class ScratchCoordinator implements AutoCloseable {

	private final QuorumCoordinator coordinator;

	private final Admission admission;

	private ScratchCoordinator(QuorumCoordinator coordinator, Admission admission) {
		this.coordinator = coordinator;
		this.admission = admission;
	}

	/** A factory of coordinators with the properties of the node. */
	static Factory factory(CoordinatorProperties properties) {
		return (ring, replicas, clock, judge, meters) -> {
			PreferenceLists lists = RingPreferenceLists.of(RingPair.of(ring), replicas);
			ClusterView view = new ClusterView(ring.members().getFirst().id(), () -> lists, Suspects.NONE, judge,
					HintSink.FORGOTTEN);
			return new ScratchCoordinator(new QuorumCoordinator(clock, view, properties.readPolicy(), meters),
					new Admission(properties.maxRequests(), properties.maxBytesOrDefault(), meters));
		};
	}

	/** The coordinator, which serves until this is closed. */
	public Coordinator coordinator() {
		return this.coordinator;
	}

	/** The bounds on its requests. */
	public Admission admission() {
		return this.admission;
	}

	@Override
	public void close() {
		this.coordinator.close();
	}

	/** Makes such coordinators. */
	@FunctionalInterface
	public interface Factory {

		/**
		 * A coordinator of all members of a ring.
		 * @param replicas the replica of each member by its id; that of the first member
		 * is the local one
		 * @param clock the clock of the replicas
		 * @param judge judge of its timestamps
		 * @param meters registry of the meters
		 */
		ScratchCoordinator of(Ring ring, Map<String, Replica> replicas, HybridClock clock, SkewJudge judge,
				MeterRegistry meters);

	}

}
