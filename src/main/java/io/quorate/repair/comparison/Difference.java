package io.quorate.repair.comparison;

import java.util.ArrayList;
import java.util.List;

import io.quorate.entry.Versioned;
import io.quorate.storage.HeaderPage.Header;

/**
 * The headers of the entries of a range of keys that two nodes have to send each other.
 * If one node holds a newer entry that the other must not hold, or that was written after
 * the instant of the round, nothing is sent: the older entry beside it is no difference.
 *
 * @param missing entries that the other node holds and this one must get, in order
 * @param owed entries that this node holds and the other one must get, in order
 */
record Difference(List<Header> missing, List<Header> owed) {

	Difference {
		missing = List.copyOf(missing);
		owed = List.copyOf(owed);
	}

	/**
	 * Compares two lists.
	 * @param ours headers of this node in the range, in order
	 * @param theirs headers of the other node in it, in order
	 */
	static Difference between(List<Header> ours, List<Header> theirs, Scope scope) {
		List<Header> missing = new ArrayList<>();
		List<Header> owed = new ArrayList<>();
		int our = 0;
		int their = 0;
		while (our < ours.size() || their < theirs.size()) {
			int order = order(ours, our, theirs, their);
			if (isNewer(ours, our, theirs, their, order) && scope.counts(ours.get(our))) {
				owed.add(ours.get(our));
			}
			if (isNewer(theirs, their, ours, our, -order) && scope.counts(theirs.get(their))) {
				missing.add(theirs.get(their));
			}
			our += (order <= 0) ? 1 : 0;
			their += (order >= 0) ? 1 : 0;
		}
		return new Difference(missing, owed);
	}

	/** The order of the next keys of both lists. */
	private static int order(List<Header> left, int l, List<Header> right, int r) {
		if (l == left.size()) {
			return 1;
		}
		return (r == right.size()) ? -1 : Integer.signum(left.get(l).key().compareTo(right.get(r).key()));
	}

	private static boolean isNewer(List<Header> left, int l, List<Header> right, int r, int order) {
		if (order != 0) {
			return order < 0;
		}
		return Versioned.compare(left.get(l), right.get(r), (_, _) -> 0) > 0;
	}

}
