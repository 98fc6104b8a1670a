package io.quorate.repair.antientropy;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.membership.Layout;
import io.quorate.membership.Layouts;
import io.quorate.repair.comparison.SharedEntries;

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

	/** Whether this node and a peer are members by the current layout. */
	boolean areMembers(String peer) {
		return this.layouts.isMember() && this.layouts.current().hasMember(peer);
	}

	/**
	 * The entries of this node and a peer.
	 * @throws IllegalArgumentException when there is no such member
	 */
	SharedEntries with(String peer) {
		Layout current = this.layouts.current();
		Known known = this.byPeer.get(peer);
		if (known == null || known.version() != current.version()) {
			known = new Known(current.version(), SharedEntries.of(current.rings(), self(), peer));
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
