package io.quorate.coordinator;

import io.quorate.entry.Entry;
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

	/** Why, while {@link State#FAILED}; {@code null} when its answer is not believed. */
	@Nullable Failure failure;

	/** Whether it is silent and suspect, so that another one was asked in its place. */
	boolean isMovedOn;

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
	}

	void failed(@Nullable Failure why) {
		this.state = State.FAILED;
		this.failure = why;
	}

	/** Whether it is known to hold an entry or a newer one. */
	boolean holds(Entry entry) {
		return this.state == State.ANSWERED && this.held != null && Entry.merge(this.held, entry).equals(this.held);
	}

	/** Whether it is known to lack an entry. */
	boolean lacks(Entry entry) {
		return this.state == State.ANSWERED && !holds(entry);
	}

	/** Whether it was sent this entry last. */
	boolean wasSent(Entry entry) {
		return entry.equals(this.sent);
	}

	/** Whether it failed only because one of its bounds was reached. */
	boolean isOverloaded() {
		return this.state == State.FAILED && this.failure != null && this.failure.reason() == Reason.OVERLOADED;
	}

	/** Whether an answer is to be expected soon. */
	boolean isPromising() {
		return this.state == State.SILENT && !this.isMovedOn;
	}

	/** Whether it is going to hold an entry, as far as one can tell. */
	boolean isHopefulFor(Entry entry) {
		return holds(entry) || isPromising() || (this.isRepairing && !this.isMovedOn);
	}

	String said() {
		return switch (this.state) {
			case UNASKED -> "unasked";
			case SILENT -> "silent";
			case ANSWERED -> "ack";
			case FAILED -> (this.failure != null) ? this.failure.reason().word() : "clock-skew";
		};
	}

	enum State {

		UNASKED, SILENT, ANSWERED, FAILED

	}

}
