package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.WriteTally.Decision;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;

/**
 * One write under way: {@code Flux.merge} of the replicas' replies, of which the first
 * {@code ack} make the answer. It is stamped anew, and sent to all again, when too many
 * replicas hold something newer than its stamp.
 */
final class QuorumWrite {

	private final Cluster cluster;

	private final Stamps stamps;

	private final DeadlineSweep deadlines;

	private final ReplicaPlan plan;

	private final Key key;

	private final Function<Timestamp, Entry> entryAt;

	private final Deadline deadline;

	private final Outstanding outstanding;

	/**
	 * A write that nothing is done for yet.
	 * @param entryAt the entry with a stamp
	 */
	QuorumWrite(Cluster cluster, Stamps stamps, DeadlineSweep deadlines, ReplicaPlan plan, Key key,
			Function<Timestamp, Entry> entryAt, Deadline deadline, Admission.Permit permit) {
		this.cluster = cluster;
		this.stamps = stamps;
		this.deadlines = deadlines;
		this.plan = plan;
		this.key = key;
		this.entryAt = entryAt;
		this.deadline = deadline;
		this.outstanding = new Outstanding(permit);
	}

	/** Writes, once. Cancelling only stops the listening. */
	Mono<Written> run() {
		return this.stamps.next(this.deadline)
			.flatMap((timestamp) -> attempt(timestamp, true))
			.doFinally((_) -> this.outstanding.oneLess());
	}

	private Mono<Written> attempt(Timestamp timestamp, boolean first) {
		Entry entry = this.entryAt.apply(timestamp);
		WriteTally tally = new WriteTally(this.plan.ack(), this.plan.replicas().stream().map(Replica::nodeId).toList());
		List<Replica> replicas = receivers(entry);
		Misses misses = new Misses(this.key, entry, replicas.size(), this.cluster.missed());
		List<Mono<NumberedReply>> replies = send(entry, replicas, misses);
		return Flux.merge(replies.subList(0, this.plan.from()))
			.<NumberedReply>handle((reply, sink) -> count(reply, tally, first ? misses : null, sink))
			.take(this.plan.ack())
			.then(Mono.just(new Written(timestamp)))
			.or(this.deadlines.failAt(this.deadline, () -> notReached(tally), (_) -> supersededBySilence(tally)))
			.onErrorResume(SupersededSignal.class, (_) -> again(tally));
	}

	/** A tombstone must reach every older copy, also one that a wider write has made. */
	private List<Replica> receivers(Entry entry) {
		if (!entry.isTombstone() || this.plan.beyond().isEmpty()) {
			return this.plan.replicas();
		}
		List<Replica> all = new ArrayList<>(this.plan.replicas());
		all.addAll(this.plan.beyond());
		return all;
	}

	/**
	 * Sends the entry to every receiver, here and at once: the publishers only listen, so
	 * that neither the ack-th reply nor a client that goes away stops a write.
	 */
	private List<Mono<NumberedReply>> send(Entry entry, List<Replica> replicas, Misses misses) {
		List<Mono<NumberedReply>> replies = new ArrayList<>(replicas.size());
		for (Replica replica : replicas) {
			int number = replies.size();
			this.outstanding.oneMore();
			Mono<NumberedReply> reply = replica.apply(this.key, entry, this.deadline).map((said) -> {
				misses.settle(replica.nodeId(), said);
				return new NumberedReply(number, believed(said));
			}).cache();
			reply.subscribe((_) -> this.outstanding.oneLess());
			replies.add(reply);
		}
		return replies;
	}

	/** A stamp from too far in the future cannot be exceeded: no new stamp would help. */
	private WriteReply believed(WriteReply reply) {
		if (reply instanceof WriteReply.Superseded(Timestamp by) && !this.stamps.observe(by)) {
			return new WriteReply.Failed(
					new Failure(Reason.FAILED, "superseded by " + by + ", which is too far in the future"));
		}
		return reply;
	}

	/**
	 * Acks pass; what makes the write hopeless fails it; everything else is counted.
	 * @param misses what became of the first attempt, {@code null} in later ones
	 */
	private void count(NumberedReply reply, WriteTally tally, @Nullable Misses misses,
			SynchronousSink<NumberedReply> sink) {
		tally.add(reply.replica(), reply.reply());
		switch (tally.decision(this.cluster.suspects()::isSuspect)) {
			case REACHED, PENDING -> {
				if (reply.reply() instanceof WriteReply.Applied) {
					sink.next(reply);
				}
			}
			case SUPERSEDED -> sink.error(new SupersededSignal());
			case HOPELESS -> sink.error(hopeless(tally, misses));
		}
	}

	/** Only what was refused everywhere, and at the first attempt, has left no trace. */
	private static RuntimeException hopeless(WriteTally tally, @Nullable Misses misses) {
		Failure refusal = (misses != null) ? misses.refusalOfAll() : null;
		return (refusal != null) ? refused(refusal) : notReached(tally);
	}

	private static RefusedException refused(Failure refusal) {
		Why why = switch (refusal.reason()) {
			case DISK_FULL -> Why.DISK_FULL;
			case DRAINING -> Why.DRAINING;
			case OVERLOADED, CORRUPT, DISCONNECTED, JOINING, TIMEOUT, FAILED -> Why.OVERLOADED;
		};
		return new RefusedException(why, refusal.detail());
	}

	private static QuorumNotReachedException notReached(WriteTally tally) {
		return new QuorumNotReachedException(tally.ack(), tally.acks(), true, tally.said());
	}

	private @Nullable Throwable supersededBySilence(WriteTally tally) {
		return (tally.decision(this.cluster.suspects()::isSuspect) == Decision.SUPERSEDED) ? new SupersededSignal()
				: null;
	}

	/** From now on a failure leaves the outcome unknown, whatever its kind. */
	private Mono<Written> again(WriteTally tally) {
		return this.stamps.next(this.deadline)
			.onErrorMap(RefusedException.class, (_) -> notReached(tally))
			.flatMap((later) -> attempt(later, false));
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
