package io.quorate.simulation;

import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.membership.members.MemberState;
import io.quorate.replica.ChangesReply;
import io.quorate.replica.ChangesRequest;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import io.quorate.replica.Handover;
import io.quorate.replica.HandoverReply;
import io.quorate.replica.LookReply;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Proposal;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import io.quorate.ring.RingPair;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A node as a process of another one, or of itself, sees it as a replica. Messages take
 * random times, overtake each other and get lost. One that is under way when either
 * process ends does not arrive.
 */
final class PeerLink implements Replica {

	private static final Duration SUSPECT_AFTER = Duration.ofMillis(50);

	private static final Duration HELD = Duration.ofMillis(50);

	/* The clock of deadlines is the real one at a replica. */
	private static final Duration LONG = Duration.ofHours(10);

	private final SimulatedCluster cluster;

	private final SimulatedProcess from;

	private final SimulatedNode to;

	PeerLink(SimulatedCluster cluster, SimulatedProcess from, SimulatedNode to) {
		this.cluster = cluster;
		this.from = from;
		this.to = to;
	}

	@Override
	public String nodeId() {
		return this.to.id();
	}

	@Override
	public Replica planned(long layout) {
		return new Planned(layout);
	}

	private Replica now() {
		return planned(this.from.layouts().current().version());
	}

	@Override
	public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
		return now().apply(key, entry, origin, deadline);
	}

	@Override
	public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
		return now().read(key, maxValueBytes, deadline);
	}

	@Override
	public Mono<PageReply> page(PageRequest page, Deadline deadline) {
		return now().page(page, deadline);
	}

	@Override
	public Mono<ChangesReply> changes(ChangesRequest changes, Deadline deadline) {
		return now().changes(changes, deadline);
	}

	@Override
	public Mono<PrepareReply> prepare(Key key, Proposal proposal, Deadline deadline) {
		return now().prepare(key, proposal, deadline);
	}

	@Override
	public Mono<LookReply> look(Key key, int maxValueBytes, Deadline deadline) {
		return now().look(key, maxValueBytes, deadline);
	}

	@Override
	public Mono<HandoverReply> handOver(Key key, Handover write, Deadline deadline) {
		return now().handOver(key, write, deadline);
	}

	@Override
	public void release(Key key, Timestamp ballot, Deadline deadline) {
		now().release(key, ballot, deadline);
	}

	/** A deadline that a replica compares with the real clock. */
	static Deadline real(boolean isPassed) {
		return Deadline.after(isPassed ? LONG.negated() : LONG);
	}

	/** The same node for requests that were planned under a layout. */
	private final class Planned implements Replica {

		private final long layout;

		private Planned(long layout) {
			this.layout = layout;
		}

		@Override
		public String nodeId() {
			return PeerLink.this.nodeId();
		}

		@Override
		public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
			if (PeerLink.this.isFeigned(key, origin)) {
				return Mono.just(WriteReply.Applied.COMPLETE);
			}
			boolean isOfClient = origin instanceof Origin.Client;
			PlantedRegister register = PeerLink.this.cluster.register();
			if (isOfClient && register.isFeigned(entry)) {
				return Mono.just(WriteReply.Applied.COMPLETE);
			}
			if (isOfClient) {
				PeerLink.this.cluster.judge().sent(entry, nodeId(), this.layout);
			}
			return send(this.layout, deadline, 31 * key.hashCode() + origin.hashCode(), !isOfClient,
					(its, until) -> passed(() -> its.apply(key, entry, origin, until)), WriteReply.Failed::new)
				.doOnNext((reply) -> met((reply instanceof WriteReply.Failed(var failure)) ? failure : null))
				.doOnNext((reply) -> {
					if (isOfClient && register.isHintKept(entry, reply)) {
						PeerLink.this.from.missed(key, entry, nodeId());
					}
				})
				.map((reply) -> isOfClient ? register.heard(entry, reply) : reply);
		}

		@Override
		public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
			return send(this.layout, deadline, key.hashCode(), true,
					(its, until) -> its.read(key, maxValueBytes, until), ReadReply.Failed::new)
				.doOnNext((reply) -> met((reply instanceof ReadReply.Failed(var failure)) ? failure : null));
		}

		@Override
		public Mono<PrepareReply> prepare(Key key, Proposal proposal, Deadline deadline) {
			PlantedRegister register = PeerLink.this.cluster.register();
			register.proposes(proposal);
			SimulatedTime time = PeerLink.this.cluster.time();
			long sent = time.nanos();
			AtomicLong clock = new AtomicLong();
			return send(this.layout, deadline, 31 * key.hashCode() + proposal.ballot().hashCode(), true,
					(its, until) -> {
						clock.set(PeerLink.this.to.physicalMillis());
						return (register.promisesAtOnce() && !until.isExpired())
								? Objects.requireNonNull(PeerLink.this.to.process()).promises(key, proposal, until)
								: its.prepare(key, proposal, until);
					}, PrepareReply.Failed::new)
				.doOnNext((reply) -> {
					if (!(reply instanceof PrepareReply.Failed)) {
						PeerLink.this.from.readsClock(nodeId(), clock.get(), time.nanos() - sent);
					}
				})
				.doOnNext((reply) -> met((reply instanceof PrepareReply.Failed(var failure)) ? failure : null))
				.flatMap(PeerLink.this::heard)
				.map((reply) -> register.heard(proposal, reply));
		}

		@Override
		public Mono<LookReply> look(Key key, int maxValueBytes, Deadline deadline) {
			return send(this.layout, deadline, 17 * key.hashCode(), true,
					(its, until) -> its.look(key, maxValueBytes, until), LookReply::failed)
				.doOnNext((reply) -> met((reply.held() instanceof ReadReply.Failed(var failure)) ? failure : null))
				.map(PeerLink.this.cluster.register()::heard);
		}

		@Override
		public Mono<HandoverReply> handOver(Key key, Handover write, Deadline deadline) {
			return send(this.layout, deadline, 11 * key.hashCode() + Objects.hashCode(write.content()), false,
					(its, until) -> {
						Objects.requireNonNull(PeerLink.this.to.process()).takesOverUntil(deadline);
						return its.handOver(key, write, until);
					}, HandoverReply.Failed::new);
		}

		@Override
		public void release(Key key, Timestamp ballot, Deadline deadline) {
			send(this.layout, deadline, 7 * ballot.hashCode(), true, (its, until) -> {
				its.release(key, ballot, until);
				return Mono.just(true);
			}, (_) -> false).subscribe();
		}

		@Override
		public Mono<PageReply> page(PageRequest page, Deadline deadline) {
			return send(this.layout, deadline, hashOf(page), true, (its, until) -> its.page(page, until),
					PageReply.Failed::new);
		}

		/*
		 * A peer that waits on purpose is not suspect: in the product keep-alives tell.
		 */
		@Override
		public Mono<ChangesReply> changes(ChangesRequest changes, Deadline deadline) {
			return carry(this.layout, deadline, changes.hashCode(), true, (its, until) -> its.changes(changes, until),
					ChangesReply.Failed::new)
				.doOnNext((reply) -> met((reply instanceof ChangesReply.Failed(var failure)) ? failure : null));
		}

	}

	/* A page of entries of any number has the same fate as before there were others. */
	private static int hashOf(PageRequest page) {
		int hash = 31 * page.range().hashCode() + page.limit().hashCode();
		return 31 * hash + Boolean.hashCode(page.isHeadersOnly()) + 17 * Long.hashCode(page.above());
	}

	/* A node, or one that gains the key, counts as if it had taken the repair. */
	private boolean isFeigned(Key key, Origin origin) {
		if (!(origin instanceof Origin.Repair)) {
			return false;
		}
		RingPair rings = this.from.layouts().current().rings();
		return this.cluster.bug() == PlantedBug.NO_REPAIR
				|| (this.cluster.bug() == PlantedBug.HOLD_OLD && rings.gains(nodeId(), rings.partitionOf(key)));
	}

	/* Of two nodes that have adopted different layouts, the one that is behind learns. */
	private void met(@Nullable Failure failure) {
		if (failure != null && failure.reason().isOfLayout() && !this.from.isDead()) {
			this.from.exchange().differs(nodeId());
		}
	}

	private <T> Mono<T> send(long layout, Deadline deadline, int what, boolean isDoubled,
			BiFunction<Replica, Deadline, Mono<T>> request, Function<Failure, T> failed) {
		SimulatedProcess receiver = this.to.process();
		Mono<T> said = carry(layout, deadline, what, isDoubled, request, failed);
		if (!this.from.isDead() && receiver != null && this.from.isConnectedTo(receiver)) {
			long sent = this.cluster.time().nanos();
			this.cluster.time().in(SUSPECT_AFTER, () -> suspectIfSilentSince(sent));
		}
		return said;
	}

	private <T> Mono<T> carry(long layout, Deadline deadline, int what, boolean isDoubled,
			BiFunction<Replica, Deadline, Mono<T>> request, Function<Failure, T> failed) {
		SimulatedProcess receiver = this.to.process();
		if (this.from.isDead()) {
			return Mono.never();
		}
		if (receiver == null || !isConnected(receiver)) {
			return Mono.just(failed.apply(failure(Reason.DISCONNECTED)));
		}
		SimulatedTime time = this.cluster.time();
		Random random = this.cluster.weather().at(time.nanos(), 31 * what + this.from.link(this.to));
		Weather.Fate fate = (receiver == this.from) ? this.cluster.weather().fate(random, 0)
				: this.cluster.weather().ofRequest(random);
		SimulatedProcess.Carried carried = this.from.carried();
		Reason refusal = this.cluster.weather().refusal(random);
		Supplier<Mono<T>> work = (refusal != null) ? () -> Mono.just(failed.apply(failure(refusal))) : () -> {
			receiver.hears(carried);
			boolean isLate = deadline.nanos() <= time.nanos() && this.cluster.bug() != PlantedBug.LATE_WORK;
			return request.apply(receiver.fenced().planned(layout), real(isLate));
		};
		if (receiver == this.from && this.cluster.weather().isDense && random.nextInt(3) == 0) {
			return work.get();
		}
		Sinks.One<T> said = Sinks.one();
		boolean isBroken = this.cluster.weather().goesWrong(random, this.cluster.weather().broken);
		arriveIn(fate.there(), () -> {
			if (receiver.isDead()) {
				end(failed.apply(failure(Reason.FAILED)), said);
			}
			else if (!fate.isLost() && !this.cluster.isCut(this.from, receiver)
					&& !this.cluster.obstacles().isLost(this.from.id(), nodeId())) {
				receiver.ask(deadline.nanos() <= time.nanos(),
						() -> work.get()
							.subscribe((reply) -> answer(receiver, fate,
									isBroken ? failed.apply(failure(Reason.FAILED)) : reply, said)));
			}
		});
		if (isDoubled && this.cluster.weather().goesWrong(random, this.cluster.weather().doubled)) {
			arriveIn(fate.there() + fate.back(), () -> {
				if (!receiver.isDead()) {
					receiver.ask(deadline.nanos() <= time.nanos(), () -> work.get().subscribe());
				}
			});
		}
		time.at(deadline.nanos() - time.nanos() + 1, () -> end(failed.apply(failure(Reason.TIMEOUT)), said));
		return said.asMono();
	}

	/* Nothing comes to a node that stands still. */
	private void arriveIn(long nanos, Runnable arrival) {
		this.cluster.time().at(nanos, () -> {
			long standsStill = this.to.standsStillUntil() - this.cluster.time().nanos();
			if (standsStill > 0) {
				arriveIn(standsStill, arrival);
			}
			else {
				arrival.run();
			}
		});
	}

	/* A write that waits is applied when it is let pass, whatever has happened since. */
	private Mono<WriteReply> passed(Supplier<Mono<WriteReply>> write) {
		Obstacles obstacles = this.cluster.obstacles();
		if (obstacles.isWriteLost(this.from.id(), nodeId())) {
			return Mono.never();
		}
		if (!obstacles.isWriteHeld(this.from.id(), nodeId())) {
			return write.get();
		}
		Sinks.One<WriteReply> later = Sinks.one();
		this.cluster.time().in(HELD, () -> passed(write).subscribe(later::tryEmitValue));
		return later.asMono();
	}

	private Mono<PrepareReply> heard(PrepareReply reply) {
		if (!this.cluster.obstacles().isPromiseHeld(this.from.id(), nodeId())) {
			return Mono.just(reply);
		}
		Sinks.One<PrepareReply> later = Sinks.one();
		this.cluster.time().in(HELD, () -> heard(reply).subscribe(later::tryEmitValue));
		return later.asMono();
	}

	private boolean isConnected(SimulatedProcess receiver) {
		return receiver == this.from || this.from.isConnectedTo(receiver);
	}

	private <T> void answer(SimulatedProcess receiver, Weather.Fate fate, T reply, Sinks.One<T> said) {
		SimulatedProcess.Carried carried = receiver.carried();
		if (!fate.isAnswerLost()) {
			this.cluster.time().at(fate.back(), () -> {
				if (!this.from.isDead() && !this.cluster.isCut(receiver, this.from)) {
					this.from.hears(carried);
					end(reply, said);
				}
			});
		}
	}

	/* Nobody is there any more to hear it once the process that asked was killed. */
	private <T> void end(T reply, Sinks.One<T> said) {
		if (!this.from.isDead()) {
			said.tryEmitValue(reply);
		}
	}

	private void suspectIfSilentSince(long nanos) {
		if (!this.from.isDead() && this.to.process() != this.from && this.from.heardNanos(nodeId()) < nanos
				&& this.from.member().membership().stateOf(nodeId()) == MemberState.UP) {
			this.from.member().membership().stateChanged(nodeId(), MemberState.SUSPECT);
		}
	}

	static Failure failure(Reason reason) {
		return new Failure(reason, "as the simulation wants");
	}

}
