package io.quorate.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The operations of concurrent clients on one key, each with the instants at which it
 * began and ended. Values are numbers, each written once at most; 0 is absence, and may
 * be written any number of times. Safe for any number of threads.
 */
public final class RegisterHistory {

	/** The value of a key that holds none. */
	public static final int ABSENT = 0;

	/** Expected by a write that replaces whatever there is. */
	public static final int ANYTHING = -1;

	private final List<Operation> operations = new ArrayList<>();

	/** A read that was answered. */
	public synchronized void read(int value, long began, long ended) {
		this.operations.add(new Operation(Kind.READ, ANYTHING, value, began, ended));
	}

	/** A write that was acknowledged; of {@link #ABSENT} it is a deletion. */
	public synchronized void written(int value, long began, long ended) {
		this.operations.add(new Operation(Kind.WRITE, ANYTHING, value, began, ended));
	}

	/** A write of which nobody knows whether it has happened, or is going to. */
	public synchronized void unknown(int value, long began) {
		this.operations.add(new Operation(Kind.UNKNOWN, ANYTHING, value, began, Long.MAX_VALUE));
	}

	/** A read that was answered, and that settles. */
	public synchronized void readSettled(int value, long began, long ended) {
		this.operations.add(new Operation(Kind.SETTLED_READ, ANYTHING, value, began, ended));
	}

	/**
	 * A write that was acknowledged, and that settles.
	 * @param expected value that it had to replace, {@link #ANYTHING} for any
	 */
	public synchronized void replaced(int expected, int value, long began, long ended) {
		this.operations.add(new Operation(Kind.SETTLED_WRITE, expected, value, began, ended));
	}

	/**
	 * As {@link #replaced}, and nobody knows whether it has happened. What an operation
	 * that settles, and that begins after its deadline, does not show of it never
	 * happens.
	 */
	public synchronized void unknownReplaced(int expected, int value, long began, long deadline) {
		this.operations.add(new Operation(Kind.UNKNOWN, expected, value, began, deadline));
	}

	/** Number of operations. */
	public synchronized int size() {
		return this.operations.size();
	}

	/** Number of writes of unknown outcome. */
	public synchronized long unknowns() {
		return this.operations.stream().filter(Operation::isUnknown).count();
	}

	/**
	 * Whether there is an order of all operations in which each takes effect at one
	 * instant between its beginning and its end, and reads what was written last. Writes
	 * of unknown outcome take effect at any instant after their beginning, or not at all.
	 * Those with a deadline do so before each operation that settles and has begun after
	 * that deadline.
	 * @param mostStates how many states are looked at before the check gives up
	 */
	public synchronized Verdict linearizable(int mostStates) {
		return new LinearizabilityCheck(relevant(), mostStates).run();
	}

	/**
	 * Of unknown outcome and never read: whatever can be explained with it can be without
	 * it.
	 */
	private List<Operation> relevant() {
		Set<Integer> read = new HashSet<>();
		this.operations.forEach((each) -> read.add(each.isWrite() ? each.expected() : each.value()));
		return this.operations.stream()
			.filter((each) -> !each.isUnknown() || read.contains(each.value()))
			.sorted(Comparator.comparingLong(Operation::began))
			.toList();
	}

	/**
	 * Values that were read, then certainly not there any more, and read again: for each
	 * a sentence. A value is written once, so no order explains that.
	 */
	public synchronized List<String> readsThatGoBack() {
		Map<Integer, Operation> firstToEnd = new HashMap<>();
		Map<Integer, Operation> lastToBegin = new HashMap<>();
		List<Operation> reads = this.operations.stream().filter((each) -> !each.isWrite()).toList();
		for (Operation read : reads) {
			firstToEnd.merge(read.value(), read, (one, other) -> (one.ended() <= other.ended()) ? one : other);
			lastToBegin.merge(read.value(), read, (one, other) -> (one.began() >= other.began()) ? one : other);
		}
		List<String> found = new ArrayList<>();
		firstToEnd.forEach((value, first) -> {
			Operation last = lastToBegin.get(value);
			reads.stream()
				.filter((between) -> value != ABSENT && between.value() != value && last != null
						&& first.ended() < between.began() && between.ended() < last.began())
				.findFirst()
				.ifPresent((between) -> found.add("%s, then %s, then %s".formatted(first, between, last)));
		});
		return found;
	}

	/** In the order of their beginnings, a line each. */
	@Override
	public synchronized String toString() {
		StringBuilder lines = new StringBuilder();
		this.operations.stream()
			.sorted(Comparator.comparingLong(Operation::began))
			.forEach((each) -> lines.append(each).append('\n'));
		return lines.toString();
	}

	/** The results of a check. */
	public enum Verdict {

		/** There is such an order. */
		LINEARIZABLE,

		/** There is none. */
		VIOLATED,

		/** The check has given up. */
		UNDECIDED

	}

	/** The kind of an operation, by what is known of it. */
	enum Kind {

		READ, SETTLED_READ, WRITE, SETTLED_WRITE, UNKNOWN

	}

	/**
	 * One operation; a write may expect a value that it replaces.
	 *
	 * @param ended its end, or the deadline of one that is unknown
	 */
	record Operation(Kind kind, int expected, int value, long began, long ended) {

		boolean isWrite() {
			return this.kind != Kind.READ && this.kind != Kind.SETTLED_READ;
		}

		boolean isSettling() {
			return this.kind == Kind.SETTLED_READ || this.kind == Kind.SETTLED_WRITE;
		}

		boolean isPossibleOn(int present) {
			int wanted = isWrite() ? this.expected : this.value;
			return wanted == ANYTHING || wanted == present;
		}

		boolean isUnknown() {
			return this.kind == Kind.UNKNOWN;
		}

		@Override
		public String toString() {
			String what = isWrite() ? "write" : "read";
			String end = (this.ended == Long.MAX_VALUE) ? "" : String.valueOf(this.ended);
			String until = isUnknown() ? end + "?" : end;
			String on = (this.expected == ANYTHING) ? "" : " on " + word(this.expected);
			return "%s of %s%s [%d, %s]".formatted(what, word(this.value), on, this.began, until);
		}

		private static String word(int value) {
			return (value == ABSENT) ? "nothing" : String.valueOf(value);
		}

	}

}
