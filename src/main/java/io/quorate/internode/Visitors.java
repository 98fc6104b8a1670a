package io.quorate.internode;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The connections to this node's port that have not greeted yet: bounded in all, and of
 * each address, so that nobody takes the places of all others. Safe for any number of
 * threads.
 */
final class Visitors {

	/** Most of them. */
	static final int MAX = 64;

	private final int maxOfAddress;

	private final Map<String, Integer> byAddress = new HashMap<>();

	private int all;

	/**
	 * None yet.
	 * @param maxOfAddress most of one address
	 */
	Visitors(int maxOfAddress) {
		this.maxOfAddress = maxOfAddress;
	}

	/**
	 * One more.
	 * @return why there is no place for it, or {@code null}
	 */
	synchronized @Nullable String enter(String address) {
		int others = this.byAddress.getOrDefault(address, 0);
		if (others == this.maxOfAddress) {
			return "%d connections of its address have not greeted yet".formatted(others);
		}
		if (this.all == MAX) {
			return "%d connections have not greeted yet".formatted(MAX);
		}
		this.all++;
		this.byAddress.put(address, others + 1);
		return null;
	}

	/** One that has entered less. */
	synchronized void leave(String address) {
		this.all--;
		this.byAddress.computeIfPresent(address, (_, its) -> (its > 1) ? its - 1 : null);
	}

	synchronized int count() {
		return this.all;
	}

}
