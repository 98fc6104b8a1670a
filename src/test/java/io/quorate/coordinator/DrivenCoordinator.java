package io.quorate.coordinator;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.clock.TrueTime;
import io.quorate.coordinator.CoordinatorConfiguration.AbsentMembers;
import io.quorate.coordinator.QuorumNotReachedException.Fate;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.repair.HintSink;
import io.quorate.replica.Handover;
import io.quorate.replica.HandoverReply;
import io.quorate.replica.Replica;
import io.quorate.replica.Replicas;
import io.quorate.ring.Member;
import io.quorate.ring.PartitionGroups;
import io.quorate.ring.RingPair;
import io.quorate.storage.Promise;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The coordinator of a node in simulated time. Reads and writes may be planned by other
 * replica sets than those of the layout: a fault that is planted.
 */
public final class DrivenCoordinator {

	/** Time between two sweeps. */
	public static final Duration TICK = Duration.ofMillis(DeadlineSweep.TICK_MILLIS);

	/* They depend on nothing but the rings, and take milliseconds each. */
	private static final Map<RingPair, PartitionGroups> GROUPS = new ConcurrentHashMap<>();

	private final DeadlineSweep sweep;

	private final ClusterView view;

	private final QuorumCoordinator reads;

	private final QuorumCoordinator writes;

	private final Admission admission = new Admission(1000, 1_000_000, new SimpleMeterRegistry());

	private final LongSupplier nanos;

	/**
	 * The parts of the node.
	 *
	 * @param digestAbove a value of more bytes is left out of answers to some reads
	 * @param nanos the monotonic clock
	 * @param executor runs one task at a time, later
	 */
	public record Node(HybridClock clock, SkewJudge judge, TrueTime trueTime, Layouts layouts, Membership membership,
			Replicas replicas, HintSink missed, int digestAbove, MeterRegistry meters, LongSupplier nanos,
			Executor executor) {
	}

	/** The timestamp of a key that a scan has found. */
	public record Found(Key key, Timestamp timestamp) {
	}

	/**
	 * The rings of a change by which requests are planned: a fault, but for both.
	 */
	public record Planned(UnaryOperator<RingPair> reads, UnaryOperator<RingPair> writes) {
	}

	public DrivenCoordinator(Node node, Planned planned) {
		this.nanos = node.nanos();
		this.sweep = new DeadlineSweep(node.executor(), node.nanos(), () -> {
		});
		this.view = view(node, planned.writes());
		this.reads = coordinator(node, view(node, planned.reads()));
		this.writes = coordinator(node, this.view);
	}

	private static ClusterView view(Node node, UnaryOperator<RingPair> rings) {
		return new ClusterView(node.layouts().self(), node.layouts()
			.derive((layout) -> new LazyLists(rings.apply(layout.rings()), node.replicas().planned(layout.version()))),
				new AbsentMembers(node.membership()), node.judge(), node.trueTime(), node.missed());
	}

	private QuorumCoordinator coordinator(Node node, ClusterView view) {
		return new QuorumCoordinator(node.clock(), view, node.digestAbove(), node.meters(), this.sweep);
	}

	/**
	 * Writes a key.
	 * @param ttl time after which the value is absent, {@code null} for never
	 */
	public Mono<Timestamp> put(Key key, Value value, @Nullable Duration ttl, Consistency consistency,
			Duration timeout) {
		return this.writes
			.put(key, new Content(value, null, ttl), context(consistency, timeout, this.admission.admit(0)))
			.map(Written::timestamp);
	}

	public Mono<Timestamp> delete(Key key, Consistency consistency, Duration timeout) {
		return this.writes.delete(key, context(consistency, timeout, this.admission.admit(0))).map(Written::timestamp);
	}

	/**
	 * Writes a key through its register.
	 * @param value value to be written, {@code null} for a deletion
	 */
	public Mono<Timestamp> writeIf(Key key, Condition condition, @Nullable Value value, @Nullable Duration ttl,
			Duration timeout) {
		RequestContext context = context(Consistency.DEFAULT, timeout, this.admission.admit(0));
		return ((value != null) ? this.writes.putIf(key, condition, new Content(value, null, ttl), context)
				: this.writes.deleteIf(key, condition, context))
			.map(Written::timestamp);
	}

	/** Touches a value under a condition. */
	public Mono<Touched> touch(Key key, Condition condition, Duration ttl, Duration timeout) {
		return this.writes.touch(key, condition, ttl, context(Consistency.DEFAULT, timeout, this.admission.admit(0)));
	}

	/** Reads the entry of a key through its register, empty when there is none. */
	public Mono<Optional<Entry>> readLinearizable(Key key, Duration timeout) {
		return Mono
			.using(() -> this.admission.admit(0),
					(permit) -> this.reads.resolveLinearizable(key, context(Consistency.DEFAULT, timeout, permit)))
			.map((found) -> Optional.ofNullable(found.entry()));
	}

	/** Runs a write that another node hands over. */
	public Mono<HandoverReply> handedOver(Key key, Handover write, Deadline deadline) {
		return this.writes.handedOver(key, write, deadline, this.admission);
	}

	/** One turn of the settling of promises that were left. */
	public Runnable settling(Supplier<Collection<Promise>> promises, Consumer<Promise> foreign, Duration timeout) {
		Settling settling = new Settling(this.view, promises, foreign,
				(key, end) -> Mono
					.using(() -> this.admission.admit(0),
							(permit) -> this.writes.settle(key, context(Consistency.DEFAULT, timeout, permit)))
					.onErrorComplete()
					.doFinally((_) -> end.run())
					.subscribe());
		return () -> settling.turn(this.nanos.getAsLong());
	}

	/** Reads the entry of a key, empty when there is none. */
	public Mono<Optional<Entry>> read(Key key, Consistency consistency, Duration timeout) {
		return Mono
			.using(() -> this.admission.admit(0),
					(permit) -> this.reads.resolve(key, context(consistency, timeout, permit)))
			.map((found) -> Optional.ofNullable(found.entry()));
	}

	/**
	 * Lists a range.
	 * @param timeout time for each page
	 */
	public Mono<List<Found>> scan(ScanRange range, boolean isKeysOnly, Consistency consistency, Duration timeout) {
		return Mono.using(() -> this.admission.admit(0), (permit) -> {
			RangeScan scan = this.reads.scan(new ScanRequest(new ScanRequest.Wanted(range, isKeysOnly, Long.MAX_VALUE),
					consistency, timeout, permit, new RequestTimeline(this.nanos.getAsLong())));
			return Flux.defer(scan::nextPage)
				.repeatWhen((pages) -> pages.takeWhile((count) -> count > 0))
				.flatMapIterable((page) -> page)
				.map((row) -> new Found(row.key(), row.state().timestamp()))
				.collectList();
		});
	}

	private RequestContext context(Consistency consistency, Duration timeout, Admission.Permit permit) {
		long now = this.nanos.getAsLong();
		return new RequestContext(consistency, new Deadline(now + timeout.toNanos()), permit, new RequestTimeline(now));
	}

	/** Whether no request is under way, and none holds anything. */
	public boolean isIdle() {
		return this.sweep.pending() == 0 && this.admission.requests() == 0 && this.admission.bytes() == 0;
	}

	/** Whether a write has certainly not happened, and will not. */
	public static boolean isRefused(Throwable failure) {
		return failure instanceof RefusedException;
	}

	/** Whether the members' clocks do not agree on the time. */
	public static boolean isWithoutTime(Throwable failure) {
		return failure instanceof RefusedException refused && refused.why() == RefusedException.Why.CLOCK;
	}

	/** Whether it is not known whether a write happens. */
	public static boolean isUnknown(Throwable failure) {
		return failure instanceof QuorumNotReachedException quorum && !quorum.fate().equals(Fate.NOT_WRITTEN);
	}

	/** Whether a write of a register has not taken effect, and will not. */
	public static boolean isWithoutEffect(Throwable failure) {
		return failure instanceof ContendedException
				|| (failure instanceof QuorumNotReachedException quorum && quorum.fate().equals(Fate.NOT_WRITTEN));
	}

	/**
	 * The version that a key has instead of those of a condition, {@link Timestamp#ZERO}
	 * for none; {@code null} if that is not why a write has failed.
	 */
	public static @Nullable Timestamp current(Throwable failure) {
		if (!(failure instanceof ConditionFailedException failed)) {
			return null;
		}
		Timestamp current = failed.current();
		return (current != null) ? current : Timestamp.ZERO;
	}

	/** Whether a failed condition leaves open what has become of an earlier request. */
	public static boolean isForgotten(Throwable failure) {
		return failure instanceof ConditionFailedException failed && failed.isForgotten();
	}

	/** To be called each {@link #TICK}. */
	public void sweep() {
		if (this.sweep.pending() > 0) {
			this.sweep.sweep();
		}
	}

	/**
	 * The replica sets of a layout, as {@link RingPreferenceLists} makes them, but of the
	 * partitions that are asked for: that takes all of them at once, some milliseconds.
	 */
	private static final class LazyLists implements PreferenceLists {

		private final RingPair rings;

		private final Map<String, Replica> replicas;

		private final Map<Integer, ReplicaSet> sets = new HashMap<>();

		private List<ReplicaSet> every = List.of();

		private LazyLists(RingPair rings, Map<String, Replica> replicas) {
			this.rings = rings;
			this.replicas = replicas;
		}

		@Override
		public ReplicaSet replicasOf(Key key) {
			return set(this.rings.partitionOf(key));
		}

		private ReplicaSet set(int partition) {
			return this.sets.computeIfAbsent(partition, (_) -> ReplicaSet.of(of(this.rings.replicasBefore(partition)),
					of(this.rings.replicasAfter(partition)), this.rings.firstFactor()));
		}

		private List<Replica> of(List<Member> members) {
			return members.stream().map(Member::id).map(this.replicas::get).toList();
		}

		@Override
		public Collection<ReplicaSet> everySet() {
			if (this.every.isEmpty()) {
				PartitionGroups groups = GROUPS.computeIfAbsent(this.rings, PartitionGroups::of);
				this.every = IntStream.range(0, groups.count()).map(groups::firstOf).mapToObj(this::set).toList();
			}
			return this.every;
		}

		@Override
		public List<Replica> allReplicas() {
			return of(this.rings.members());
		}

		@Override
		public int replicationFactor() {
			return Math.max(this.rings.before().replicationFactor(), this.rings.after().replicationFactor());
		}

	}

}
