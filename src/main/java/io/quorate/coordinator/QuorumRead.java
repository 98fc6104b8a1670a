package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.Contact.State;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Failure;
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
 * A state machine: its fields are touched by one turn at a time. Invariants: (1) the
 * resolved entry is the merge of all answers; (2) it is answered only when
 * {@code min(ack, entry.from)} of the replicas that the entry was written to hold it, by
 * their answer or because they acknowledged its repair; (3) a value is sent to no replica
 * beyond the {@code from} that it was written with.
 */
final class QuorumRead implements DeadlineSweep.Waiting {

	private final Reading reading;

	private final ReplicaPlan plan;

	private final Key key;

	private final Deadline deadline;

	private final MonoSink<Resolved> sink;

	private final Turns turns = new Turns(this::end);

	/* In the order of the preference list. */
	private final Contact[] contacts;

	private final List<Contact> bestFirst;

	private final long startNanos = System.nanoTime();

	private final long hedgeDelayNanos;

	private volatile boolean isHedgeable;

	private boolean isHedged;

	private boolean isOver;

	private boolean isStaleSeen;

	private QuorumRead(Reading reading, ReplicaPlan plan, Key key, Deadline deadline, MonoSink<Resolved> sink) {
		this.reading = reading;
		this.plan = plan;
		this.key = key;
		this.deadline = deadline;
		this.sink = sink;
		this.contacts = plan.replicas().stream().map(Contact::new).toArray(Contact[]::new);
		this.bestFirst = reading.order()
			.bestFirst(plan.replicas())
			.stream()
			.map((replica) -> this.contacts[plan.replicas().indexOf(replica)])
			.toList();
		this.hedgeDelayNanos = reading.hedging().delayNanos();
		this.isHedgeable = reading.contacts().first(plan) < plan.from();
	}

	/**
	 * What the replicas of a key hold. Starts when subscribed; cancelling abandons the
	 * read.
	 */
	static Mono<Resolved> of(Reading reading, ReplicaPlan plan, Key key, Deadline deadline) {
		return Mono.create((sink) -> new QuorumRead(reading, plan, key, deadline, sink).start());
	}

	private void start() {
		this.reading.hedging().earn();
		this.reading.deadlines().watch(this);
		this.sink.onDispose(() -> {
			this.reading.deadlines().unwatch(this);
			this.turns.run(this::leave);
		});
		unlessOver(QuorumRead::begin);
	}

	private void begin() {
		for (int i = 0; i < this.reading.contacts().first(this.plan); i++) {
			ask(this.bestFirst.get(i));
		}
		decide();
	}

	private void leave() {
		this.isOver = true;
		for (Contact contact : this.contacts) {
			contact.reading.dispose();
		}
	}

	private void ask(Contact contact) {
		long askedAtNanos = System.nanoTime();
		contact.state = State.SILENT;
		contact.isMovedOn = this.reading.suspects().isSuspect(contact.replica.nodeId());
		contact.reading = contact.replica.read(this.key, this.deadline).subscribe((reply) -> {
			long nanos = System.nanoTime() - askedAtNanos;
			this.turns.run(() -> answered(contact, reply, nanos));
		});
	}

	private void answered(Contact contact, ReadReply reply, long nanos) {
		if (this.isOver) {
			return;
		}
		if (!(reply instanceof ReadReply.Failed)) {
			this.reading.note(contact.replica.nodeId(), nanos, this.isHedged);
		}
		switch (reply) {
			case ReadReply.Found(Entry entry) -> found(contact, entry);
			case ReadReply.Absent _ -> knows(contact, null);
			case ReadReply.Failed(Failure failure) -> failed(contact, failure);
		}
		decide();
	}

	private void found(Contact contact, Entry entry) {
		if (this.reading.stamps().observe(entry.timestamp())) {
			knows(contact, entry);
		}
		else {
			failed(contact, null);
		}
	}

	private static void knows(Contact contact, @Nullable Entry held) {
		contact.state = State.ANSWERED;
		contact.held = held;
	}

	private static void failed(Contact contact, @Nullable Failure failure) {
		contact.state = State.FAILED;
		contact.failure = failure;
	}

	/** What follows from all that is known. */
	private void decide() {
		if (this.isOver) {
			return;
		}
		if (count((contact) -> contact.state == State.ANSWERED) < this.plan.ack()) {
			askInPlaceOfLost();
			return;
		}
		Entry resolved = resolved();
		if (resolved == null) {
			answer(null);
		}
		else {
			settle(resolved);
		}
	}

	/** As many answers as required must be there or to be expected. */
	private void askInPlaceOfLost() {
		int failures = count((contact) -> contact.state == State.FAILED);
		if (failures > this.plan.from() - this.plan.ack()) {
			end((count(Contact::isOverloaded) == failures) ? overloaded() : notReached());
			return;
		}
		while (count((contact) -> contact.state == State.ANSWERED || contact.isPromising()) < this.plan.ack()) {
			Contact next = nextUnasked();
			if (next == null) {
				return;
			}
			ask(next);
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

	private int count(Predicate<Contact> which) {
		int count = 0;
		for (Contact contact : this.contacts) {
			count += which.test(contact) ? 1 : 0;
		}
		return count;
	}

	private @Nullable Entry resolved() {
		Entry resolved = null;
		for (Contact contact : this.contacts) {
			Entry held = contact.held;
			if (contact.state == State.ANSWERED && held != null) {
				resolved = (resolved == null) ? held : Entry.merge(resolved, held);
			}
		}
		return resolved;
	}

	/**
	 * Answers if enough replicas hold the resolved entry, else sees to it that they do.
	 */
	private void settle(Entry resolved) {
		List<Contact> scope = scope(resolved);
		int needed = Math.min(this.plan.ack(), scope.size());
		this.isStaleSeen |= scope.stream().anyMatch((contact) -> contact.lacks(resolved));
		if (scope.stream().filter((contact) -> contact.holds(resolved)).count() >= needed) {
			answer(resolved);
			return;
		}
		for (Contact contact : scope) {
			if (contact.lacks(resolved) && !contact.isRepairing && !contact.wasSent(resolved)) {
				repair(contact, resolved);
			}
		}
		repairUnasked(resolved, scope, needed);
		if (scope.stream().noneMatch((contact) -> contact.isRepairing || contact.state == State.SILENT)) {
			giveUp();
		}
	}

	/** The replicas that the entry was written to, as far as this read knows them. */
	private List<Contact> scope(Entry entry) {
		int copies = entry.isTombstone() ? this.contacts.length : Math.min(entry.from(), this.contacts.length);
		return Arrays.asList(this.contacts).subList(0, copies);
	}

	/** Replicas not asked yet are sent the entry, too, if those asked cannot do. */
	private void repairUnasked(Entry resolved, List<Contact> scope, int needed) {
		for (Contact contact : this.bestFirst) {
			if (scope.stream().filter((one) -> isHopeful(one, resolved)).count() >= needed) {
				return;
			}
			if (contact.state == State.UNASKED && scope.contains(contact)) {
				contact.state = State.SILENT;
				repair(contact, resolved);
			}
		}
	}

	private static boolean isHopeful(Contact contact, Entry resolved) {
		return contact.holds(resolved) || contact.isPromising() || (contact.isRepairing && !contact.isMovedOn);
	}

	private void repair(Contact contact, Entry entry) {
		contact.isRepairing = true;
		contact.sent = entry;
		contact.isMovedOn = this.reading.suspects().isSuspect(contact.replica.nodeId());
		contact.replica.apply(this.key, entry, this.deadline)
			.subscribe((reply) -> this.turns.run(() -> repaired(contact, entry, reply)));
	}

	private void repaired(Contact contact, Entry entry, WriteReply reply) {
		contact.isRepairing = false;
		if (this.isOver) {
			return;
		}
		switch (reply) {
			case WriteReply.Applied() -> knows(contact, entry);
			/*
			 * It may hold something newer, which then is the answer: nobody but it knows.
			 */
			case WriteReply.Superseded(Timestamp by) -> {
				this.reading.stamps().observe(by);
				ask(contact);
			}
			case WriteReply.Failed(Failure failure) -> {
				if (contact.state == State.SILENT) {
					failed(contact, failure);
				}
			}
		}
		decide();
	}

	private void answer(@Nullable Entry resolved) {
		this.isOver = true;
		this.sink.success(new Resolved(resolved));
		if (resolved != null && this.isStaleSeen) {
			this.reading.lateRepairs().repair(this.key, resolved, stillStale(resolved), this.deadline);
		}
	}

	/** A tombstone goes to every node that may hold anything older. */
	private List<Replica> stillStale(Entry resolved) {
		List<Replica> stale = new ArrayList<>();
		for (Contact contact : scope(resolved)) {
			boolean unknown = resolved.isTombstone() && contact.state != State.ANSWERED;
			if (!contact.wasSent(resolved) && (contact.lacks(resolved) || unknown)) {
				stale.add(contact.replica);
			}
		}
		if (resolved.isTombstone()) {
			stale.addAll(this.plan.beyond());
		}
		return stale;
	}

	private RefusedException overloaded() {
		return new RefusedException(Why.OVERLOADED, "too many replicas are overloaded: " + said(null));
	}

	private void giveUp() {
		end(notReached());
	}

	private void end(Throwable failure) {
		this.isOver = true;
		this.sink.error(failure);
	}

	private QuorumNotReachedException notReached() {
		Entry resolved = resolved();
		int acks = count((contact) -> contact.state == State.ANSWERED && (resolved == null || contact.holds(resolved)));
		return new QuorumNotReachedException(this.plan.ack(), acks, false, said(resolved));
	}

	private List<Said> said(@Nullable Entry resolved) {
		return Arrays.stream(this.contacts)
			.map((contact) -> new Said(contact.replica.nodeId(),
					(resolved != null && contact.lacks(resolved)) ? "stale" : contact.said()))
			.toList();
	}

	@Override
	public void onTick(long nowNanos) {
		if (this.deadline.nanos() - nowNanos <= 0) {
			unlessOver(QuorumRead::giveUp);
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
		this.turns.run(() -> {
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
		else if (this.reading.hedging().tryTake()) {
			this.isHedgeable = false;
			this.isHedged = true;
			oneMore(next);
		}
	}

	/** It is read, or if it is known already what it must hold, sent that. */
	private void oneMore(Contact contact) {
		boolean isResolved = count((one) -> one.state == State.ANSWERED) >= this.plan.ack();
		Entry resolved = isResolved ? resolved() : null;
		if (resolved != null && scope(resolved).contains(contact)) {
			contact.state = State.SILENT;
			repair(contact, resolved);
		}
		else {
			ask(contact);
		}
	}

	private void moveOn(String node) {
		for (Contact contact : this.contacts) {
			boolean isAwaited = contact.state == State.SILENT || contact.isRepairing;
			if (isAwaited && contact.replica.nodeId().equals(node)) {
				contact.isMovedOn = true;
				decide();
			}
		}
	}

	/** The entry that wins, or {@code null} when no replica holds any. */
	record Resolved(@Nullable Entry entry) {
	}

}
