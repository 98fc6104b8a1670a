package io.quorate.membership.members;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFollower;
import org.jspecify.annotations.Nullable;

/**
 * The components that follow the layout, and the peers that they know: those of the
 * layout that is adopted, and those that join by one which is expected. Used by one
 * thread at a time.
 */
final class FollowedPeers {

	private final Map<String, Endpoint> known = new TreeMap<>();

	private final List<LayoutFollower> followers = new ArrayList<>();

	private final Predicate<String> isSeed;

	/**
	 * No followers yet.
	 * @param first peers of the first layout
	 * @param isSeed whether a peer is known as a seed alone
	 */
	FollowedPeers(List<Endpoint> first, Predicate<String> isSeed) {
		first.forEach((peer) -> this.known.put(peer.id(), peer));
		this.isSeed = isSeed;
	}

	/** Adds a follower, which hears of each peer now. */
	void add(LayoutFollower follower) {
		this.followers.add(follower);
		this.known.values().forEach(follower::joins);
	}

	/**
	 * A seed that is reached at another address by the layout is another peer. When a
	 * follower fails, the next attempt tells all of them.
	 */
	void joins(Endpoint peer) {
		Endpoint before = this.known.get(peer.id());
		if (before != null && !before.hasAddressOf(peer) && this.isSeed.test(peer.id())) {
			left(peer.id());
			before = null;
		}
		this.known.put(peer.id(), peer);
		if (before == null || !before.hasAddressOf(peer)) {
			tell(peer, before);
		}
	}

	private void tell(Endpoint peer, @Nullable Endpoint before) {
		try {
			this.followers.forEach((follower) -> follower.joins(peer));
		}
		catch (RuntimeException | Error failure) {
			if (before == null) {
				left(peer.id());
			}
			else {
				this.known.put(peer.id(), before);
			}
			throw failure;
		}
	}

	/**
	 * Makes the peers known that join by a layout which is to be adopted, and has the
	 * others leave that were made known so. One of the current layout that is reached at
	 * another address by it keeps its connections until it is adopted.
	 * @param current peers by the layout that is adopted
	 * @param later peers by the one that is to be adopted
	 * @return ids of those that join
	 */
	Set<String> expect(List<Endpoint> current, List<Endpoint> later) {
		Set<String> present = ids(current);
		List<Endpoint> joining = later.stream().filter((peer) -> !present.contains(peer.id())).toList();
		joining.stream().filter(this::isElsewhere).forEach((peer) -> left(peer.id()));
		List<Endpoint> all = new ArrayList<>(current);
		all.addAll(joining);
		keep(all);
		joining.forEach(this::joins);
		return ids(joining);
	}

	private boolean isElsewhere(Endpoint peer) {
		Endpoint before = this.known.get(peer.id());
		return before != null && !before.hasAddressOf(peer);
	}

	/** Has all peers but these leave. */
	void keep(List<Endpoint> peers) {
		Set<String> kept = ids(peers);
		List.copyOf(this.known.keySet()).stream().filter((peer) -> !kept.contains(peer)).forEach(this::left);
	}

	private void left(String peer) {
		this.known.remove(peer);
		this.followers.forEach((follower) -> follower.left(peer));
	}

	/** The layout that is adopted next assigns keys in another way. */
	void reassigns(Layout later) {
		this.followers.forEach((follower) -> follower.reassigns(later));
	}

	/** A layout has been adopted. */
	void adopted(Layout now) {
		this.followers.forEach((follower) -> follower.adopted(now));
	}

	private static Set<String> ids(List<Endpoint> peers) {
		return peers.stream().map(Endpoint::id).collect(Collectors.toSet());
	}

}
