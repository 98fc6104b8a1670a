package io.quorate.internode.frame;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The connections to this node's port that have completed no handshake yet: bounded in
 * all, and for each address, so that no address takes all places. Safe for any number of
 * threads.
 */
public final class PendingConnections {

	/** Most of them in all. */
	public static final int MAX = 64;

	private final int maxOfAddress;

	private final Map<String, Integer> byAddress = new HashMap<>();

	private int all;

	/**
	 * No connections yet.
	 * @param maxOfAddress most of one address
	 */
	public PendingConnections(int maxOfAddress) {
		this.maxOfAddress = maxOfAddress;
	}

	/**
	 * Adds a connection.
	 * @return reason why there is no place for it, or {@code null}
	 */
	synchronized @Nullable String enter(String address) {
		int others = this.byAddress.getOrDefault(address, 0);
		if (others == this.maxOfAddress) {
			return "%d connections of its address have completed no handshake yet".formatted(others);
		}
		if (this.all == MAX) {
			return "%d connections have completed no handshake yet".formatted(MAX);
		}
		this.all++;
		this.byAddress.put(address, others + 1);
		return null;
	}

	/** Removes a connection that was added. */
	synchronized void leave(String address) {
		this.all--;
		this.byAddress.computeIfPresent(address, (_, its) -> (its > 1) ? its - 1 : null);
	}

	synchronized int count() {
		return this.all;
	}

}
