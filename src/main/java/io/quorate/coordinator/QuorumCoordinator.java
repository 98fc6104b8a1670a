package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;

/**
 * Coordinates by quorum: {@code Flux.merge} of the replicas' replies, of which the first
 * {@code ack} make the answer.
 */
final class QuorumCoordinator implements Coordinator, AutoCloseable {

	private final HybridClock clock;

	private final PreferenceLists preferenceLists;

	private final DeadlineSweep deadlines = new DeadlineSweep();

	QuorumCoordinator(HybridClock clock, PreferenceLists preferenceLists) {
		this.clock = clock;
		this.preferenceLists = preferenceLists;
	}

	@Override
	public int replicationFactor() {
		return this.preferenceLists.replicationFactor();
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
		return Mono.defer(() -> {
			ReplicaPlan plan = plan(key, consistency);
			Outstanding outstanding = new Outstanding(permit);
			return stamp(deadline).flatMap((timestamp) -> attempt(key, timestamp, entryAt, plan, deadline, outstanding))
				.doFinally((_) -> outstanding.oneLess());
		});
	}

	private ReplicaPlan plan(Key key, Consistency consistency) {
		List<Replica> replicas = this.preferenceLists.replicasOf(key).subList(0, consistency.from());
		return new ReplicaPlan(replicas, consistency.ack());
	}

	/** The stamp of a write; waits for the disk only when the clock has jumped. */
	private Mono<Timestamp> stamp(Deadline deadline) {
		Timestamp timestamp = this.clock.tryNow();
		if (timestamp != null) {
			return Mono.just(timestamp);
		}
		return Mono.fromFuture(this.clock.whenCeilingRaised(), true)
			.then(Mono.fromSupplier(this.clock::tryNow))
			.or(this.deadlines.failAt(deadline, () -> clockStuck(null)))
			.onErrorMap((cause) -> !(cause instanceof RefusedException), QuorumCoordinator::clockStuck)
			.switchIfEmpty(Mono.error(() -> clockStuck(null)));
	}

	private static RefusedException clockStuck(@Nullable Throwable cause) {
		return new RefusedException(Why.CLOCK, "the clock cannot give out a stamp: its ceiling could not be recorded"
				+ ((cause != null) ? " (" + cause.getMessage() + ")" : " in time"));
	}

	/**
	 * Sends the write to every replica of the plan, here and at once: the publishers only
	 * listen, so that neither the ack-th reply nor a client that goes away stops a write.
	 */
	private Mono<Written> attempt(Key key, Timestamp timestamp, Function<Timestamp, Entry> entryAt, ReplicaPlan plan,
			Deadline deadline, Outstanding outstanding) {
		Entry entry = entryAt.apply(timestamp);
		WriteTally tally = new WriteTally(plan.ack(), plan.replicas().stream().map(Replica::nodeId).toList());
		List<Mono<NumberedReply>> replies = new ArrayList<>(plan.from());
		for (Replica replica : plan.replicas()) {
			int number = replies.size();
			outstanding.oneMore();
			Mono<NumberedReply> reply = replica.apply(key, entry, deadline)
				.map((said) -> new NumberedReply(number, said))
				.cache();
			reply.subscribe((_) -> outstanding.oneLess());
			replies.add(reply);
		}
		return Flux.merge(replies)
			.<NumberedReply>handle((reply, sink) -> count(reply, tally, sink))
			.take(plan.ack())
			.then(Mono.just(new Written(timestamp)))
			.or(this.deadlines.failAt(deadline, () -> notReached(plan, tally)))
			.onErrorResume(SupersededSignal.class, (_) -> {
				this.clock.observe(tally.highest());
				return stamp(deadline).flatMap((later) -> attempt(key, later, entryAt, plan, deadline, outstanding));
			});
	}

	/** Acks pass; what makes the write hopeless fails it; everything else is counted. */
	private static void count(NumberedReply reply, WriteTally tally, SynchronousSink<NumberedReply> sink) {
		switch (tally.add(reply.replica(), reply.reply())) {
			case REACHED, PENDING -> {
				if (reply.reply() instanceof WriteReply.Applied) {
					sink.next(reply);
				}
			}
			case SUPERSEDED -> sink.error(new SupersededSignal());
			case HOPELESS -> sink.error(hopeless(tally));
		}
	}

	private static RuntimeException hopeless(WriteTally tally) {
		Failure refusal = tally.unanimousRefusal();
		return (refusal != null) ? refused(refusal)
				: new QuorumNotReachedException(tally.ack(), tally.acks(), true, tally.said());
	}

	private static QuorumNotReachedException notReached(ReplicaPlan plan, WriteTally tally) {
		return new QuorumNotReachedException(plan.ack(), tally.acks(), true, tally.said());
	}

	private static RuntimeException refused(Failure refusal) {
		Why why = switch (refusal.reason()) {
			case DISK_FULL -> Why.DISK_FULL;
			case DRAINING -> Why.DRAINING;
			case OVERLOADED, CORRUPT, DISCONNECTED, TIMEOUT, FAILED -> Why.OVERLOADED;
		};
		return new RefusedException(why, refusal.detail());
	}

	@Override
	public Mono<ReadOutcome> read(Key key, Consistency consistency, Deadline deadline) {
		return Mono.defer(() -> {
			QuorumRead read = new QuorumRead(plan(key, consistency), key, deadline);
			return read.resolve().or(this.deadlines.failAt(deadline, read::notReached)).map((entry) -> outcome(entry));
		});
	}

	private ReadOutcome outcome(QuorumRead.Resolved resolved) {
		Entry entry = resolved.entry();
		if (entry instanceof Entry.Live live && !live.isAbsentAt(this.clock.currentMillis())) {
			return new ReadOutcome.Found(live);
		}
		return new ReadOutcome.Missing();
	}

	@Override
	public RangeScan scan(Key start, @Nullable Key end, long limit, Consistency consistency, Duration timeout) {
		List<Replica> replicas = this.preferenceLists.replicasOf(start);
		return new PagedScan(replicas.getFirst(), start, end, limit, timeout, this.clock, this.deadlines);
	}

	@Override
	public void close() {
		this.deadlines.close();
	}

	private record NumberedReply(int replica, WriteReply reply) {
	}

	/** Ends an attempt whose stamp is too old; carries no stack trace. */
	private static final class SupersededSignal extends RuntimeException {

		private SupersededSignal() {
			super("superseded", null, false, false);
		}

	}

	/** Gives a permit back when nothing holds the bytes of the write any more. */
	private static final class Outstanding {

		private final Admission.Permit permit;

		private final AtomicInteger holders = new AtomicInteger(1);

		private Outstanding(Admission.Permit permit) {
			this.permit = permit;
		}

		private void oneMore() {
			this.holders.incrementAndGet();
		}

		private void oneLess() {
			if (this.holders.decrementAndGet() == 0) {
				this.permit.close();
			}
		}

	}

}
