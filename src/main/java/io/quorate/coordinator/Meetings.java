package io.quorate.coordinator;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.clock.Deadline;
import io.quorate.coordinator.QuorumNotReachedException.Fate;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.RegisterRequest.Settled;
import io.quorate.coordinator.RequestTimeline.Stage;
import io.quorate.coordinator.RequestTimeline.Work;
import io.quorate.coordinator.Written.Replayed;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Handover;
import io.quorate.replica.HandoverReply;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The nodes where the writes of registers meet, and the reads that find them at it: of
 * each key the first of its replicas that is up. There they wait for each other
 * ({@link RegisterQueue}) instead of outbidding each other. A courtesy, not a leader: any
 * node may run rounds at any time, and does when the node has refused the request, unless
 * it has too many. Safe for any number of threads.
 */
final class Meetings {

	/** A larger value would travel twice for nothing. */
	static final int MOST_BYTES = 64 * 1024;

	private static final long MOST_OF_A_REPLY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	/* As many as leave other requests most of the room that a peer has for them. */
	static final int MOST_HANDED_OVER = 256;

	private final AtomicInteger handedOver = new AtomicInteger();

	private final RequestServices services;

	private final RegisterQueue queue;

	Meetings(RequestServices services) {
		this.services = services;
		this.queue = new RegisterQueue(services);
	}

	/**
	 * Writes where the writes of the key meet. Starts when subscribed; cancelling only
	 * stops the listening.
	 * @param write the same for another node
	 */
	Mono<Written> write(RegisterTerms terms, Handover write) {
		return run(terms, write).map((settled) -> new Written(settled.version(), settled.replayed()));
	}

	/** Touches a value where the writes of its key meet, as {@link #write} writes one. */
	Mono<Touched> touch(RegisterTerms terms, Handover touch) {
		return run(terms, touch).map((settled) -> new Touched(settled.version(), settled.entry().expiryMillis()));
	}

	private Mono<Settled> run(RegisterTerms terms, Handover write) {
		return Mono.defer(() -> {
			Replica meeting = meeting(terms.key());
			if (isHere(meeting) || sizeOf(write.content()) > MOST_BYTES) {
				return this.queue.run(terms);
			}
			if (!mayHandOver()) {
				return refused(terms, "%d conditional requests are handed over already".formatted(MOST_HANDED_OVER));
			}
			return handOver(meeting, terms, write);
		});
	}

	/** Takes a place among the requests that are handed over, if one is free. */
	private boolean mayHandOver() {
		if (this.handedOver.incrementAndGet() <= MOST_HANDED_OVER) {
			return true;
		}
		this.handedOver.decrementAndGet();
		return false;
	}

	private boolean isHere(Replica meeting) {
		return meeting.nodeId().equals(this.services.clusterView().local());
	}

	/**
	 * Reads what the key holds when its writes have settled. Starts when subscribed;
	 * cancelling only stops the listening.
	 * @return the entry, which may be a tombstone, or have expired
	 */
	Mono<Entry> read(RegisterTerms terms) {
		return Mono.defer(() -> {
			Replica meeting = meeting(terms.key());
			// A read beyond the bound settles here what it finds.
			return (isHere(meeting) || !mayHandOver()) ? this.queue.run(terms)
					: handOver(meeting, terms, Handover.read(terms.requestContext().consistency().ack()));
		}).map(Settled::entry);
	}

	private Replica meeting(Key key) {
		List<Replica> replicas = this.services.planner().lists().replicasOf(key).replicas();
		return replicas.stream()
			.filter((replica) -> !this.services.clusterView().suspects().isSuspect(replica.nodeId()))
			.findFirst()
			.orElse(replicas.getFirst());
	}

	private static int sizeOf(@Nullable Entry content) {
		return (content instanceof Entry.Live live) ? live.value().size() : 0;
	}

	private Mono<Settled> handOver(Replica meeting, RegisterTerms terms, Handover write) {
		Sinks.One<Settled> outcome = Sinks.one();
		settledAt(meeting, terms, write).subscribe(outcome::tryEmitValue, outcome::tryEmitError);
		return outcome.asMono();
	}

	private Mono<Settled> settledAt(Replica meeting, RegisterTerms terms, Handover write) {
		RequestTimeline timeline = terms.timeline();
		timeline.enter(Stage.REPLICAS, now());
		var hop = timeline.ask(meeting.nodeId(), Work.HAND_OVER, now());
		Mono<HandoverReply> handed = timeline.traced(meeting).handOver(terms.key(), write, earlier(terms.deadline()));
		return handed.doFinally((_) -> this.handedOver.decrementAndGet()).flatMap((reply) -> {
			hop.answered(reply, now());
			timeline.leave(now());
			if (reply instanceof HandoverReply.Failed(Failure failure)) {
				if (failure.reason() == Reason.OVERLOADED && terms.isWrite()) {
					return refused(terms, failure.detail());
				}
				// It has no effect, or the same, however often it is run.
				if (failure.reason().isRefusal() || terms.isRepeatable()) {
					return this.queue.run(terms);
				}
			}
			if (terms.isWrite()) {
				terms.requestContext().permit().close();
			}
			return settled(reply, meeting, terms.isWrite());
		});
	}

	/* Rounds of all that have found no room there would be in each other's way here. */
	private static Mono<Settled> refused(RegisterTerms terms, String detail) {
		terms.requestContext().permit().close();
		return Mono.error(new RefusedException(Why.REPLICAS, detail));
	}

	/* The node says what has become of the write, and that takes its time. */
	private Deadline earlier(Deadline deadline) {
		long left = deadline.nanos() - now();
		return new Deadline(deadline.nanos() - Math.clamp(left / 10, 0, MOST_OF_A_REPLY_NANOS));
	}

	private long now() {
		return this.services.deadlines().nanoTime();
	}

	private static Mono<Settled> settled(HandoverReply reply, Replica meeting, boolean isWrite) {
		return switch (reply) {
			case HandoverReply.Written(var version) ->
				Mono.just(new Settled(version, new Entry.Tombstone(version, Entry.ALL)));
			case HandoverReply.Replayed(var version, var current) ->
				Mono.just(new Settled(version, new Entry.Tombstone(version, Entry.ALL), new Replayed(current)));
			// Of its entry only this is known.
			case HandoverReply.Touched(var version, long expiryMillis) ->
				Mono.just(new Settled(version, new Entry.Live(version, Entry.ALL, expiryMillis, Value.EMPTY)));
			case HandoverReply.Reused _ -> Mono.error(new IdempotencyKeyReusedException());
			case HandoverReply.Found(var entry) when !isWrite -> Mono.just(new Settled(entry.version(), entry));
			case HandoverReply.Found _ -> Mono.error(new QuorumNotReachedException(1, 0, isWrite,
					List.of(new Said(meeting.nodeId(), Reason.UNSUPPORTED.word()))));
			case HandoverReply.Unmet(var current, var absent, boolean isForgotten) ->
				Mono.error(new ConditionFailedException(current, absent, isForgotten));
			case HandoverReply.Contended(int rounds) -> Mono.error(
					isWrite ? new ContendedException(rounds) : new QuorumNotReachedException(1, 0, false, List.of()));
			case HandoverReply.Undecided undecided ->
				Mono.error(new QuorumNotReachedException(undecided.required(), undecided.acknowledged(), isWrite,
						undecided.replicas().stream().map((each) -> new Said(each.node(), each.said())).toList())
					.with(new Fate(undecided.outcome(), undecided.version())));
			case HandoverReply.Failed(Failure failure) -> Mono.error(new QuorumNotReachedException(1, 0, isWrite,
					List.of(new Said(meeting.nodeId(), failure.reason().word()))));
		};
	}

	/** Runs a request that another node has handed over. Never fails. */
	Mono<HandoverReply> handedOver(RegisterTerms terms) {
		return this.queue.run(terms)
			.map((settled) -> reply(terms, settled))
			.onErrorResume((failure) -> Mono.just(switch (failure) {
				case ConditionFailedException unmet ->
					new HandoverReply.Unmet(unmet.current(), unmet.absent(), unmet.isForgotten());
				case IdempotencyKeyReusedException _ -> HandoverReply.Reused.INSTANCE;
				case ContendedException contended -> new HandoverReply.Contended(contended.rounds());
				case QuorumNotReachedException undecided -> new HandoverReply.Undecided(undecided.fate().word(),
						undecided.fate().version(), undecided.required(), undecided.acknowledged(),
						undecided.replicas()
							.stream()
							.map((each) -> new HandoverReply.Said(each.node(), each.said()))
							.toList());
				case RefusedException refused -> refused(refused);
				default -> new HandoverReply.Failed(new Failure(Reason.FAILED, String.valueOf(failure)));
			}))
			.doFinally((_) -> {
				// The queue closes that of a write.
				if (!terms.isWrite()) {
					terms.requestContext().permit().close();
				}
			});
	}

	private static HandoverReply reply(RegisterTerms terms, Settled settled) {
		if (!terms.isWrite()) {
			return new HandoverReply.Found(settled.entry());
		}
		if (terms.isTouch()) {
			return new HandoverReply.Touched(settled.version(), settled.entry().expiryMillis());
		}
		Replayed replayed = settled.replayed();
		return (replayed != null) ? new HandoverReply.Replayed(settled.version(), replayed.current())
				: new HandoverReply.Written(settled.version());
	}

	/** The reply of a node that has not begun a write. */
	static HandoverReply refused(RefusedException refused) {
		Reason reason = switch (refused.why()) {
			case DRAINING -> Reason.DRAINING;
			case DISK_FULL -> Reason.DISK_FULL;
			case CLOCK -> Reason.CLOCK_SKEW;
			case REQUESTS, BYTES, SHARE, REPLICAS, LATE -> Reason.OVERLOADED;
		};
		return new HandoverReply.Failed(new Failure(reason, String.valueOf(refused.getMessage())));
	}

}
