package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

import io.quorate.coordinator.Contact.State;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;

/**
 * The state of the replicas of one read, and the conclusions from it. Pure: it asks no
 * replica, and knows no time. Used by one turn at a time.
 * <p>
 * An answer without its value counts once a whole one is known that is the same entry or
 * a newer one: then nothing is missing. Before, it is as good as none.
 * <p>
 * While a change of the layout is under way, as many replicas as required must answer
 * among those of before and among those of after it, and hold the entry: a read by the
 * one side alone, or by the other, finds it then.
 */
final class ReadTally {

	private final ReplicaPlan plan;

	private final List<QuorumSide> sides;

	/* In the order of the plan. */
	private final Contact[] contacts;

	ReadTally(ReplicaPlan plan, Contact... contacts) {
		this.plan = plan;
		this.sides = plan.sides();
		this.contacts = contacts;
	}

	private int count(Predicate<Contact> which, int first) {
		int count = 0;
		for (int i = 0; i < first; i++) {
			count += which.test(this.contacts[i]) ? 1 : 0;
		}
		return count;
	}

	private int count(Predicate<Contact> which) {
		return count(which, this.contacts.length);
	}

	private int count(QuorumSide side, Predicate<Contact> which, int first) {
		return side.count(first, (replica) -> which.test(this.contacts[replica]));
	}

	private int count(QuorumSide side, Predicate<Contact> which) {
		return count(side, which, side.from());
	}

	private boolean isOnEachSide(Predicate<Contact> which) {
		for (QuorumSide side : this.sides) {
			if (count(side, which) < side.ack()) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Whether as many replicas as required have answered: then the newest entry is known.
	 */
	boolean isAnswered() {
		Entry resolved = resolved();
		return isOnEachSide((contact) -> isAnswer(contact, resolved));
	}

	/** Whether the reply of a replica counts as an answer. */
	boolean isAnswer(Contact contact) {
		return isAnswer(contact, resolved());
	}

	private static boolean isAnswer(Contact contact, @Nullable Entry resolved) {
		Summary summary = contact.summary;
		return switch (contact.state) {
			case ANSWERED -> true;
			case SUMMARIZED -> resolved != null && summary != null && Summary.of(resolved).isAtLeast(summary);
			case UNASKED, SILENT, FAILED -> false;
		};
	}

	/** Whether so many replicas have failed that too few are left. */
	boolean isLost() {
		for (QuorumSide side : this.sides) {
			if (count(side, (contact) -> contact.state == State.FAILED) > side.spare()) {
				return true;
			}
		}
		return false;
	}

	/** Whether all replicas that failed did so because of overload. */
	boolean isOverloadAlone() {
		return count(Contact::isOverloaded) == count((contact) -> contact.state == State.FAILED);
	}

	/** Whether as many answers as required are there or expected. */
	boolean isPromising() {
		Entry resolved = resolved();
		return isOnEachSide((contact) -> isPromising(contact, resolved));
	}

	private static boolean isPromising(Contact contact, @Nullable Entry resolved) {
		return isAnswer(contact, resolved) || contact.isPromising();
	}

	/**
	 * The best replica that was not asked yet and whose answer is required: too few of
	 * its side are there or expected. {@code null} if there is none.
	 */
	@Nullable Contact required(Contact... bestFirst) {
		Entry resolved = resolved();
		for (Contact contact : bestFirst) {
			if (contact.state == State.UNASKED && isRequired(contact, resolved)) {
				return contact;
			}
		}
		return null;
	}

	private boolean isRequired(Contact unasked, @Nullable Entry resolved) {
		for (QuorumSide side : this.sides) {
			if (side.asks(unasked.place) && count(side, (contact) -> isPromising(contact, resolved)) < side.ack()) {
				return true;
			}
		}
		return false;
	}

	/** The best replicas that were not asked yet, one for each side. */
	List<Contact> spare(Contact... bestFirst) {
		List<Contact> spare = new ArrayList<>(this.sides.size());
		for (QuorumSide side : this.sides) {
			if (spare.stream().noneMatch((contact) -> side.asks(contact.place))) {
				Arrays.stream(bestFirst)
					.filter((contact) -> contact.state == State.UNASKED && side.asks(contact.place))
					.findFirst()
					.ifPresent(spare::add);
			}
		}
		return spare;
	}

	/**
	 * The replica to ask for the value that it left out, or {@code null}. It is asked if
	 * no replica is going to bring the value unasked, and if with it there may be answers
	 * enough. Of several the one with the newest entry is asked, which makes the answers
	 * of the rest count, too.
	 */
	@Nullable Contact unfetched() {
		if (isAnswered() || !isPromising() || count(Contact::isBringing) > 0) {
			return null;
		}
		Entry resolved = resolved();
		Contact newest = null;
		for (Contact contact : this.contacts) {
			Summary summary = contact.summary;
			if (contact.isFetchable() && summary != null && !isAnswer(contact, resolved)
					&& (newest == null || newest.summary == null || !newest.summary.isAtLeast(summary))) {
				newest = contact;
			}
		}
		return newest;
	}

	/** The merge of all whole answers, or {@code null} when none of them has an entry. */
	@Nullable Entry resolved() {
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
	 * The entry, as the object of another replica's equal answer, if there is one: equal
	 * values are kept once.
	 */
	Entry shared(Entry entry) {
		for (Contact contact : this.contacts) {
			if (contact.held != null && contact.held.equals(entry)) {
				return contact.held;
			}
		}
		return entry;
	}

	/** Bytes of the values that are kept. */
	long valueBytes() {
		long bytes = 0;
		for (int i = 0; i < this.contacts.length; i++) {
			Entry held = this.contacts[i].held;
			bytes += (held != null && isFirstWith(held, i)) ? valueBytes(held) : 0;
		}
		return bytes;
	}

	private boolean isFirstWith(Entry held, int place) {
		return count((contact) -> held.equals(contact.held), place) == 0;
	}

	static int valueBytes(Entry entry) {
		return (entry instanceof Entry.Live live) ? live.value().size() : 0;
	}

	/** Whether an entry was written to a replica. */
	boolean isFor(Contact contact, Entry entry) {
		return this.plan.isFor(contact.place, entry);
	}

	/**
	 * Whether so many of the replicas that an entry was written to hold it, or a newer
	 * one, that every later read finds it; and for a read of a majority, whether so many
	 * have held this very entry that its write gets no new timestamp any more.
	 */
	boolean isHeld(Entry entry) {
		return isHeld(entry, (_) -> false);
	}

	/** Whether {@link #isHeld(Entry)} is expected to become {@code true}. */
	boolean isHopeful(Entry entry) {
		return isHeld(entry, Contact::isExpected);
	}

	private boolean isHeld(Entry entry, Predicate<Contact> orElse) {
		for (QuorumSide side : this.sides) {
			int copies = this.plan.copies(entry, side);
			int majority = side.isOrdered() ? side.majority() : 0;
			if (count(side, (contact) -> contact.holds(entry) || orElse.test(contact), copies) < Math.min(side.ack(),
					copies)
					|| count(side, (contact) -> contact.hasHeld(entry) || orElse.test(contact), copies) < Math
						.min(majority, copies)) {
				return false;
			}
		}
		return true;
	}

	/** A replica that refused a repair because of something newer, or {@code null}. */
	@Nullable Contact beyond() {
		for (Contact contact : this.contacts) {
			if (contact.state == State.ANSWERED && contact.isBeyond) {
				return contact;
			}
		}
		return null;
	}

	/** Whether a replica that an entry was written to has yet to reply. */
	boolean isAwaiting(Entry entry) {
		return count((contact) -> (contact.isRepairing || contact.state == State.SILENT) && isFor(contact, entry)) > 0;
	}

	/** Whether a replica lacks an entry that was written to it. */
	boolean isStale(Contact contact, Entry entry) {
		return isFor(contact, entry) && contact.lacks(entry);
	}

	/**
	 * The replicas that were found without an entry, and have not been sent it yet. A
	 * deletion goes to every replica that may hold an older entry.
	 */
	List<Replica> unrepaired(Entry entry) {
		List<Replica> unrepaired = new ArrayList<>();
		for (Contact contact : this.contacts) {
			boolean isUnknown = entry.isTombstone() && !contact.hasSaid();
			if ((isStale(contact, entry) || isUnknown) && !contact.wasSent(entry)) {
				unrepaired.add(contact.replica);
			}
		}
		return unrepaired;
	}

	/** The failure of a read with this outcome. */
	QuorumNotReachedException notReached() {
		QuorumSide weakest = weakest();
		return QuorumNotReachedException.of(this.plan, weakest, acks(weakest), false, said());
	}

	/* The one that lacks the most acks. */
	private QuorumSide weakest() {
		QuorumSide weakest = this.sides.getFirst();
		for (QuorumSide side : this.sides) {
			weakest = (acks(side) - side.ack() < acks(weakest) - weakest.ack()) ? side : weakest;
		}
		return weakest;
	}

	/* The replicas that have answered with the newest entry known. */
	private int acks(QuorumSide side) {
		Entry resolved = resolved();
		return count(side, (contact) -> isAnswer(contact, resolved) && (resolved == null || contact.holds(resolved)));
	}

	/** The answer of each replica, {@code stale} if another one's is newer. */
	List<Said> said() {
		Entry resolved = resolved();
		List<Said> said = new ArrayList<>();
		for (Contact contact : this.contacts) {
			said.add(new Said(contact.replica.nodeId(), said(contact, resolved)));
		}
		return said;
	}

	private static String said(Contact contact, @Nullable Entry resolved) {
		if (resolved != null && contact.lacks(resolved)) {
			return "stale";
		}
		return isAnswer(contact, resolved) ? "ack" : contact.said();
	}

}
