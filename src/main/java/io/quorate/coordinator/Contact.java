package io.quorate.coordinator;

import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * A replica as one read sees it: whether the read has asked it, and which entry it is
 * known to hold.
 */
final class Contact {

	/**
	 * The failure of a replica that took a repair, but may have lost a newer entry: its
	 * ack says nothing about the entry that it held before.
	 */
	static final Failure HAS_PROMISED = new Failure(Reason.FAILED, "a promise refuses the repair");

	static final Failure MAY_HAVE_LOST_NEWER = new Failure(Reason.REBUILDING,
			"the replica holds the repair, and may have lost something newer");

	final Replica replica;

	/** Position of the replica in the plan of the read. */
	final int place;

	/** Whether an answer of the replica counts on each side of the quorum. */
	final boolean isOfAllSides;

	/** Rank of the replica: a read asks the lowest rank first. */
	final long rank;

	State state = State.UNASKED;

	/**
	 * Entry that the replica holds durably unless it holds a newer one, while
	 * {@link State#ANSWERED}; {@code null} for none.
	 */
	@Nullable Entry held;

	/**
	 * Summary of the entry that the replica holds unless it holds a newer one, while
	 * {@link State#SUMMARIZED}.
	 */
	@Nullable Summary summary;

	/**
	 * Reason for {@link State#FAILED}; {@code null} when the replica's answer is not
	 * believed.
	 */
	@Nullable Failure failure;

	/** Whether the replica was asked for the value too, whatever its size. */
	boolean isAskedWhole;

	/**
	 * Whether the replica is silent, and suspect or the deadline is near, so that another
	 * one is asked in its place.
	 */
	boolean isMovedOn;

	/**
	 * Whether the replica refused {@link #held} because of something newer, so that it
	 * may never have held that entry.
	 */
	boolean isBeyond;

	boolean isRepairing;

	/** Last entry that the replica was sent as a repair. */
	@Nullable Entry sent;

	Disposable reading = Disposables.disposed();

	Contact(Replica replica, int place, boolean isOfAllSides, long rank) {
		this.replica = replica;
		this.place = place;
		this.isOfAllSides = isOfAllSides;
		this.rank = rank;
	}

	void knows(@Nullable Entry entry) {
		this.state = State.ANSWERED;
		this.held = entry;
		this.isBeyond = false;
	}

	/** Notes that the replica holds something newer than an entry. */
	void isBeyond(Entry entry) {
		knows(entry);
		this.isBeyond = true;
	}

	/**
	 * Notes that the replica shows no entry, as every replica does that holds none or one
	 * that it may purge. If the replica refused a repair with a deletion before, because
	 * of something newer, it holds the second kind: no replica that has agreed to the
	 * purge can bring back an older entry.
	 */
	void showsNothing(long nowMillis) {
		Entry taken = this.isBeyond ? this.held : null;
		knows((taken != null && taken.isAbsentAt(nowMillis)) ? taken : null);
	}

	void knows(Summary said) {
		this.state = State.SUMMARIZED;
		this.summary = said;
		this.isMovedOn = false;
	}

	void failed(@Nullable Failure why) {
		this.state = State.FAILED;
		this.failure = why;
	}

	/**
	 * Notes that the replica is not known to hold a repair as its newest entry; an answer
	 * that it gave before stays.
	 */
	void notRepaired(Failure why) {
		if (this.state == State.SILENT) {
			failed(why);
		}
	}

	/** Whether the replica is asked only if no other one is left. */
	boolean isLast() {
		return this.rank == Long.MAX_VALUE;
	}

	/** Whether the replica has answered, with or without the value. */
	boolean hasSaid() {
		return this.state == State.ANSWERED || this.state == State.SUMMARIZED;
	}

	/** Whether the replica is known to hold an entry or a newer one. */
	boolean holds(Entry entry) {
		if (this.state == State.SUMMARIZED) {
			return this.summary != null && this.summary.isAtLeast(Summary.of(entry));
		}
		return this.state == State.ANSWERED && this.held != null && Entry.merge(this.held, entry).equals(this.held);
	}

	/** Whether the replica is known to have held an entry as its newest at some time. */
	boolean hasHeld(Entry entry) {
		if (this.state == State.SUMMARIZED) {
			return Summary.of(entry).equals(this.summary);
		}
		return this.state == State.ANSWERED && !this.isBeyond && entry.equals(this.held);
	}

	/** Whether the replica is known to lack an entry. */
	boolean lacks(Entry entry) {
		return hasSaid() && !holds(entry);
	}

	/** Whether the replica was sent this entry last. */
	boolean wasSent(Entry entry) {
		return entry.equals(this.sent);
	}

	/** Whether the replica failed only because one of its bounds was reached. */
	boolean isOverloaded() {
		return this.state == State.FAILED && this.failure != null && this.failure.reason() == Reason.OVERLOADED;
	}

	/** Whether the replica has yet to answer a read. */
	boolean isAwaited() {
		return this.state == State.SILENT || isFetched();
	}

	/** Whether the replica was asked once more, for the value that it left out. */
	private boolean isFetched() {
		return this.state == State.SUMMARIZED && this.isAskedWhole;
	}

	/** Whether the replica can be asked once more. */
	boolean isFetchable() {
		return this.state == State.SUMMARIZED && !this.isAskedWhole;
	}

	/** Whether the replica's value, whatever its size, is expected soon. */
	boolean isBringing() {
		return isAwaited() && this.isAskedWhole && !this.isMovedOn;
	}

	/** Whether the replica's answer is expected to count soon. */
	boolean isPromising() {
		return (this.state == State.SILENT || this.state == State.SUMMARIZED) && !this.isMovedOn;
	}

	/** Whether the replica is expected to reply soon to a read or a repair. */
	boolean isExpected() {
		return (this.state == State.SILENT || this.isRepairing) && !this.isMovedOn;
	}

	String said() {
		return switch (this.state) {
			case UNASKED -> "unasked";
			case SILENT, SUMMARIZED -> "silent";
			case ANSWERED -> "ack";
			case FAILED -> (this.failure != null) ? this.failure.reason().word() : "clock-skew";
		};
	}

	enum State {

		/** The replica was not asked. */
		UNASKED,

		/** The replica has not replied yet. */
		SILENT,

		/** The replica has answered, and left out the value. */
		SUMMARIZED,

		/** The entry that the replica holds is known. */
		ANSWERED,

		/** The replica has given no answer that counts, and is not going to. */
		FAILED

	}

}
