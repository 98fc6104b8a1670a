package io.quorate.coordinator;

import java.time.Duration;
import java.util.function.Function;

import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.Timestamp;
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

	private final Reading reading;

	QuorumCoordinator(HybridClock clock, Cluster cluster, ReadContacts contacts) {
		this(clock, cluster, contacts, DeadlineSweep.ticking());
	}

	QuorumCoordinator(HybridClock clock, Cluster cluster, ReadContacts contacts, DeadlineSweep deadlines) {
		this.cluster = cluster;
		this.deadlines = deadlines;
		this.stamps = new Stamps(clock, cluster.judge(), this.deadlines);
		this.reading = new Reading(contacts, new FastestFirst(cluster.local(), cluster.suspects(), deadlines::nanoTime),
				new Hedging(), cluster.suspects(), this.stamps, this.deadlines, new LateRepairs(), cluster.local());
		cluster.suspects().onSuspect(this.deadlines::suspect);
	}

	@Override
	public int replicationFactor() {
		return this.cluster.lists().replicationFactor();
	}

	@Override
	public Mono<Written> put(Key key, Value value, @Nullable Duration ttl, Consistency consistency, Deadline deadline,
			Admission.Permit permit) {
		return write(key, (timestamp) -> live(timestamp, consistency.from(), ttl, value), consistency, deadline,
				permit);
	}

	private static Entry live(Timestamp timestamp, int from, @Nullable Duration ttl, Value value) {
		long expiry = (ttl != null) ? timestamp.millis() + ttl.toMillis() : Entry.NEVER;
		return new Entry.Live(timestamp, from, expiry, value);
	}

	@Override
	public Mono<Written> delete(Key key, Consistency consistency, Deadline deadline, Admission.Permit permit) {
		return write(key, (timestamp) -> new Entry.Tombstone(timestamp, consistency.from()), consistency, deadline,
				permit);
	}

	private Mono<Written> write(Key key, Function<Timestamp, Entry> entryAt, Consistency consistency, Deadline deadline,
			Admission.Permit permit) {
		return Mono.defer(() -> new QuorumWrite(this.cluster, this.stamps, this.deadlines, plan(key, consistency), key,
				entryAt, deadline, permit)
			.run());
	}

	private ReplicaPlan plan(Key key, Consistency consistency) {
		return ReplicaPlan.of(this.cluster.lists().replicasOf(key), consistency);
	}

	@Override
	public Mono<ReadOutcome> read(Key key, Consistency consistency, Deadline deadline, Admission.Permit permit) {
		return resolve(key, consistency, deadline, permit).map(this::outcome);
	}

	/** As {@link #read}, with what is held instead of what it means now. */
	Mono<QuorumRead.Resolved> resolve(Key key, Consistency consistency, Deadline deadline, Admission.Permit permit) {
		return Mono.defer(() -> QuorumRead.of(this.reading,
				new QuorumRead.Request(key, plan(key, consistency), deadline, permit)));
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
			Admission.Permit permit) {
		return new QuorumScan(this.reading, this.cluster.lists(),
				new QuorumScan.Request(start, end, limit, consistency, timeout, permit));
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
