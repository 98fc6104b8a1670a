package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

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
 * One read under way. It asks the best replicas, and more when those fail or are slow. It
 * answers when enough replicas are known to hold the entry that it answers: once one read
 * has answered an entry, every later read with an overlapping quorum sees it.
 * <p>
 * Of the replicas asked first, only the best are asked for the value whatever its size.
 * The rest leave out a large value, and are asked for it only if no other replica brings
 * it.
 * <p>
 * A state machine: its fields are touched by one turn at a time. {@link ReadTally}
 * evaluates the replies; this class acts on the result. Invariants: (1) the resolved
 * entry is the merge of all answers, and whole; (2) it is answered only when
 * {@code min(ack, entry.from)} of the replicas that the entry was written to hold it or a
 * newer one, by their answer or by their reply to its repair, and a read of a majority
 * only when a majority of all has held this very entry: then no coordinator withdraws it
 * to give its write a new timestamp (see {@link WriteTally}), and all this on each side
 * of a change; (3) a value is sent to no replica beyond the {@code from} that it was
 * written with, of either side; (4) the permit counts the values that are kept.
 */
final class QuorumRead implements DeadlineSweep.Waiting {

	/* An answer that counts on each side is worth more than a fast one. */
	private static final Comparator<Contact> BEST_FIRST = Comparator.comparing(Contact::isLast)
		.thenComparing((contact) -> !contact.isOfAllSides)
		.thenComparingLong((contact) -> contact.rank);

	private final RequestServices services;

	private final ReadServices readServices;

	private final ReadRequest request;

	private final MonoSink<ResolvedRead> sink;

	private final SerialExecutor serialExecutor = new SerialExecutor(this::end);

	/* In the order of the plan. */
	private final Contact[] contacts;

	private final Contact[] bestFirst;

	private final ReadTally tally;

	private final long startNanos;

	private final long hedgeDelayNanos;

	private final long lastChanceNanos;

	private volatile boolean isHedgeable;

	/* Whether silent replicas are not waited for any more. */
	private volatile boolean isLastChance;

	/* Whether the read has been answered or abandoned. */
	private volatile boolean isDisposed;

	/* The replicas that were asked because others are slow. */
	private List<Contact> hedges = List.of();

	private boolean isSettling;

	private boolean isOver;

	private boolean isStaleSeen;

	/* Whether a round on the register keeps a replica from its repair. */
	private boolean isPromised;

	private volatile boolean isOfOtherLayout;

	private QuorumRead(ReadServices readServices, ReadRequest request, MonoSink<ResolvedRead> sink) {
		this.services = readServices.shared();
		this.readServices = readServices;
		this.request = request;
		this.sink = sink;
		this.contacts = contacts(request.plan(), readServices.order());
		this.bestFirst = this.contacts.clone();
		Arrays.sort(this.bestFirst, BEST_FIRST);
		this.tally = new ReadTally(request.plan(), this.contacts);
		this.startNanos = this.services.deadlines().nanoTime();
		this.hedgeDelayNanos = readServices.hedging().delayNanos();
		this.lastChanceNanos = request.deadline().lastChanceNanos(this.startNanos);
		this.isHedgeable = request.plan().first() < request.plan().asked();
	}

	private static Contact[] contacts(ReplicaPlan plan, ReplicaOrder order) {
		Contact[] contacts = new Contact[plan.asked()];
		for (int i = 0; i < contacts.length; i++) {
			Replica replica = plan.all().get(i);
			contacts[i] = new Contact(replica, i, plan.isOfAllSides(i), order.rank(replica.nodeId()));
		}
		return contacts;
	}

	/** Reads the entry of a key. Starts when subscribed; cancelling abandons the read. */
	static Mono<ResolvedRead> of(ReadServices readServices, ReadRequest request) {
		return Mono.create((sink) -> new QuorumRead(readServices, request, sink).start());
	}

	private void start() {
		this.readServices.hedging().earn();
		this.services.deadlines().watch(this);
		this.sink.onDispose(() -> {
			this.isDisposed = true;
			this.services.deadlines().unwatch(this);
			this.serialExecutor.run(this::leave);
		});
		unlessOver(QuorumRead::begin);
	}

	private void begin() {
		this.request.timeline().enter(Stage.REPLICAS, this.startNanos);
		int whole = this.request.plan().whole();
		for (int i = 0; i < this.request.plan().first(); i++) {
			ask(this.bestFirst[i], Work.READ, (i < whole) ? Integer.MAX_VALUE : this.readServices.digestAbove());
		}
		decide(MovedOn.SUSPECT);
	}

	private void leave() {
		over(false);
		for (Contact contact : this.contacts) {
			contact.reading.dispose();
		}
	}

	/** Ends the read: nothing is decided any more. */
	private void over(boolean isAnswered) {
		if (!this.isOver) {
			this.isOver = true;
			this.request.timeline().leave(now());
			if (!this.hedges.isEmpty()) {
				this.services.metrics()
					.hedged(isAnswered && this.hedges.stream().anyMatch((hedge) -> hedge.state == State.ANSWERED));
			}
		}
	}

	private long now() {
		return this.services.deadlines().nanoTime();
	}

	private void ask(Contact contact, Work work) {
		ask(contact, work, Integer.MAX_VALUE);
	}

	private void ask(Contact contact, Work work, int maxValueBytes) {
		long askedAtNanos = now();
		Hop hop = this.request.timeline().ask(contact.replica.nodeId(), work, askedAtNanos);
		if (work != Work.FETCH) {
			contact.state = State.SILENT;
		}
		contact.isAskedWhole = maxValueBytes == Integer.MAX_VALUE;
		contact.isMovedOn = this.services.clusterView().suspects().isSuspect(contact.replica.nodeId());
		contact.reading = this.request.timeline()
			.traced(contact.replica)
			.read(this.request.key(), maxValueBytes, this.request.deadline())
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
			this.readServices.note(contact.replica.nodeId(), nanos, !this.hedges.isEmpty() || this.isLastChance);
		}
		switch (reply) {
			case ReadReply.Found(Entry entry) -> found(contact, entry);
			case ReadReply.Summarized(Summary summary) -> summarized(contact, summary);
			case ReadReply.Absent _ -> contact.showsNothing(this.services.timestampSource().nowMillis());
			case ReadReply.Failed(Failure failure) -> failed(contact, failure);
		}
		decide(MovedOn.ERROR);
	}

	private void summarized(Contact contact, Summary summary) {
		if (this.services.timestampSource().observe(summary.timestamp())) {
			contact.knows(summary);
		}
		else {
			contact.failed(null);
		}
	}

	/** Notes a failure, unless another replica has brought the value since. */
	private void failed(Contact contact, Failure failure) {
		this.isOfOtherLayout |= failure.reason().isOfLayout();
		if (!this.tally.isAnswer(contact)) {
			contact.failed(failure);
		}
	}

	private void found(Contact contact, Entry entry) {
		if (!this.services.timestampSource().observe(entry.timestamp())) {
			contact.failed(null);
			return;
		}
		contact.knows(this.tally.shared(entry));
		if (!this.request.permit().tryHold(this.tally.valueBytes())) {
			end(this.request.permit().full());
		}
	}

	/**
	 * Acts on all that is known by now.
	 * @param news reason for which another replica may have to be asked
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
			this.request.timeline().enter(Stage.SETTLE, now());
		}
		Entry resolved = this.tally.resolved();
		if (resolved == null) {
			answer(null);
		}
		else {
			settle(resolved);
		}
	}

	/**
	 * Asks more replicas until enough answers are there or expected, or ends the read.
	 */
	private void askInPlaceOfLost(MovedOn reason) {
		if (this.tally.isLost()) {
			end(this.tally.isOverloadAlone() ? overloaded() : notReached());
			return;
		}
		while (!this.tally.isPromising()) {
			Contact next = this.tally.required(this.bestFirst);
			if (next == null) {
				return;
			}
			this.services.metrics().movedOn(reason);
			ask(next, Work.READ);
		}
	}

	/**
	 * Asks for a value that was left out, and that no replica is going to bring unasked.
	 */
	private void fetch() {
		Contact unfetched = this.isOver ? null : this.tally.unfetched();
		if (unfetched != null) {
			this.services.metrics().fetched();
			ask(unfetched, Work.FETCH);
			decide(MovedOn.SUSPECT);
		}
	}

	/**
	 * Answers if enough replicas hold the resolved entry, else repairs replicas until
	 * they do.
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
			else if (this.isPromised || !this.tally.isAwaiting(resolved)) {
				giveUp();
			}
		}
	}

	/** Sends the entry to replicas not asked yet, too, if those asked are not enough. */
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
		contact.isMovedOn = this.services.clusterView().suspects().isSuspect(contact.replica.nodeId());
		Hop hop = this.request.timeline().ask(contact.replica.nodeId(), Work.REPAIR, now());
		this.request.timeline()
			.traced(contact.replica)
			.apply(this.request.key(), entry, Origin.REPAIR, this.request.deadline())
			.subscribe((reply) -> {
				hop.answered(reply, now());
				this.services.metrics().repaired(Repair.WAITED, reply);
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
			case WriteReply.Promised _ -> {
				this.isPromised = true;
				contact.notRepaired(Contact.HAS_PROMISED);
			}
			case WriteReply.Failed(Failure failure) -> {
				this.isOfOtherLayout |= failure.reason().isOfLayout();
				contact.notRepaired(failure);
			}
		}
		decide(MovedOn.ERROR);
	}

	/**
	 * Notes that the replica holds the entry or a newer one. The newer one has to be
	 * known only if too few replicas hold the entry itself.
	 */
	private void superseded(Contact contact, Entry entry, Timestamp by) {
		if (this.services.timestampSource().observe(by)) {
			contact.isBeyond(entry);
		}
		else {
			contact.failed(null);
		}
	}

	private void answer(@Nullable Entry resolved) {
		over(true);
		this.services.metrics().answered(Operation.GET, this.request.timeline());
		this.request.permit().tryHold((resolved != null) ? ReadTally.valueBytes(resolved) : 0);
		this.sink.success(new ResolvedRead(resolved));
		if (resolved != null && this.isStaleSeen) {
			repairLate(resolved);
		}
	}

	/**
	 * Repairs stale replicas after the answer. A tombstone goes to every node that may
	 * hold an older entry.
	 */
	private void repairLate(Entry resolved) {
		List<Replica> stale = new ArrayList<>(this.tally.unrepaired(resolved));
		if (resolved.isTombstone()) {
			stale.addAll(this.request.plan().beyond());
		}
		this.readServices.backgroundReadRepair().repair(this.request.key(), resolved, stale, this.request.deadline());
	}

	private RefusedException overloaded() {
		return new RefusedException(Why.REPLICAS, "too many replicas are overloaded: " + this.tally.said());
	}

	private RuntimeException notReached() {
		return this.isOfOtherLayout ? new LayoutMismatchException(null, this.tally.notReached())
				: this.tally.notReached();
	}

	private void giveUp() {
		end(this.isPromised ? new PromisedException(notReached()) : notReached());
	}

	private void end(Throwable failure) {
		over(false);
		if (failure instanceof RefusedException refused) {
			this.services.metrics().refused(refused);
		}
		if (!this.isDisposed) {
			this.sink.error(failure);
		}
	}

	@Override
	public void onTick(long nowNanos) {
		if (this.request.deadline().nanos() - nowNanos <= 0) {
			unlessOver((read) -> read.end(read.tally.notReached()));
		}
		else if (this.isOfOtherLayout && this.services.planner().isOvertaken(this.request.lists())) {
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
		List<Contact> spare = this.tally.spare(this.bestFirst);
		if (spare.isEmpty()) {
			this.isHedgeable = false;
			return;
		}
		List<Contact> paid = spare.stream().filter((_) -> this.readServices.hedging().tryTake()).toList();
		if (!paid.isEmpty()) {
			this.isHedgeable = false;
			this.hedges = paid;
			paid.forEach(this::oneMore);
		}
	}

	/** Asks one more replica, or sends it the entry that it must hold. */
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
	 * Asks other replicas in place of the silent ones, whatever hedges cost: with the
	 * silent ones alone the read is going to fail. A silent replica that answers after
	 * all still counts.
	 */
	private void moveOnFromAll() {
		for (Contact contact : this.contacts) {
			contact.isMovedOn |= contact.isAwaited() || contact.isRepairing;
		}
		decide(MovedOn.DEADLINE);
	}

	/**
	 * Ends a read that a round on the register of its key keeps from repairing replicas;
	 * carries no stack trace.
	 */
	static final class PromisedException extends RuntimeException {

		private final RuntimeException outcome;

		private PromisedException(RuntimeException outcome) {
			super("promised", null, false, false);
			this.outcome = outcome;
		}

		/** The failure of the read if it does not begin anew. */
		RuntimeException outcome() {
			return this.outcome;
		}

	}

}
