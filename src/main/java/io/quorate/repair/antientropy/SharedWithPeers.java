package io.quorate.repair.antientropy;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.membership.Layout;
import io.quorate.membership.Layouts;
import io.quorate.repair.comparison.ComparisonFailedException;
import io.quorate.repair.comparison.SharedEntries;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;

/**
 * The entries that this node and each peer must both hold by the current layout. Computed
 * once for each peer and layout; safe for any number of threads.
 */
final class SharedWithPeers {

	private final Layouts layouts;

	private final Map<String, Known> byPeer = new ConcurrentHashMap<>();

	SharedWithPeers(Layouts layouts) {
		this.layouts = layouts;
	}

	/** Id of this node. */
	String self() {
		return this.layouts.self();
	}

	/**
	 * Whether this node and a peer are members by the current layout, and have entries in
	 * common.
	 */
	boolean isAny(String peer) {
		Layout current = this.layouts.current();
		return areMembers(current, peer) && by(current, peer).isAny();
	}

	/**
	 * The entries of this node and a peer.
	 * @throws ComparisonFailedException when one of the two is no member, or has left
	 * while they were compared
	 */
	SharedEntries with(String peer) {
		Layout current = this.layouts.current();
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

	private SharedEntries by(Layout layout, String peer) {
		Known known = this.byPeer.get(peer);
		if (known == null || known.version() != layout.version()) {
			known = new Known(layout.version(), SharedEntries.of(layout.rings(), self(), peer));
			this.byPeer.put(peer, known);
		}
		return known.entries();
	}

	void forget(String peer) {
		this.byPeer.remove(peer);
	}

	/** The entries by a version of the layout. */
	private record Known(long version, SharedEntries entries) {
	}

}
