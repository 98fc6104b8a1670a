package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.Contact.State;
import io.quorate.coordinator.CoordinatorMetrics.MovedOn;
import io.quorate.coordinator.CoordinatorMetrics.Operation;
import io.quorate.coordinator.CoordinatorMetrics.Repair;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.RequestTimeline.Hop;
import io.quorate.coordinator.RequestTimeline.Stage;
import io.quorate.coordinator.RequestTimeline.Work;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * One read under way. It asks the best replicas, others when those fail or are slow, and
 * answers when enough replicas are known to hold what it answers: what it has seen once,
 * every later read with an overlapping quorum sees.
 * <p>
 * Of those asked first only the best are asked for the value whatever its size; a large
 * one the others leave out, and are asked for it only if it turns out that nobody else
 * brings it.
 * <p>
 * A state machine: its fields are touched by one turn at a time. What follows from the
 * replies is the {@link ReadTally}'s to say, what is done about it is said here.
 * Invariants: (1) the resolved entry is the merge of all answers, and whole; (2) it is
 * answered only when {@code min(ack, entry.from)} of the replicas that the entry was
 * written to hold it or a newer one, by their answer or by what they said to its repair,
 * and a read of a majority only when a majority of all has held this very entry: then no
 * coordinator withdraws it to stamp its write anew (see {@link WriteTally}); (3) a value
 * is sent to no replica beyond the {@code from} that it was written with; (4) the permit
 * counts the values that are kept.
 */
final class QuorumRead implements DeadlineSweep.Waiting {

	private static final Comparator<Contact> BEST_FIRST = Comparator.comparingLong((contact) -> contact.rank);

	private final ReadServices readServices;

	private final Request request;

	private final MonoSink<Resolved> sink;

	private final SerialExecutor serialExecutor = new SerialExecutor(this::end);

	/* In the order of the preference list. */
	private final Contact[] contacts;

	private final Contact[] bestFirst;

	private final ReadTally tally;

	private final long startNanos;

	private final long hedgeDelayNanos;

	private final long lastChanceNanos;

	private volatile boolean isHedgeable;

	/* Whether the silent are not waited for any more. */
	private volatile boolean isLastChance;

	/* Whether it has been answered or abandoned. */
	private volatile boolean isDisposed;

	/* Who was asked because others are slow. */
	private @Nullable Contact hedge;

	private boolean isSettling;

	private boolean isOver;

	private boolean isStaleSeen;

	private QuorumRead(ReadServices readServices, Request request, MonoSink<Resolved> sink) {
		this.readServices = readServices;
		this.request = request;
		this.sink = sink;
		this.contacts = contacts(request.plan.replicas(), readServices.order());
		this.bestFirst = this.contacts.clone();
		Arrays.sort(this.bestFirst, BEST_FIRST);
		this.tally = new ReadTally(request.plan.ack(), this.contacts);
		this.startNanos = readServices.deadlines().nanoTime();
		this.hedgeDelayNanos = readServices.hedging().delayNanos();
		this.lastChanceNanos = request.deadline().lastChanceNanos(this.startNanos);
		this.isHedgeable = readServices.policy().first(request.plan) < request.plan.from();
	}

	private static Contact[] contacts(List<Replica> replicas, ReplicaOrder order) {
		Contact[] contacts = new Contact[replicas.size()];
		for (int i = 0; i < contacts.length; i++) {
			Replica replica = replicas.get(i);
			contacts[i] = new Contact(replica, i, order.rank(replica.nodeId()));
		}
		return contacts;
	}

	/**
	 * What the replicas of a key hold. Starts when subscribed; cancelling abandons the
	 * read.
	 */
	static Mono<Resolved> of(ReadServices readServices, Request request) {
		return Mono.create((sink) -> new QuorumRead(readServices, request, sink).start());
	}

	private void start() {
		this.readServices.hedging().earn();
		this.readServices.deadlines().watch(this);
		this.sink.onDispose(() -> {
			this.isDisposed = true;
			this.readServices.deadlines().unwatch(this);
			this.serialExecutor.run(this::leave);
		});
		unlessOver(QuorumRead::begin);
	}

	private void begin() {
		this.request.trail().enter(Stage.REPLICAS, this.startNanos);
		int whole = this.readServices.policy().whole(this.request.plan);
		for (int i = 0; i < this.readServices.policy().first(this.request.plan); i++) {
			ask(this.bestFirst[i], Work.READ,
					(i < whole) ? Integer.MAX_VALUE : this.readServices.policy().digestAbove());
		}
		decide(MovedOn.SUSPECT);
	}

	private void leave() {
		over(false);
		for (Contact contact : this.contacts) {
			contact.reading.dispose();
		}
	}

	/** Nothing is decided any more. */
	private void over(boolean isAnswered) {
		if (!this.isOver) {
			this.isOver = true;
			this.request.trail().leave(now());
			if (this.hedge != null) {
				this.readServices.metrics().hedged(isAnswered && this.hedge.state == State.ANSWERED);
			}
		}
	}

	private long now() {
		return this.readServices.deadlines().nanoTime();
	}

	private void ask(Contact contact, Work work) {
		ask(contact, work, Integer.MAX_VALUE);
	}

	private void ask(Contact contact, Work work, int maxValueBytes) {
		long askedAtNanos = now();
		Hop hop = this.request.trail().ask(contact.replica.nodeId(), work, askedAtNanos);
		if (work != Work.FETCH) {
			contact.state = State.SILENT;
		}
		contact.isAskedWhole = maxValueBytes == Integer.MAX_VALUE;
		contact.isMovedOn = this.readServices.suspects().isSuspect(contact.replica.nodeId());
		contact.reading = contact.replica.read(this.request.key, maxValueBytes, this.request.deadline())
			.subscribe((reply) -> {
				long now = now();
				hop.answered(reply, now);
				this.serialExecutor.run(() -> answered(contact, reply, now - askedAtNanos));
			});
	}

	private void answered(Contact contact, ReadReply reply, long nanos) {
		if (this.isOver || !contact.isAwaited()) {
			return;
		}
		if (!(reply instanceof ReadReply.Failed)) {
			this.readServices.note(contact.replica.nodeId(), nanos, this.hedge != null || this.isLastChance);
		}
		switch (reply) {
			case ReadReply.Found(Entry entry) -> found(contact, entry);
			case ReadReply.Summarized(Summary summary) -> summarized(contact, summary);
			case ReadReply.Absent _ -> contact.showsNothing(this.readServices.timestampSource().nowMillis());
			case ReadReply.Failed(Failure failure) -> failed(contact, failure);
		}
		decide(MovedOn.ERROR);
	}

	private void summarized(Contact contact, Summary summary) {
		if (this.readServices.timestampSource().observe(summary.timestamp())) {
			contact.knows(summary);
		}
		else {
			contact.failed(null);
		}
	}

	/** The value that it cannot bring may have been brought by another one since. */
	private void failed(Contact contact, Failure failure) {
		if (!this.tally.isAnswer(contact)) {
			contact.failed(failure);
		}
	}

	private void found(Contact contact, Entry entry) {
		if (!this.readServices.timestampSource().observe(entry.timestamp())) {
			contact.failed(null);
			return;
		}
		contact.knows(this.tally.shared(entry));
		if (!this.request.permit().tryHold(this.tally.valueBytes())) {
			end(this.request.permit().full());
		}
	}

	/**
	 * What follows from all that is known.
	 * @param news why another replica may have to be asked
	 */
	private void decide(MovedOn news) {
		if (this.isOver) {
			return;
		}
		if (!this.tally.isAnswered()) {
			askInPlaceOfLost(news);
			fetch();
			return;
		}
		if (!this.isSettling) {
			this.isSettling = true;
			this.request.trail().enter(Stage.SETTLE, now());
		}
		Entry resolved = this.tally.resolved();
		if (resolved == null) {
			answer(null);
		}
		else {
			settle(resolved);
		}
	}

	/** As many answers as required must be there or to be expected. */
	private void askInPlaceOfLost(MovedOn reason) {
		if (this.tally.isLost()) {
			end(this.tally.isOverloadAlone() ? overloaded() : notReached());
			return;
		}
		while (!this.tally.isPromising()) {
			Contact next = nextUnasked();
			if (next == null) {
				return;
			}
			this.readServices.metrics().movedOn(reason);
			ask(next, Work.READ);
		}
	}

	/** A value that was left out, and that nobody is going to bring, is asked for. */
	private void fetch() {
		Contact unfetched = this.isOver ? null : this.tally.unfetched();
		if (unfetched != null) {
			this.readServices.metrics().fetched();
			ask(unfetched, Work.FETCH);
			decide(MovedOn.SUSPECT);
		}
	}

	private @Nullable Contact nextUnasked() {
		for (Contact contact : this.bestFirst) {
			if (contact.state == State.UNASKED) {
				return contact;
			}
		}
		return null;
	}

	/**
	 * Answers if enough replicas hold the resolved entry, else sees to it that they do.
	 */
	private void settle(Entry resolved) {
		for (Contact contact : this.contacts) {
			this.isStaleSeen |= this.tally.isStale(contact, resolved);
		}
		if (this.tally.isHeld(resolved)) {
			answer(resolved);
			return;
		}
		for (Contact contact : this.contacts) {
			if (this.tally.isStale(contact, resolved) && !contact.isRepairing && !contact.wasSent(resolved)) {
				repair(contact, resolved);
			}
		}
		repairUnasked(resolved);
		if (!this.tally.isHopeful(resolved)) {
			Contact beyond = this.tally.beyond();
			if (beyond != null) {
				ask(beyond, Work.READ);
			}
			else if (!this.tally.isAwaiting(resolved)) {
				giveUp();
			}
		}
	}

	/** Replicas not asked yet are sent the entry, too, if those asked cannot do. */
	private void repairUnasked(Entry resolved) {
		for (Contact contact : this.bestFirst) {
			if (this.tally.isHopeful(resolved)) {
				return;
			}
			if (contact.state == State.UNASKED && this.tally.isFor(contact, resolved)) {
				contact.state = State.SILENT;
				repair(contact, resolved);
			}
		}
	}

	private void repair(Contact contact, Entry entry) {
		contact.reading.dispose();
		contact.isAskedWhole = false;
		contact.isRepairing = true;
		contact.sent = entry;
		contact.isMovedOn = this.readServices.suspects().isSuspect(contact.replica.nodeId());
		Hop hop = this.request.trail().ask(contact.replica.nodeId(), Work.REPAIR, now());
		contact.replica.apply(this.request.key, entry, Origin.REPAIR, this.request.deadline()).subscribe((reply) -> {
			hop.answered(reply, now());
			this.readServices.metrics().repaired(Repair.WAITED, reply);
			this.serialExecutor.run(() -> repaired(contact, entry, reply));
		});
	}

	private void repaired(Contact contact, Entry entry, WriteReply reply) {
		contact.isRepairing = false;
		if (this.isOver) {
			return;
		}
		switch (reply) {
			case WriteReply.Applied applied when applied.isComplete() -> contact.knows(entry);
			case WriteReply.Applied _ -> contact.notRepaired(Contact.MAY_HAVE_LOST_NEWER);
			case WriteReply.Superseded beyond -> superseded(contact, entry, beyond.by());
			case WriteReply.Failed(Failure failure) -> contact.notRepaired(failure);
		}
		decide(MovedOn.ERROR);
	}

	/**
	 * It holds the entry or a newer one. Only if too few hold the entry itself the newer
	 * one has to be known.
	 */
	private void superseded(Contact contact, Entry entry, Timestamp by) {
		if (this.readServices.timestampSource().observe(by)) {
			contact.isBeyond(entry);
		}
		else {
			contact.failed(null);
		}
	}

	private void answer(@Nullable Entry resolved) {
		over(true);
		this.readServices.metrics().answered(Operation.GET, this.request.trail());
		this.request.permit().tryHold((resolved != null) ? ReadTally.valueBytes(resolved) : 0);
		this.sink.success(new Resolved(resolved));
		if (resolved != null && this.isStaleSeen) {
			repairLate(resolved);
		}
	}

	/** A tombstone goes to every node that may hold anything older. */
	private void repairLate(Entry resolved) {
		List<Replica> stale = new ArrayList<>(this.tally.unrepaired(resolved));
		if (resolved.isTombstone()) {
			stale.addAll(this.request.plan.beyond());
		}
		this.readServices.backgroundReadRepair().repair(this.request.key, resolved, stale, this.request.deadline());
	}

	private RefusedException overloaded() {
		return new RefusedException(Why.REPLICAS, "too many replicas are overloaded: " + this.tally.said());
	}

	private void giveUp() {
		end(notReached());
	}

	private QuorumNotReachedException notReached() {
		return new QuorumNotReachedException(this.tally.ack(), this.tally.acks(), false, this.tally.said());
	}

	private void end(Throwable failure) {
		over(false);
		if (failure instanceof RefusedException refused) {
			this.readServices.metrics().refused(refused);
		}
		if (!this.isDisposed) {
			this.sink.error(failure);
		}
	}

	@Override
	public void onTick(long nowNanos) {
		if (this.request.deadline().nanos() - nowNanos <= 0) {
			unlessOver(QuorumRead::giveUp);
		}
		else if (!this.isLastChance && nowNanos - this.lastChanceNanos >= 0) {
			this.isLastChance = true;
			unlessOver(QuorumRead::moveOnFromAll);
		}
		else if (this.isHedgeable && nowNanos - this.startNanos >= this.hedgeDelayNanos) {
			unlessOver(QuorumRead::hedge);
		}
	}

	@Override
	public void onSuspect(String node) {
		unlessOver((read) -> read.moveOn(node));
	}

	private void unlessOver(Consumer<QuorumRead> turn) {
		this.serialExecutor.run(() -> {
			if (!this.isOver) {
				turn.accept(this);
			}
		});
	}

	private void hedge() {
		Contact next = nextUnasked();
		if (next == null) {
			this.isHedgeable = false;
		}
		else if (this.readServices.hedging().tryTake()) {
			this.isHedgeable = false;
			this.hedge = next;
			oneMore(next);
		}
	}

	/** It is read, or if it is known already what it must hold, sent that. */
	private void oneMore(Contact contact) {
		Entry resolved = this.tally.isAnswered() ? this.tally.resolved() : null;
		if (resolved != null && this.tally.isFor(contact, resolved)) {
			contact.state = State.SILENT;
			repair(contact, resolved);
		}
		else {
			ask(contact, Work.HEDGE);
		}
	}

	private void moveOn(String node) {
		for (Contact contact : this.contacts) {
			if ((contact.isAwaited() || contact.isRepairing) && contact.replica.nodeId().equals(node)) {
				contact.isMovedOn = true;
				decide(MovedOn.SUSPECT);
			}
		}
	}

	/**
	 * With the silent alone the read is going to fail: whatever hedges cost, others are
	 * asked in their place. Whoever answers counts all the same.
	 */
	private void moveOnFromAll() {
		for (Contact contact : this.contacts) {
			contact.isMovedOn |= contact.isAwaited() || contact.isRepairing;
		}
		decide(MovedOn.DEADLINE);
	}

	/**
	 * What is to be read.
	 *
	 * @param requestContext their permit counts the values that are kept for it
	 */
	record Request(Key key, ReplicaPlan plan, RequestContext requestContext) {

		private Deadline deadline() {
			return this.requestContext.deadline();
		}

		private Admission.Permit permit() {
			return this.requestContext.permit();
		}

		private RequestTimeline trail() {
			return this.requestContext.trail();
		}

	}

	/** The entry that wins, or {@code null} when no replica holds any. */
	record Resolved(@Nullable Entry entry) {
	}

}
