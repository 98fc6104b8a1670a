package io.quorate.history;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.quorate.history.RegisterHistory.Operation;
import io.quorate.history.RegisterHistory.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * The search for an order that explains a history: Wing and Gong's, with Lowe's memory of
 * what was tried. An operation can come next when nothing that is left has ended before
 * it began; one that is unknown only while none was put that settles, and began after its
 * deadline; two ways to the same set of operations with the same value lead on alike.
 */
final class LinearizabilityCheck {

	private final int mostStates;

	/* Before the first event. */
	private final Event head = new Event(-1, null, false);

	private final int count;

	/* Operations with an end that are not done. */
	private int remaining;

	private final Set<State> seen = new HashSet<>();

	LinearizabilityCheck(List<Operation> operations, int mostStates) {
		this.mostStates = mostStates;
		this.count = operations.size();
		Event[] events = new Event[2 * this.count];
		for (int i = 0; i < this.count; i++) {
			Operation operation = operations.get(i);
			Event end = new Event(i, operation, true);
			events[2 * i] = new Event(i, operation, false);
			events[2 * i].end = end;
			events[2 * i + 1] = end;
			this.remaining += operation.isUnknown() ? 0 : 1;
		}
		/* At one instant beginnings come first: the two operations overlap. */
		Arrays.sort(events, Comparator.comparingLong(Event::instant).thenComparing((event) -> event.isEnd));
		Event last = this.head;
		for (Event event : events) {
			// What may never happen has no end by which it must have happened.
			if (!event.isEnd || !event.isUnknown()) {
				event.insertAfter(last);
				last = event;
			}
		}
	}

	Verdict run() {
		long[] done = new long[(this.count + 63) / 64];
		Deque<Step> steps = new ArrayDeque<>();
		int value = RegisterHistory.ABSENT;
		long settled = Long.MIN_VALUE;
		Event at = this.head.next;
		while (this.remaining > 0) {
			Operation operation = (at != null) ? at.operation : null;
			if (at != null && !at.isEnd && operation != null) {
				if (operation.isPossibleOn(value) && settled <= operation.ended()
						&& isNew(done, at.number, operation.value())) {
					if (this.seen.size() > this.mostStates) {
						return Verdict.UNDECIDED;
					}
					steps.push(new Step(at, value, settled));
					value = operation.value();
					settled = operation.isSettling() ? Math.max(settled, operation.began()) : settled;
					done[at.number / 64] |= 1L << at.number;
					this.remaining -= operation.isUnknown() ? 0 : 1;
					at.takeOut();
					at = this.head.next;
				}
				else {
					at = at.next;
				}
			}
			else {
				if (steps.isEmpty()) {
					return Verdict.VIOLATED;
				}
				Step undone = steps.pop();
				value = undone.valueBefore;
				settled = undone.settledBefore;
				done[undone.event.number / 64] &= ~(1L << undone.event.number);
				this.remaining += undone.event.isUnknown() ? 0 : 1;
				undone.event.putBack();
				at = undone.event.next;
			}
		}
		return Verdict.LINEARIZABLE;
	}

	private boolean isNew(long[] done, int next, int value) {
		long[] with = done.clone();
		with[next / 64] |= 1L << next;
		return this.seen.add(new State(with, value));
	}

	/**
	 * An operation that was put next, and what was there before it.
	 *
	 * @param settledBefore the latest beginning of those before it that settle
	 */
	private record Step(Event event, int valueBefore, long settledBefore) {
	}

	/** A set of operations, as the bits of their numbers, and the value after them. */
	private static final class State {

		private final long[] done;

		private final int value;

		private State(long[] done, int value) {
			this.done = done;
			this.value = value;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof State state && this.value == state.value && Arrays.equals(this.done, state.done);
		}

		@Override
		public int hashCode() {
			return 31 * Arrays.hashCode(this.done) + this.value;
		}

	}

	/** The beginning or the end of an operation, in a list by time. */
	private static final class Event {

		private final int number;

		private final @Nullable Operation operation;

		private final boolean isEnd;

		private @Nullable Event end;

		private @Nullable Event before;

		private @Nullable Event next;

		private Event(int number, @Nullable Operation operation, boolean isEnd) {
			this.number = number;
			this.operation = operation;
			this.isEnd = isEnd;
		}

		private boolean isUnknown() {
			return this.operation != null && this.operation.isUnknown();
		}

		private long instant() {
			if (this.operation == null) {
				return Long.MIN_VALUE;
			}
			return this.isEnd ? this.operation.ended() : this.operation.began();
		}

		private void insertAfter(Event other) {
			this.before = other;
			this.next = other.next;
			link();
		}

		/* What was taken out last is put back first: its neighbours are the same. */
		private void link() {
			if (this.before != null) {
				this.before.next = this;
			}
			if (this.next != null) {
				this.next.before = this;
			}
		}

		private void unlink() {
			if (this.before != null) {
				this.before.next = this.next;
			}
			if (this.next != null) {
				this.next.before = this.before;
			}
		}

		private void takeOut() {
			unlink();
			if (this.end != null && !isUnknown()) {
				this.end.unlink();
			}
		}

		private void putBack() {
			if (this.end != null && !isUnknown()) {
				this.end.link();
			}
			link();
		}

	}

}
