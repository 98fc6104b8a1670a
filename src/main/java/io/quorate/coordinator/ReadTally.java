package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.quorate.coordinator.Contact.State;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;

/**
 * What a read knows of the replicas of its key, and what follows from it. Pure: it asks
 * nobody, and knows no time. Used by one turn at a time.
 * <p>
 * An answer without its value counts once a whole one is known that is the same entry or
 * a newer one: then nothing is missing. Before, it is as good as none.
 */
final class ReadTally {

	private final int ack;

	/* In the order of the preference list. */
	private final Contact[] contacts;

	ReadTally(int ack, Contact... contacts) {
		this.ack = ack;
		this.contacts = contacts;
	}

	int ack() {
		return this.ack;
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

	/** Whether as many replicas as must have answered: then the newest entry is known. */
	boolean isAnswered() {
		Entry resolved = resolved();
		return count((contact) -> isAnswer(contact, resolved)) >= this.ack;
	}

	/** Whether what a replica has said counts as an answer. */
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

	/** Whether so many replicas have failed that the others are too few. */
	boolean isLost() {
		return count((contact) -> contact.state == State.FAILED) > this.contacts.length - this.ack;
	}

	/** Whether nothing but overload has made replicas fail. */
	boolean isOverloadAlone() {
		return count(Contact::isOverloaded) == count((contact) -> contact.state == State.FAILED);
	}

	/** Whether as many answers as must be there are there or to be expected. */
	boolean isPromising() {
		Entry resolved = resolved();
		return count((contact) -> isAnswer(contact, resolved) || contact.isPromising()) >= this.ack;
	}

	/**
	 * Who is to be asked for the value that it has left out: nobody is going to bring it
	 * unasked, and with it there may be answers enough. Of several the one with the
	 * newest, which makes the others' count, too.
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

	/**
	 * The merge of all whole answers, or {@code null} when there is nothing in any of
	 * them.
	 */
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
	 * The entry, as the object that another replica's equal answer is: equal values are
	 * kept once.
	 */
	Entry shared(Entry entry) {
		for (Contact contact : this.contacts) {
			if (contact.held != null && contact.held.equals(entry)) {
				return contact.held;
			}
		}
		return entry;
	}

	/** Bytes of values that are kept. */
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

	/**
	 * How many of the first replicas an entry was written to, as far as this read knows
	 * them: all, for a deletion.
	 */
	private int copies(Entry entry) {
		return entry.isTombstone() ? this.contacts.length : Math.min(entry.from(), this.contacts.length);
	}

	/** Whether an entry was written to a replica. */
	boolean isFor(Contact contact, Entry entry) {
		return contact.place < copies(entry);
	}

	/**
	 * Whether so many of the replicas that an entry was written to hold it, or a newer
	 * one, that every later read finds it; and for a read of a majority, whether so many
	 * have held this very entry that its write is not stamped anew any more.
	 */
	boolean isHeld(Entry entry) {
		return isHeld(entry, (_) -> false);
	}

	/** Whether that is going to be so, as far as one can tell. */
	boolean isHopeful(Entry entry) {
		return isHeld(entry, Contact::isExpected);
	}

	private boolean isHeld(Entry entry, Predicate<Contact> orElse) {
		int copies = copies(entry);
		return count((contact) -> contact.holds(entry) || orElse.test(contact), copies) >= Math.min(this.ack, copies)
				&& count((contact) -> contact.hasHeld(entry) || orElse.test(contact), copies) >= Math
					.min(majorityIfAsked(), copies);
	}

	/** A majority of the replicas, or 0 when fewer are asked. */
	private int majorityIfAsked() {
		int majority = this.contacts.length / 2 + 1;
		return (this.ack >= majority) ? majority : 0;
	}

	/** A replica that refused a repair for something newer, or {@code null}. */
	@Nullable Contact beyond() {
		for (Contact contact : this.contacts) {
			if (contact.state == State.ANSWERED && contact.isBeyond) {
				return contact;
			}
		}
		return null;
	}

	/** Whether anything is still going to be heard about who holds an entry. */
	boolean isAwaiting(Entry entry) {
		return count((contact) -> contact.isRepairing || contact.state == State.SILENT, copies(entry)) > 0;
	}

	/** Whether a replica lacks an entry that was written to it. */
	boolean isStale(Contact contact, Entry entry) {
		return isFor(contact, entry) && contact.lacks(entry);
	}

	/**
	 * Who has not been sent an entry yet that was found stale somewhere. A deletion goes
	 * to every replica that may hold anything older.
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

	/** Who has answered, with the newest that is known. */
	int acks() {
		Entry resolved = resolved();
		return count((contact) -> isAnswer(contact, resolved) && (resolved == null || contact.holds(resolved)));
	}

	/** What each replica said, {@code stale} if that is less than another one said. */
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
