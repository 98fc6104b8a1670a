package io.quorate.coordinator;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quorate.coordinator.RequestTimeline.Stage;
import io.quorate.meter.MeterByTag;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;

/**
 * Counts the events of a coordinator. All series are there from the beginning, with zero.
 * Safe for any number of threads.
 */
final class CoordinatorMetrics {

	private final MeterByTag<Operation, StageTimers> stages;

	private final Counter shedForReplicas;

	private final Counter shedForClock;

	private final Counter shedWhileDraining;

	private final Counter shedForLateness;

	private final Counter hedgesWon;

	private final Counter hedgesLost;

	private final MeterByTag<MovedOn, Counter> movedOn;

	private final Counter fetched;

	private final MeterByTag<Repair, MeterByTag<RepairOutcome, Counter>> repairs;

	private final Counter repairsLeftOut;

	private final Map<String, Counter> acksMissing;

	private final Counter plannedAnew;

	private final Counter keysExamined;

	private final Counter recordsReturned;

	private final AtomicInteger scansOpen = new AtomicInteger();

	CoordinatorMetrics(MeterRegistry registry, List<Replica> members) {
		this.stages = new MeterByTag<>(Operation.class, (operation) -> new StageTimers(registry, operation));
		this.shedForReplicas = CoordinatorMeters.SHED.counter(registry, "replicas");
		this.shedForClock = CoordinatorMeters.SHED.counter(registry, "clock");
		this.shedWhileDraining = CoordinatorMeters.SHED.counter(registry, "draining");
		this.shedForLateness = CoordinatorMeters.SHED.counter(registry, "late");
		this.hedgesWon = CoordinatorMeters.HEDGE.counter(registry, "true");
		this.hedgesLost = CoordinatorMeters.HEDGE.counter(registry, "false");
		this.movedOn = new MeterByTag<>(MovedOn.class,
				(reason) -> CoordinatorMeters.READS_MOVED_ON.counter(registry, MeterByTag.word(reason)));
		this.fetched = CoordinatorMeters.READS_FETCHED.counter(registry);
		this.repairs = new MeterByTag<>(Repair.class,
				(kind) -> new MeterByTag<>(RepairOutcome.class, (outcome) -> CoordinatorMeters.READ_REPAIR
					.counter(registry, MeterByTag.word(kind), MeterByTag.word(outcome))));
		this.repairsLeftOut = CoordinatorMeters.READ_REPAIR.counter(registry, MeterByTag.word(Repair.LATE), "left_out");
		this.acksMissing = members.stream()
			.map(Replica::nodeId)
			.collect(Collectors.toUnmodifiableMap(Function.identity(),
					(node) -> CoordinatorMeters.ACKS_MISSING.counter(registry, node)));
		this.plannedAnew = CoordinatorMeters.PLANNED_ANEW.counter(registry);
		this.keysExamined = CoordinatorMeters.SCAN_KEYS.counter(registry, "examined");
		this.recordsReturned = CoordinatorMeters.SCAN_KEYS.counter(registry, "returned");
		CoordinatorMeters.SCANS_OPEN.gauge(registry, this.scansOpen, AtomicInteger::get);
	}

	/** Records the stages of an answered request, which has left them. */
	void answered(Operation operation, RequestTimeline timeline) {
		this.stages.of(operation).record(timeline);
	}

	/**
	 * Counts a refused request, but for those that {@link Admission} refuses and counts
	 * itself.
	 */
	void refused(RefusedException refused) {
		switch (refused.why()) {
			case REPLICAS -> this.shedForReplicas.increment();
			case CLOCK -> this.shedForClock.increment();
			case DRAINING -> this.shedWhileDraining.increment();
			case LATE -> this.shedForLateness.increment();
			case REQUESTS, BYTES, SHARE, DISK_FULL -> {
				// Counted by Admission, or a state of the disks, not overload.
			}
		}
	}

	void hedged(boolean isWon) {
		(isWon ? this.hedgesWon : this.hedgesLost).increment();
	}

	void movedOn(MovedOn reason) {
		this.movedOn.of(reason).increment();
	}

	/** Counts a value that was left out and is asked for. */
	void fetched() {
		this.fetched.increment();
	}

	/** Counts the reply of a replica to a repair. */
	void repaired(Repair kind, WriteReply reply) {
		RepairOutcome outcome = switch (reply) {
			case WriteReply.Applied _ -> RepairOutcome.REPAIRED;
			case WriteReply.Superseded _ -> RepairOutcome.SUPERSEDED;
			case WriteReply.Promised _, WriteReply.Failed _ -> RepairOutcome.FAILED;
		};
		this.repairs.of(kind).of(outcome).increment();
	}

	void repairLeftOut() {
		this.repairsLeftOut.increment();
	}

	/** Counts a write that a replica did not take. */
	void ackMissing(String node) {
		Counter counter = this.acksMissing.get(node);
		if (counter != null) {
			counter.increment();
		}
	}

	/** Counts a request that replicas refused because of their layout. */
	void plannedAnew() {
		this.plannedAnew.increment();
	}

	void scanBegun() {
		this.scansOpen.incrementAndGet();
	}

	void scanEnded() {
		this.scansOpen.decrementAndGet();
	}

	void scanned(long keysExamined, int recordsReturned) {
		this.keysExamined.increment((double) keysExamined);
		this.recordsReturned.increment(recordsReturned);
	}

	/** The operations that have stages. */
	enum Operation {

		GET, PUT, DELETE;

		private List<Stage> stages() {
			return switch (this) {
				case GET -> List.of(Stage.REPLICAS, Stage.SETTLE);
				case PUT, DELETE -> List.of(Stage.STAMP, Stage.REPLICAS);
			};
		}

	}

	/** The reasons for which a read asks another replica. */
	enum MovedOn {

		/** A replica has failed. */
		ERROR,

		/** A replica is silent and suspect. */
		SUSPECT,

		/** A replica is silent, and the deadline is near. */
		DEADLINE

	}

	/** The kinds of repair. */
	enum Repair {

		/** The answer to a read waits for it. */
		WAITED,

		/** No client waits for it. */
		LATE

	}

	private enum RepairOutcome {

		REPAIRED, SUPERSEDED, FAILED

	}

	/** The timers of an operation, in the order of its stages. */
	private static final class StageTimers {

		private final List<Stage> stages;

		private final List<Timer> timers;

		private StageTimers(MeterRegistry registry, Operation operation) {
			this.stages = operation.stages();
			this.timers = this.stages.stream()
				.map((stage) -> CoordinatorMeters.STAGE.timer(registry, MeterByTag.word(operation), stage.word()))
				.toList();
		}

		private void record(RequestTimeline timeline) {
			for (int i = 0; i < this.stages.size(); i++) {
				long nanos = timeline.nanos(this.stages.get(i));
				// A timeline that was closed before has not recorded all of them.
				if (nanos >= 0) {
					this.timers.get(i).record(nanos, TimeUnit.NANOSECONDS);
				}
			}
		}

	}

}
