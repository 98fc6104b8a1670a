package io.quorate.repair.purge;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.internode.DataStatus;
import io.quorate.membership.Topology;
import io.quorate.ring.Member;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The incarnation of this node: the number of times that, as far as it knows, the whole
 * cluster was restored. An incarnation is established once a majority of the members,
 * none of which is being rebuilt, is in it. A node of such a majority follows no other
 * incarnation; a node that was restored alone goes back to that of the majority. As there
 * is no second majority, two incarnations cannot be established at a time. Safe for any
 * number of threads.
 */
final class Incarnations {

	private static final Logger log = LoggerFactory.getLogger(Incarnations.class);

	private final Topology topology;

	private final PeerRecords book;

	private final RebuildState rebuild;

	private final Map<String, DataStatus> heard = new ConcurrentHashMap<>();

	/** The change that a peer's data status asks for. */
	enum Change {

		/** None: this node stays in its incarnation. */
		NONE,

		/** This node follows the peer to a later incarnation. */
		FOLLOW,

		/**
		 * This node goes back to the peer's earlier incarnation, which the cluster never
		 * left.
		 */
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
	 * Records a peer's data status. A node that does not know the number of its
	 * incarnation has nothing to forget, and learns only the number.
	 */
	Change heard(String peer, DataStatus theirs) {
		DataStatus before = this.heard.put(peer, theirs);
		if (this.book.learns(theirs.incarnation()) || theirs.incarnation() == current()) {
			return Change.NONE;
		}
		Change change = changeFor(theirs);
		if (change == Change.NONE && (before == null || before.incarnation() != theirs.incarnation())) {
			log.warn(
					"{} is in incarnation {} of the cluster, this node in {}: they stay apart until one of both has a majority",
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
	 * Whether a majority of the members is known to be in this incarnation, and not
	 * rebuilding.
	 */
	boolean isEstablished() {
		return whole(false) >= this.topology.majority();
	}

	/* As many as there can be: a peer that has not reported yet may be one. */
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
