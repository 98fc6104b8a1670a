package io.quorate.internode.server;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.internode.InternodeProperties;
import io.quorate.internode.wire.Budget;

/**
 * The quotas of all connected peers, and the bounds over all of them: a part of the heap
 * for writes, which wait for the disk, and one for replies, which wait for the network. A
 * peer that connects anew finds its quota as it has left it: its earlier requests may
 * still be in work.
 */
final class PeerQuotas {

	/**
	 * Most connections of a peer. It has one for each of its event loops, and those that
	 * were cut off stay for a while.
	 */
	static final int MAX_CONNECTIONS = Math.max(256, 4 * (Runtime.getRuntime().availableProcessors() + 1));

	private static final int PART_OF_HEAP = 8;

	private final InternodeProperties properties;

	private final int maxMessageBytes;

	private final Budget writeBytes;

	private final Budget replyBytes;

	private final Map<String, Holding> holdings = new ConcurrentHashMap<>();

	PeerQuotas(InternodeProperties properties, int maxMessageBytes) {
		this(properties, maxMessageBytes, Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
	}

	/**
	 * The quotas of no peer yet.
	 * @param maxMessageBytes size of the largest message
	 * @param maxBytes bytes of writes, and of replies, that all peers together may have
	 * in work
	 */
	PeerQuotas(InternodeProperties properties, int maxMessageBytes, long maxBytes) {
		this.properties = properties;
		this.maxMessageBytes = maxMessageBytes;
		this.writeBytes = new Budget(maxBytes);
		this.replyBytes = new Budget(maxBytes);
	}

	private record Holding(PeerQuota share, int connections) {

		Holding with(int more) {
			return new Holding(this.share, this.connections + more);
		}

		boolean isNeeded() {
			return this.connections > 0 || !this.share.isIdle();
		}

	}

	/** The quota of a peer that has one more connection. */
	PeerQuota enter(String node) {
		this.holdings.values().removeIf((holding) -> !holding.isNeeded());
		return this.holdings
			.compute(node,
					(_, holding) -> (holding != null) ? holding.with(1)
							: new Holding(new PeerQuota(this.properties, this.maxMessageBytes, this.writeBytes,
									this.replyBytes), 1))
			.share();
	}

	/** Whether a peer has as many connections as it may. */
	boolean isFull(String node) {
		Holding holding = this.holdings.get(node);
		return holding != null && holding.connections() >= MAX_CONNECTIONS;
	}

	/** A peer has one connection less. */
	void leave(String node) {
		this.holdings.computeIfPresent(node, (_, holding) -> {
			Holding left = holding.with(-1);
			return left.isNeeded() ? left : null;
		});
	}

	/** Requests of all peers without a reply. */
	long requests() {
		return this.holdings.values().stream().mapToLong((holding) -> holding.share().requests().taken()).sum();
	}

	/** Bytes of all peers. */
	long bytes() {
		return this.writeBytes.taken() + this.replyBytes.taken();
	}

}
