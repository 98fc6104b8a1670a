package io.quorate.internode;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Exchanges without an outcome, linked to each other through themselves: to come and to
 * go costs nothing. An exchange is a member of one such set in its life.
 */
final class Exchanges {

	private @Nullable Exchange first;

	private int size;

	boolean isEmpty() {
		return this.first == null;
	}

	int size() {
		return this.size;
	}

	void add(Exchange exchange) {
		Exchange second = this.first;
		exchange.next = second;
		if (second != null) {
			second.previous = exchange;
		}
		this.first = exchange;
		exchange.member = true;
		this.size++;
	}

	/** Whether it was a member. */
	boolean remove(Exchange exchange) {
		if (!exchange.member) {
			return false;
		}
		exchange.member = false;
		this.size--;
		Exchange before = exchange.previous;
		Exchange after = exchange.next;
		if (before != null) {
			before.next = after;
		}
		else {
			this.first = after;
		}
		if (after != null) {
			after.previous = before;
		}
		exchange.previous = null;
		exchange.next = null;
		return true;
	}

	/** Those of which something is true, as they are now. */
	List<Exchange> which(Predicate<Exchange> condition) {
		List<Exchange> found = List.of();
		for (Exchange each = this.first; each != null; each = each.next) {
			if (condition.test(each)) {
				found = found.isEmpty() ? new ArrayList<>() : found;
				found.add(each);
			}
		}
		return found;
	}

}
