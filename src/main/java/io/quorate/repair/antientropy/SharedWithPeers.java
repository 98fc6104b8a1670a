package io.quorate.repair.antientropy;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.quorate.membership.layout.Layout;
import io.quorate.repair.comparison.ComparisonFailedException;
import io.quorate.repair.comparison.SharedEntries;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;

/**
 * The entries that this node and each peer must both hold by the current layout. Computed
 * once for each peer and layout; safe for any number of threads.
 */
final class SharedWithPeers {

	private final String self;

	private final Supplier<Layout> layout;

	private final Map<String, Shared> byPeer = new ConcurrentHashMap<>();

	/**
	 * The entries that a node shares.
	 * @param layout the layout that the node has adopted
	 */
	SharedWithPeers(String self, Supplier<Layout> layout) {
		this.self = self;
		this.layout = layout;
	}

	/** Id of this node. */
	String self() {
		return this.self;
	}

	/**
	 * Whether this node and a peer are members by the current layout, and have entries in
	 * common.
	 */
	boolean isAny(String peer) {
		Layout current = this.layout.get();
		return areMembers(current, peer) && by(current, peer).entries().isAny();
	}

	/**
	 * The entries of this node and a peer.
	 * @throws ComparisonFailedException when one of the two is no member, or has left
	 * while they were compared
	 */
	Shared with(String peer) {
		Layout current = this.layout.get();
		if (!areMembers(current, peer)) {
			throw new ComparisonFailedException(
					new Failure(Reason.FAILED, "%s and %s are not both members by version %d of the layout"
						.formatted(self(), peer, current.version())));
		}
		return by(current, peer);
	}

	private boolean areMembers(Layout layout, String peer) {
		return layout.hasMember(self()) && layout.hasMember(peer);
	}

	/** Version of the current layout. */
	long version() {
		return this.layout.get().version();
	}

	private Shared by(Layout layout, String peer) {
		Shared known = this.byPeer.get(peer);
		if (known == null || known.version() != layout.version()) {
			known = new Shared(layout.version(), SharedEntries.of(layout.rings(), self(), peer));
			this.byPeer.put(peer, known);
		}
		return known;
	}

	void forget(String peer) {
		this.byPeer.remove(peer);
	}

	/** The entries by a version of the layout. */
	record Shared(long version, SharedEntries entries) {
	}

}
