package io.quorate.repair.purge;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.internode.DataStatus;
import io.quorate.membership.Topology;
import io.quorate.ring.Member;

/**
 * The incarnation of this node: the number of times that, as far as it knows, the whole
 * cluster was restored. A node follows each peer into a later one. An incarnation is
 * established once a majority of the members, none of which is being rebuilt, is in it.
 * Safe for any number of threads.
 */
final class Incarnations {

	private final Topology topology;

	private final PeerRecords book;

	private final RebuildState rebuild;

	private final Map<String, DataStatus> heard = new ConcurrentHashMap<>();

	Incarnations(Topology topology, PeerRecords book, RebuildState rebuild) {
		this.topology = topology;
		this.book = book;
		this.rebuild = rebuild;
	}

	/** The number of this node's incarnation. */
	long current() {
		return this.book.incarnation();
	}

	/**
	 * Records a peer's data status. A node that does not know the number of its
	 * incarnation has nothing to forget, and learns only the number.
	 * @return whether this node is to follow the peer into a later incarnation
	 */
	boolean heard(String peer, DataStatus theirs) {
		this.heard.put(peer, theirs);
		return !this.book.learns(theirs.incarnation()) && theirs.incarnation() > current();
	}

	/**
	 * Whether a majority of the members is known to be in this incarnation, and not
	 * rebuilding.
	 */
	boolean isEstablished() {
		return this.topology.ring().members().stream().map(Member::id).filter(this::isWhole).count() >= this.topology
			.majority();
	}

	private boolean isWhole(String member) {
		if (member.equals(this.topology.self())) {
			return !this.rebuild.isRebuilding();
		}
		DataStatus theirs = this.heard.get(member);
		return theirs != null && theirs.incarnation() == current() && !theirs.rebuilding();
	}

}
