package io.quorate.internode.frame;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

import io.quorate.security.FailureLimit;
import org.jspecify.annotations.Nullable;

/**
 * The connections to this node's port that have completed no handshake yet: bounded in
 * all, and for each address, so that no address takes all places. An address whose
 * handshakes have failed too often gets none for a moment: each costs a signature. Safe
 * for any number of threads.
 */
public final class PendingConnections {

	/** Most of them in all. */
	public static final int MAX = 64;

	/** Most failed handshakes of one address in a second. */
	public static final int MAX_FAILED = 50;

	private final int maxOfAddress;

	private final LongSupplier nanos;

	private final FailureLimit failed = new FailureLimit(MAX_FAILED);

	private final Map<String, Integer> byAddress = new HashMap<>();

	private int all;

	/**
	 * No connections yet.
	 * @param maxOfAddress most of one address
	 */
	public PendingConnections(int maxOfAddress, LongSupplier nanos) {
		this.maxOfAddress = maxOfAddress;
		this.nanos = nanos;
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
		if (this.failed.isReached(address, this.nanos.getAsLong())) {
			return "%d handshakes of its address have failed within a second".formatted(MAX_FAILED);
		}
		if (this.all == MAX) {
			return "%d connections have completed no handshake yet".formatted(MAX);
		}
		this.all++;
		this.byAddress.put(address, others + 1);
		return null;
	}

	/**
	 * Removes a connection that was added.
	 * @param hasFailed whether it has ended without a handshake
	 */
	synchronized void leave(String address, boolean hasFailed) {
		if (hasFailed) {
			this.failed.take(address, this.nanos.getAsLong());
		}
		this.all--;
		this.byAddress.computeIfPresent(address, (_, its) -> (its > 1) ? its - 1 : null);
	}

	synchronized int count() {
		return this.all;
	}

}
