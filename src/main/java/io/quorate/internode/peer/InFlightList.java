package io.quorate.internode.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The requests without an outcome, linked to each other through themselves: to add or
 * remove one costs nothing. A request is a member of one such list in its life.
 */
final class InFlightList {

	private @Nullable InFlightRequest first;

	private int size;

	boolean isEmpty() {
		return this.first == null;
	}

	int size() {
		return this.size;
	}

	void add(InFlightRequest inFlightRequest) {
		InFlightRequest second = this.first;
		inFlightRequest.next = second;
		if (second != null) {
			second.previous = inFlightRequest;
		}
		this.first = inFlightRequest;
		inFlightRequest.member = true;
		this.size++;
	}

	/** Removes a request, and returns whether it was a member. */
	boolean remove(InFlightRequest inFlightRequest) {
		if (!inFlightRequest.member) {
			return false;
		}
		inFlightRequest.member = false;
		this.size--;
		InFlightRequest before = inFlightRequest.previous;
		InFlightRequest after = inFlightRequest.next;
		if (before != null) {
			before.next = after;
		}
		else {
			this.first = after;
		}
		if (after != null) {
			after.previous = before;
		}
		inFlightRequest.previous = null;
		inFlightRequest.next = null;
		return true;
	}

	/** The requests that meet a condition, as they are now. */
	List<InFlightRequest> which(Predicate<InFlightRequest> condition) {
		List<InFlightRequest> found = List.of();
		for (InFlightRequest each = this.first; each != null; each = each.next) {
			if (condition.test(each)) {
				found = found.isEmpty() ? new ArrayList<>() : found;
				found.add(each);
			}
		}
		return found;
	}

}
