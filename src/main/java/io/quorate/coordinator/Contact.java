package io.quorate.coordinator;

import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * A replica in the eyes of one read: whether it was asked and what it is known to hold.
 */
final class Contact {

	/** The reason why a repair that a replica has taken says nothing of what it held. */
	static final Failure MAY_HAVE_LOST_NEWER = new Failure(Reason.REBUILDING,
			"it holds the repair, and may have lost something newer");

	final Replica replica;

	/** Its place in the preference list of the key. */
	final int place;

	/** Its place among those that are asked: the lowest first. */
	final long rank;

	State state = State.UNASKED;

	/**
	 * What it holds durably, if not something newer, while {@link State#ANSWERED};
	 * {@code null} for nothing.
	 */
	@Nullable Entry held;

	/** What it holds, if not something newer, while {@link State#SUMMARIZED}. */
	@Nullable Summary summary;

	/** Why, while {@link State#FAILED}; {@code null} when its answer is not believed. */
	@Nullable Failure failure;

	/** Whether it was asked for the value, too, whatever its size. */
	boolean isAskedWhole;

	/** Whether it is silent and suspect, so that another one was asked in its place. */
	boolean isMovedOn;

	/**
	 * Whether it refused what it is known to hold for something newer, so that it may
	 * never have held it.
	 */
	boolean isBeyond;

	boolean isRepairing;

	/** The last entry that it was sent as a repair. */
	@Nullable Entry sent;

	Disposable reading = Disposables.disposed();

	Contact(Replica replica, int place, long rank) {
		this.replica = replica;
		this.place = place;
		this.rank = rank;
	}

	void knows(@Nullable Entry entry) {
		this.state = State.ANSWERED;
		this.held = entry;
		this.isBeyond = false;
	}

	/** It holds something newer than an entry. */
	void isBeyond(Entry entry) {
		knows(entry);
		this.isBeyond = true;
	}

	/**
	 * It shows no entry, as all do that hold none or one that they may purge. A deletion
	 * that it took before for a repair, if with nothing newer, is of the latter: no
	 * replica that has agreed to the purge can bring back what is older.
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

	/** It is not known to hold a repair as its newest entry; what it answered stays. */
	void notRepaired(Failure why) {
		if (this.state == State.SILENT) {
			failed(why);
		}
	}

	/** Whether it has said what it holds, be it without the value. */
	boolean hasSaid() {
		return this.state == State.ANSWERED || this.state == State.SUMMARIZED;
	}

	/** Whether it is known to hold an entry or a newer one. */
	boolean holds(Entry entry) {
		if (this.state == State.SUMMARIZED) {
			return this.summary != null && this.summary.isAtLeast(Summary.of(entry));
		}
		return this.state == State.ANSWERED && this.held != null && Entry.merge(this.held, entry).equals(this.held);
	}

	/** Whether it is known to have held an entry as the newest at some time. */
	boolean hasHeld(Entry entry) {
		if (this.state == State.SUMMARIZED) {
			return Summary.of(entry).equals(this.summary);
		}
		return this.state == State.ANSWERED && !this.isBeyond && entry.equals(this.held);
	}

	/** Whether it is known to lack an entry. */
	boolean lacks(Entry entry) {
		return hasSaid() && !holds(entry);
	}

	/** Whether it was sent this entry last. */
	boolean wasSent(Entry entry) {
		return entry.equals(this.sent);
	}

	/** Whether it failed only because one of its bounds was reached. */
	boolean isOverloaded() {
		return this.state == State.FAILED && this.failure != null && this.failure.reason() == Reason.OVERLOADED;
	}

	/** Whether something is going to be heard of what it holds. */
	boolean isAwaited() {
		return this.state == State.SILENT || isFetched();
	}

	/** Whether it was asked once more, for the value that it has left out. */
	private boolean isFetched() {
		return this.state == State.SUMMARIZED && this.isAskedWhole;
	}

	/** Whether it can be asked once more. */
	boolean isFetchable() {
		return this.state == State.SUMMARIZED && !this.isAskedWhole;
	}

	/** Whether its value, whatever the size, is to be expected soon. */
	boolean isBringing() {
		return isAwaited() && this.isAskedWhole && !this.isMovedOn;
	}

	/** Whether it is to be expected soon that it counts as an answer. */
	boolean isPromising() {
		return (this.state == State.SILENT || this.state == State.SUMMARIZED) && !this.isMovedOn;
	}

	/** Whether it is going to say more, as far as one can tell. */
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

		/** Nothing was asked of it. */
		UNASKED,

		/** It has said nothing yet. */
		SILENT,

		/** It has said what it holds, and left out the value. */
		SUMMARIZED,

		/** It is known what it holds. */
		ANSWERED,

		/** It has not said what it holds, and is not going to. */
		FAILED

	}

}
