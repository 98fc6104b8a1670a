package io.quorate.repair.purge;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.internode.DataStatus;
import io.quorate.membership.Topology;
import io.quorate.ring.Member;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The incarnation that this node is in: the number of times that, as it believes, the
 * whole cluster was restored. A cluster lives in one of them once a majority of its
 * members, none of which is being rebuilt, is in it. A node of such a majority follows no
 * other incarnation; a node that alone was restored goes back to that of the majority. As
 * there is no second majority, both cannot be so of two incarnations at a time. Safe for
 * any number of threads.
 */
final class Incarnations {

	private static final Logger log = LoggerFactory.getLogger(Incarnations.class);

	private final Topology topology;

	private final PeerRecords book;

	private final RebuildState rebuild;

	private final Map<String, DataStatus> heard = new ConcurrentHashMap<>();

	/** The change that a peer's standing asks for. */
	enum Change {

		/** None: this node stays in its incarnation. */
		NONE,

		/** The later one of the peer begins here, too. */
		FOLLOW,

		/** The cluster lives in the earlier one of the peer, and never left it. */
		GO_BACK

	}

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
	 * Takes note of a peer's standing. A node that does not know how often the cluster
	 * was restored has nothing to forget, and learns only the number.
	 */
	Change heard(String peer, DataStatus theirs) {
		DataStatus before = this.heard.put(peer, theirs);
		if (this.book.learns(theirs.incarnation()) || theirs.incarnation() == current()) {
			return Change.NONE;
		}
		Change change = changeFor(theirs);
		if (change == Change.NONE && (before == null || before.incarnation() != theirs.incarnation())) {
			log.warn(
					"{} is in incarnation {} of the cluster, this node in {}: they meet when one of both has a majority",
					peer, theirs.incarnation(), current());
		}
		return change;
	}

	private Change changeFor(DataStatus theirs) {
		if (theirs.incarnation() > current()) {
			return (mostWhole() < this.topology.majority()) ? Change.FOLLOW : Change.NONE;
		}
		return (theirs.established() && !isEstablished()) ? Change.GO_BACK : Change.NONE;
	}

	/**
	 * Whether a majority of the members has been heard to be whole, and in this
	 * incarnation.
	 */
	boolean isEstablished() {
		return whole(false) >= this.topology.majority();
	}

	/* As many as there can be: a peer that was not heard yet may be one. */
	private long mostWhole() {
		return whole(true);
	}

	private long whole(boolean isUnheardCounted) {
		return this.topology.ring()
			.members()
			.stream()
			.map(Member::id)
			.filter((id) -> isWhole(id, isUnheardCounted))
			.count();
	}

	private boolean isWhole(String member, boolean isUnheardCounted) {
		if (member.equals(this.topology.self())) {
			return !this.rebuild.isRebuilding();
		}
		DataStatus theirs = this.heard.get(member);
		return (theirs != null) ? theirs.incarnation() == current() && !theirs.rebuilding() : isUnheardCounted;
	}

}
