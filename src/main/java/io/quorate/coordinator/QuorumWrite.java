package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.LayoutMismatchException.Sent;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.RequestTimeline.Hop;
import io.quorate.coordinator.RequestTimeline.Stage;
import io.quorate.coordinator.RequestTimeline.Work;
import io.quorate.coordinator.WriteTally.Decision;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.publisher.SynchronousSink;

/**
 * One write under way: {@code Flux.merge} of the replicas' replies, up to those that make
 * the answer: {@code ack} of them, of each side of a change, if no replica holds anything
 * newer. When so many replicas hold something newer that no read has found the entry, the
 * write gets a new timestamp and is sent to all again: {@link WriteTally} decides when.
 * While a replica is suspect, or a change has two sides, that may not be possible. So the
 * replicas are asked for their timestamps before the write gets its own. A write that
 * rounds have overtaken, or that is planned anew and may be held, goes on through the
 * register of its key ({@link RegisterRequest}), under the same version.
 */
final class QuorumWrite {

	private final RequestServices services;

	private final WriteServices writeServices;

	private final WriteRequest request;

	/* By the layout under which it is planned. */
	private final PreferenceLists lists;

	private final ReplicaPlan plan;

	private final Key key;

	private final Deadline deadline;

	private final RequestTimeline timeline;

	private final Outstanding outstanding;

	private final long begunNanos;

	private QuorumWrite(WriteServices writeServices, WriteRequest request, PreferenceLists lists,
			Outstanding outstanding) {
		this.services = writeServices.shared();
		this.writeServices = writeServices;
		this.request = request;
		this.lists = lists;
		this.plan = lists.replicasOf(request.key()).plan(request.requestContext().consistency());
		this.key = request.key();
		this.deadline = request.deadline();
		this.timeline = request.timeline();
		this.outstanding = outstanding;
		this.begunNanos = now();
	}

	/**
	 * Writes the entry of a key. Starts when subscribed; cancelling only stops the
	 * listening.
	 */
	static Mono<Written> of(WriteServices writeServices, WriteRequest request) {
		return Mono.defer(() -> {
			Outstanding outstanding = new Outstanding(request.requestContext().permit()::close);
			return writeServices.shared()
				.planner()
				.run(request.deadline(),
						(lists, sent) -> new QuorumWrite(writeServices, request, lists, outstanding).run(sent))
				.doOnError(RefusedException.class, writeServices.shared().metrics()::refused)
				.doFinally((_) -> outstanding.oneLess());
		});
	}

	/**
	 * Writes by one plan. An entry that may be held goes on through the register of the
	 * key, under its version: some reads may have found it by the layout before. Where no
	 * order is promised it is sent again.
	 * @param sent entry of the attempt before that may be held, {@code null} for none
	 */
	private Mono<Written> run(@Nullable Sent sent) {
		if (sent != null) {
			return hasRegister() ? goOn(sent) : attempt(sent, Attempt.REPEATED);
		}
		return look().flatMap(
				(isInOrder) -> stamp().flatMap((timestamp) -> attempt(entryAt(timestamp, isInOrder), Attempt.FIRST)));
	}

	private boolean hasRegister() {
		return this.plan.isOrdered() && this.plan.isOfAll();
	}

	private Sent entryAt(Timestamp timestamp, boolean isInOrder) {
		return new Sent(this.request.entryOf().apply(timestamp, this.plan.from()), isInOrder);
	}

	/**
	 * Whether the next timestamp is above those of all writes that a majority has
	 * acknowledged: {@code true} when enough replicas have reported theirs. None is asked
	 * while the acks are expected to put the write in order, or too few replicas are up,
	 * or where no order is promised. Else all are asked, also those that are suspect: one
	 * of them may answer in the place of another that falls silent meanwhile. For the
	 * suspect ones alone the write does not wait.
	 * <p>
	 * Of two writes at once, the sides of a change may take first the one and the other.
	 * Then the acks put neither in order, nor may it be given up. So the timestamps come
	 * first while there are two sides.
	 */
	private Mono<Boolean> look() {
		boolean isOrderExpected = this.plan.sides().size() == 1 && !this.writeServices.unproven().areAskedBy(this.plan);
		if (!this.plan.isOrdered() || isOrderExpected) {
			return Mono.just(false);
		}
		List<Replica> replicas = this.plan.replicas();
		if (!this.plan.isHeardIn((number) -> !isSuspect(replicas.get(number)))) {
			return Mono.just(false);
		}
		this.timeline.enter(Stage.STAMP, now());
		Set<Integer> awaited = IntStream.range(0, replicas.size())
			.filter((number) -> !isSuspect(replicas.get(number)))
			.boxed()
			.collect(Collectors.toCollection(HashSet::new));
		ReadReply[] said = new ReadReply[replicas.size()];
		IntPredicate isHeard = (number) -> said[number] != null && !(said[number] instanceof ReadReply.Failed);
		return Flux
			.merge(IntStream.range(0, replicas.size())
				.mapToObj((number) -> timestampOf(replicas.get(number)).map((reply) -> Map.entry(number, reply)))
				.toList())
			.doOnNext((each) -> {
				// One at a time, on whichever threads they come.
				awaited.remove(each.getKey());
				said[each.getKey()] = each.getValue();
			})
			.takeUntil((_) -> this.plan.isHeardIn(isHeard) || awaited.isEmpty())
			.then(Mono.defer(() -> this.plan.isHeardIn(isHeard) ? Mono.just(true) : unheard(said)))
			.or(this.services.deadlines().failAt(this.deadline, () -> new WriteTally(this.plan, false).notReached()));
	}

	private boolean isSuspect(Replica replica) {
		return this.services.clusterView().suspects().isSuspect(replica.nodeId());
	}

	/** Asks a replica for its timestamp, to which the clock moves. */
	private Mono<ReadReply> timestampOf(Replica replica) {
		Hop hop = this.timeline.ask(replica.nodeId(), Work.READ, now());
		return this.timeline.traced(replica).read(this.key, 0, this.deadline).map((reply) -> {
			hop.answered(reply, now());
			Timestamp held = reply.timestamp();
			return (held == null || this.services.timestampSource().observe(held)) ? reply : new ReadReply.Failed(
					new Failure(Reason.CLOCK_SKEW, "holds " + held + ", which is too far in the future"));
		});
	}

	/**
	 * Goes on without an order. If too many replicas refuse because of their layout, the
	 * entry is not sent: they would refuse that, too, and the others would hold it.
	 */
	private Mono<Boolean> unheard(@Nullable ReadReply[] said) {
		Failure refusal = null;
		for (QuorumSide side : this.plan.sides()) {
			if (side.count((number) -> refusalOf(said[number]) != null) > side.spare()) {
				refusal = Stream.of(said).map(QuorumWrite::refusalOf).filter(Objects::nonNull).findFirst().orElse(null);
			}
		}
		return (refusal == null) ? Mono.just(false) : Mono.error(new LayoutMismatchException(null, refused(refusal)));
	}

	private static @Nullable Failure refusalOf(@Nullable ReadReply reply) {
		return (reply instanceof ReadReply.Failed(Failure failure) && failure.reason().isOfLayout()) ? failure : null;
	}

	private Mono<Timestamp> stamp() {
		this.timeline.enter(Stage.STAMP, now());
		return this.services.timestampSource().next(this.deadline);
	}

	private long now() {
		return this.services.deadlines().nanoTime();
	}

	private Mono<Written> attempt(Sent sent, Attempt kind) {
		this.timeline.enter(Stage.REPLICAS, now());
		Entry entry = sent.entry();
		WriteTally tally = new WriteTally(this.plan, sent.isInOrder());
		List<Replica> receivers = receivers(entry);
		MissedReplicas missedReplicas = new MissedReplicas(this.key, entry, receivers,
				this.services.clusterView().missed());
		List<Mono<WriteReply>> replies = send(entry, receivers, tally, missedReplicas);
		return Flux.merge(untilDeadline(replies.subList(0, this.plan.asked()), tally, sent))
			.<WriteReply>handle((reply, sink) -> judge(reply, tally, sink))
			.next()
			.map((_) -> written(entry.timestamp()))
			.onErrorResume((failure) -> switch (failure) {
				case Superseded _, Overtaken _ when kind == Attempt.REPEATED -> Mono.error(outcome(sent, tally, null));
				case Superseded _ -> again(tally);
				case Overtaken _ when hasRegister() -> goOn(new Sent(entry, tally.isInOrder()));
				case Overtaken _ -> refused(sent, tally, replies);
				case Hopeless _ when kind == Attempt.FIRST -> hopeless(sent, tally, missedReplicas, replies);
				case Hopeless _ -> Mono.error(outcome(sent, tally, null));
				default -> Mono.error(failure);
			});
	}

	/**
	 * Adds a publisher that only fails: at the deadline, when a replica becomes suspect
	 * and the attempt is superseded without it, or when this node has adopted another
	 * layout, because of which a replica has refused the attempt.
	 */
	private List<Mono<WriteReply>> untilDeadline(List<Mono<WriteReply>> replies, WriteTally tally, Sent sent) {
		List<Mono<WriteReply>> all = new ArrayList<>(replies.size() + 1);
		all.addAll(replies);
		all.add(this.services.deadlines()
			.failAt(this.deadline, () -> tally.notReached(), (_) -> endedBySilence(tally),
					() -> isOvertaken(tally) ? outcome(sent, tally, null) : null));
		return all;
	}

	private boolean isOvertaken(WriteTally tally) {
		return this.services.planner().isOvertaken(this.lists) && tally.isOfOtherLayout();
	}

	private Written written(Timestamp timestamp) {
		this.timeline.leave(now());
		this.services.metrics().answered(this.request.operation(), this.timeline);
		return new Written(timestamp);
	}

	/**
	 * The replicas that get the entry. A tombstone must reach every older copy, also that
	 * of a write with a larger {@code from}.
	 */
	private List<Replica> receivers(Entry entry) {
		return entry.isTombstone() ? this.plan.all() : this.plan.replicas();
	}

	/**
	 * Sends the entry to every receiver, here and at once, and keeps the replies: the
	 * publishers only listen, so that neither the ack-th reply nor a client that
	 * disconnects stops a write.
	 */
	private List<Mono<WriteReply>> send(Entry entry, List<Replica> receivers, WriteTally tally,
			MissedReplicas missedReplicas) {
		List<Mono<WriteReply>> replies = new ArrayList<>(receivers.size());
		for (Replica replica : receivers) {
			int number = replies.size();
			Sinks.One<WriteReply> said = Sinks.unsafe().one();
			this.outstanding.oneMore();
			Hop hop = this.timeline.ask(replica.nodeId(), Work.WRITE, now());
			Replica traced = this.timeline.traced(replica);
			Consumer<WriteReply> settle = (reply) -> {
				long now = now();
				hop.answered(reply, now);
				this.writeServices.unproven().replied(replica.nodeId(), reply);
				if (reply instanceof WriteReply.Promised || reply instanceof WriteReply.Failed) {
					this.services.metrics().ackMissing(replica.nodeId());
				}
				ReplicationOutcome replicationOutcome = missedReplicas.settle(replica.nodeId(), reply);
				if (replicationOutcome != null) {
					this.writeServices.spread().settled(replicationOutcome, now - this.begunNanos, now);
				}
				WriteReply believed = believed(reply);
				if (number < this.plan.asked()) {
					tally.add(number, believed);
				}
				this.outstanding.oneLess();
				said.tryEmitValue(believed).orThrow();
			};
			traced.apply(this.key, entry, this.deadline).subscribe((reply) -> {
				if (isInDoubt(reply, tally)) {
					looked(reply, traced, entry).subscribe(settle);
				}
				else {
					settle.accept(reply);
				}
			});
			replies.add(said.asMono());
		}
		return replies;
	}

	/**
	 * Whether a replica that replies that it may hold something newer cannot tell without
	 * reading the key: a table of it has newer entries, maybe of other keys alone, or has
	 * this very entry of the attempt before.
	 */
	private static boolean isInDoubt(WriteReply reply, WriteTally tally) {
		return reply instanceof WriteReply.Superseded(var _, var wasNeverHeld, var isPlain) && !wasNeverHeld
				&& !(tally.isStampedInOrder() && isPlain);
	}

	/**
	 * Makes an ack of the reply if the entry is the newest that the replica holds: it has
	 * lost nothing newer, or could not be read.
	 */
	private Mono<WriteReply> looked(WriteReply reply, Replica replica, Entry entry) {
		return replica.read(this.key, 0, this.deadline)
			.map((newest) -> newest.isOf(entry.timestamp()) ? WriteReply.Applied.COMPLETE
					: (reply instanceof WriteReply.Superseded beyond && newest.isPlain())
							? new WriteReply.Superseded(beyond.by(), beyond.wasNeverHeld()) : reply);
	}

	/**
	 * Makes a failure of a timestamp from too far in the future: no new timestamp could
	 * exceed it.
	 */
	private WriteReply believed(WriteReply reply) {
		Timestamp by = beyond(reply);
		return (by == null || this.services.timestampSource().observe(by)) ? reply : new WriteReply.Failed(
				new Failure(Reason.CLOCK_SKEW, "superseded by " + by + ", which is too far in the future"));
	}

	private static @Nullable Timestamp beyond(WriteReply reply) {
		return switch (reply) {
			case WriteReply.Superseded(var by, var _, var _) -> by;
			case WriteReply.Promised(var by) -> by;
			case WriteReply.Applied _, WriteReply.Failed _ -> null;
		};
	}

	/**
	 * Passes the reply that completes the quorum, fails if the attempt is superseded or
	 * hopeless, else waits for more.
	 */
	private void judge(WriteReply reply, WriteTally tally, SynchronousSink<WriteReply> sink) {
		switch (tally.decision(this.services.clusterView().suspects()::isSuspect)) {
			case REACHED -> sink.next(reply);
			case PENDING -> {
			}
			case SUPERSEDED -> sink.error(new Superseded());
			case OVERTAKEN -> sink.error(new Overtaken());
			case HOPELESS -> sink.error(new Hopeless());
		}
	}

	/**
	 * Goes on where promises keep replicas from the entry, and there is no register of
	 * just its replicas: with a new timestamp, once they have all said that they do not
	 * hold the entry, nor will.
	 */
	private Mono<Written> refused(Sent sent, WriteTally tally, List<Mono<WriteReply>> replies) {
		Predicate<String> suspect = this.services.clusterView().suspects()::isSuspect;
		Supplier<RuntimeException> unknown = () -> outcome(sent, tally, null);
		return Flux.merge(replies.subList(0, this.plan.asked()))
			.takeUntil((_) -> tally.mayBeHeld(suspect))
			.then(Mono.defer(() -> tally.mayBeHeld((_) -> true) ? Mono.<Written>error(unknown) : later(tally, false)))
			.or(this.services.deadlines()
				.failAt(this.deadline, unknown, (_) -> tally.mayBeHeld(suspect) ? unknown.get() : null));
	}

	/**
	 * Ends an attempt that too few replicas can acknowledge. Only an entry that all of
	 * them refused at the first attempt has left no trace: as long as that may be so, the
	 * write waits, but not long if it is to be planned anew.
	 */
	private Mono<Written> hopeless(Sent sent, WriteTally tally, MissedReplicas missedReplicas,
			List<Mono<WriteReply>> replies) {
		Predicate<String> suspect = this.services.clusterView().suspects()::isSuspect;
		Supplier<RuntimeException> ended = () -> outcome(sent, tally, missedReplicas.refusalOfAll());
		Mono<Written> known = Flux.merge(replies)
			.takeUntil((_) -> !missedReplicas.mayBeRefusedByAll(suspect))
			.then(Mono.<Written>error(ended))
			.or(this.services.deadlines()
				.failAt(this.deadline, () -> tally.notReached(),
						(_) -> missedReplicas.mayBeRefusedByAll(suspect) ? null : ended.get()));
		return tally.isOfOtherLayout() ? known.or(this.services.planner().pause(this.deadline, ended)) : known;
	}

	/**
	 * The failure of an attempt. If a replica has refused it because of its layout, the
	 * next one sends the same entry, unless all have refused that.
	 */
	private static RuntimeException outcome(Sent sent, WriteTally tally, @Nullable Failure refusalOfAll) {
		RuntimeException outcome = (refusalOfAll != null) ? refused(refusalOfAll) : tally.notReached();
		if (!tally.isOfOtherLayout()) {
			return outcome;
		}
		return new LayoutMismatchException((refusalOfAll != null) ? null : sent, outcome);
	}

	private static RefusedException refused(Failure refusal) {
		Why why = switch (refusal.reason()) {
			case DISK_FULL -> Why.DISK_FULL;
			case DRAINING -> Why.DRAINING;
			case CLOCK_SKEW -> Why.CLOCK;
			case OVERLOADED, BROKEN, CORRUPT, DISCONNECTED, JOINING, FENCED, REBUILDING, STALE_ROUND, UNSUPPORTED,
					TIMEOUT, STALE_LAYOUT, LAYOUT_BEHIND, FAILED ->
				Why.REPLICAS;
		};
		return new RefusedException(why, refusal.detail());
	}

	private @Nullable Throwable endedBySilence(WriteTally tally) {
		return switch (tally.decision(this.services.clusterView().suspects()::isSuspect)) {
			case SUPERSEDED -> new Superseded();
			case OVERTAKEN -> new Overtaken();
			case PENDING, REACHED, HOPELESS -> null;
		};
	}

	/**
	 * Attempts the write with a new timestamp. The replies so far put it in order, so
	 * there is no other one after that. From now on a failure leaves the outcome unknown,
	 * whatever its kind.
	 */
	private Mono<Written> again(WriteTally tally) {
		return later(tally, true);
	}

	/**
	 * Attempts the write with a new timestamp.
	 * @param isInOrder whether the replies so far put it in order
	 */
	private Mono<Written> later(WriteTally tally, boolean isInOrder) {
		return stamp().onErrorMap(RefusedException.class, (_) -> tally.notReached())
			.flatMap((later) -> attempt(entryAt(later, isInOrder), Attempt.RESTAMPED));
	}

	/**
	 * Goes on through the register of the key under the same version: replicas may hold
	 * the entry, or yet take it, and rounds of others may carry it on.
	 */
	private Mono<Written> goOn(Sent sent) {
		RequestContext context = this.request.requestContext();
		// Rounds are of all replicas, whatever a change of the factor makes of them.
		RequestContext ofAll = new RequestContext(new Consistency(context.consistency().ack(), Consistency.ALL),
				context.deadline(), context.permit(), context.timeline());
		RegisterTerms terms = new RegisterTerms(this.request.operation(), this.key, Condition.NONE,
				this.request.entryOf(), ofAll);
		return RegisterRequest.after(this.services, terms, sent, this.outstanding)
			.map((settled) -> new Written(settled.version()));
	}

	/** The kinds of attempts, which differ in the meaning of their failure. */
	private enum Attempt {

		/** The first one, or the first that may have left a trace. */
		FIRST,

		/** Of the same write with a new timestamp. */
		RESTAMPED,

		/** Of the same entry by another layout. */
		REPEATED

	}

	/** Ends an attempt whose timestamp is too old; carries no stack trace. */
	private static final class Superseded extends RuntimeException {

		private Superseded() {
			super("superseded", null, false, false);
		}

	}

	/** Ends an attempt that rounds have overtaken; carries no stack trace. */
	private static final class Overtaken extends RuntimeException {

		private Overtaken() {
			super("overtaken", null, false, false);
		}

	}

	/** Ends an attempt in which too many replicas have failed; carries no stack trace. */
	private static final class Hopeless extends RuntimeException {

		private Hopeless() {
			super("hopeless", null, false, false);
		}

	}

}
