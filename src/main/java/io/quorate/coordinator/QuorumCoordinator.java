package io.quorate.coordinator;

import java.time.Duration;
import java.util.function.Function;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.HybridClock;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.CoordinatorMetrics.Operation;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Coordinates by quorum: plans each request, and has it done by {@link QuorumWrite},
 * {@link QuorumRead} or {@link QuorumScan}.
 */
final class QuorumCoordinator implements Coordinator, AutoCloseable {

	private final DeadlineSweep deadlines;

	private final Cluster cluster;

	private final Stamps stamps;

	private final Writing writing;

	private final Reading reading;

	QuorumCoordinator(HybridClock clock, Cluster cluster, ReadPolicy policy, MeterRegistry meters) {
		this(clock, cluster, policy, meters, DeadlineSweep.ticking());
	}

	QuorumCoordinator(HybridClock clock, Cluster cluster, ReadPolicy policy, MeterRegistry meters,
			DeadlineSweep deadlines) {
		this.cluster = cluster;
		this.deadlines = deadlines;
		Hedging hedging = new Hedging();
		CoordinatorMetrics metrics = new CoordinatorMetrics(meters, cluster.lists().allReplicas(), hedging);
		this.stamps = new Stamps(clock, cluster.judge(), this.deadlines, metrics);
		this.writing = new Writing(cluster, this.stamps, this.deadlines, metrics,
				new WriteSpread(meters, deadlines::nanoTime));
		this.reading = new Reading(policy, new FastestFirst(cluster.local(), cluster.suspects(), deadlines::nanoTime),
				hedging, cluster.suspects(), this.stamps, this.deadlines, new LateRepairs(metrics), cluster.local(),
				metrics);
		cluster.suspects().onSuspect(this.deadlines::suspect);
	}

	@Override
	public int replicationFactor() {
		return this.cluster.lists().replicationFactor();
	}

	@Override
	public Mono<Written> put(Key key, Value value, @Nullable Duration ttl, Terms terms) {
		return write(Operation.PUT, key, (timestamp) -> live(timestamp, terms.consistency().from(), ttl, value), terms);
	}

	private static Entry live(Timestamp timestamp, int from, @Nullable Duration ttl, Value value) {
		long expiry = (ttl != null) ? timestamp.millis() + ttl.toMillis() : Entry.NEVER;
		return new Entry.Live(timestamp, from, expiry, value);
	}

	@Override
	public Mono<Written> delete(Key key, Terms terms) {
		return write(Operation.DELETE, key, (timestamp) -> new Entry.Tombstone(timestamp, terms.consistency().from()),
				terms);
	}

	private Mono<Written> write(Operation operation, Key key, Function<Timestamp, Entry> entryAt, Terms terms) {
		return Mono
			.defer(() -> new QuorumWrite(this.writing, operation, plan(key, terms.consistency()), key, entryAt, terms)
				.run());
	}

	private ReplicaPlan plan(Key key, Consistency consistency) {
		return ReplicaPlan.of(this.cluster.lists().replicasOf(key), consistency);
	}

	@Override
	public Mono<ReadOutcome> read(Key key, Terms terms) {
		return resolve(key, terms).map(this::outcome);
	}

	/** As {@link #read}, with what is held instead of what it means now. */
	Mono<QuorumRead.Resolved> resolve(Key key, Terms terms) {
		return Mono.defer(
				() -> QuorumRead.of(this.reading, new QuorumRead.Request(key, plan(key, terms.consistency()), terms)));
	}

	private ReadOutcome outcome(QuorumRead.Resolved resolved) {
		Entry entry = resolved.entry();
		if (entry instanceof Entry.Live live && !live.isAbsentAt(this.stamps.nowMillis())) {
			return new ReadOutcome.Found(live);
		}
		return new ReadOutcome.Missing();
	}

	@Override
	public RangeScan scan(Key start, @Nullable Key end, long limit, Consistency consistency, Duration timeout,
			Admission.Permit permit, RequestTrail trail) {
		return new QuorumScan(this.reading, this.cluster.lists(),
				new QuorumScan.Request(start, end, limit, consistency, timeout, permit, trail));
	}

	/** How long its writes take until they are everywhere. */
	WriteSpread spread() {
		return this.writing.spread();
	}

	/** What its reads share. */
	Reading reading() {
		return this.reading;
	}

	int pending() {
		return this.deadlines.pending();
	}

	@Override
	public void close() {
		this.deadlines.close();
	}

}
