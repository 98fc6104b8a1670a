package io.quorate.repair.rebuild;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.quorate.internode.DataStatus;
import io.quorate.membership.MemberState;
import io.quorate.membership.Membership;
import io.quorate.membership.Topology;
import io.quorate.repair.record.PeerRecords;
import io.quorate.ring.Member;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The incarnation of this node: the number of times that, as far as it knows, the whole
 * cluster was restored. An incarnation is established while a majority of the members,
 * connected and none of them being rebuilt, is in it. A node that may belong to such a
 * majority follows no peer into a later incarnation. A node that was restored alone goes
 * back to the incarnation that is established. Where nothing is established, nodes follow
 * into the later one. A node also follows a peer that has a record of it in a later one:
 * its own directory is an older copy.
 * <p>
 * All incarnations of a cluster have the number of a history in common, which two of its
 * members have begun when both were new; of several the oldest counts. Of incarnations of
 * two histories the later one is followed, and no node goes back: so a restored node
 * never goes back to nodes that were started empty. A node with a new directory learns
 * both numbers from the first peer that knows them. Safe for any number of threads.
 */
public final class Incarnations {

	private static final Logger log = LoggerFactory.getLogger(Incarnations.class);

	private static final int RANDOM_BITS = 20;

	private final List<String> peers;

	private final int majority;

	private final Membership membership;

	private final PeerRecords book;

	private final RebuildState rebuild;

	private final LongSupplier millis;

	private final Map<String, DataStatus> heard = new HashMap<>();

	/** The change that a peer's data status asks for. */
	enum Change {

		/** None: this node stays in its incarnation. */
		NONE,

		/** This node follows the peer to a later incarnation. */
		FOLLOW,

		/**
		 * This node goes back to the peer's earlier incarnation, which is established.
		 */
		GO_BACK

	}

	/**
	 * The incarnation of the records.
	 * @param millis physical time
	 */
	public Incarnations(Topology topology, Membership membership, PeerRecords book, RebuildState rebuild,
			LongSupplier millis) {
		this.millis = millis;
		this.peers = topology.ring()
			.members()
			.stream()
			.map(Member::id)
			.filter((member) -> !member.equals(topology.self()))
			.toList();
		this.majority = topology.majority();
		this.membership = membership;
		this.book = book;
		this.rebuild = rebuild;
		if (this.peers.isEmpty()) {
			this.book.learns(0, newHistory());
		}
	}

	/**
	 * The number of this node's incarnation, or {@link DataStatus#UNKNOWN_INCARNATION}.
	 */
	long current() {
		return this.book.incarnation();
	}

	/** The number of the incarnation after this one. */
	long next() {
		return Math.max(current(), 0) + 1;
	}

	/**
	 * Records a peer's data status. A node that does not know the number of its
	 * incarnation has nothing to forget, and learns only the number.
	 * @param remembersUs whether the peer has a record of this node: then this node was
	 * in the peer's incarnation before
	 */
	synchronized Change heard(String peer, DataStatus theirs, boolean remembersUs) {
		DataStatus before = this.heard.put(peer, theirs);
		if (!isKnown(theirs.incarnation())) {
			this.book.learns(0, newHistory());
			return Change.NONE;
		}
		if (this.book.learns(theirs.incarnation(), theirs.history())) {
			return Change.NONE;
		}
		if (theirs.incarnation() == current()) {
			this.book.sharesHistory(theirs.history());
			return Change.NONE;
		}
		Change change = changeFor(peer, theirs, remembersUs);
		if (change == Change.NONE && (before == null || before.incarnation() != theirs.incarnation())) {
			log.warn(
					"{} is in incarnation {} of the cluster, this node in {}: they stay apart until a majority has connected to either",
					peer, theirs.incarnation(), current());
		}
		return change;
	}

	private Change changeFor(String peer, DataStatus theirs, boolean remembersUs) {
		long ours = this.book.history();
		if (theirs.incarnation() > current()) {
			boolean isOfOurHistory = theirs.history() == ours || theirs.history() == 0;
			boolean stays = isOfOurHistory && !remembersUs && mayBeEstablishedWithout(peer);
			return stays ? Change.NONE : Change.FOLLOW;
		}
		boolean isOfOurHistory = theirs.history() == ours && ours != 0;
		return (isOfOurHistory && theirs.established() && !isEstablished()) ? Change.GO_BACK : Change.NONE;
	}

	/* The members of a new cluster agree on the lowest, which is the oldest. */
	private long newHistory() {
		return this.millis.getAsLong() << RANDOM_BITS | ThreadLocalRandom.current().nextInt(1 << RANDOM_BITS);
	}

	private static boolean isKnown(long incarnation) {
		return incarnation != DataStatus.UNKNOWN_INCARNATION;
	}

	/**
	 * Whether a majority of the members is known to be in this incarnation, connected,
	 * and not rebuilding.
	 */
	synchronized boolean isEstablished() {
		return isKnown(current()) && isMajority(this::isConnectedAndWhole);
	}

	/**
	 * Whether this node and other members than this peer are such a majority: what the
	 * peer itself is in, it knows better.
	 */
	synchronized boolean isEstablishedWithout(String other) {
		return isKnown(current()) && !this.rebuild.isRebuilding()
				&& isMajority((peer) -> !peer.equals(other) && isConnectedAndWhole(peer));
	}

	private boolean isConnectedAndWhole(String peer) {
		return isConnected(peer) && isWhole(this.heard.get(peer));
	}

	/*
	 * A peer that is away may be in this incarnation, and so may one that has not
	 * reported, or has not learned the number yet. Of members that are being rebuilt one
	 * counts: its rebuild is not to end early. Several wait for each other.
	 */
	private boolean mayBeEstablishedWithout(String other) {
		List<String> possible = this.peers.stream().filter((peer) -> !peer.equals(other) && mayBeHere(peer)).toList();
		long rebuilding = possible.stream().filter(this::isKnownToRebuild).count()
				+ (this.rebuild.isRebuilding() ? 1 : 0);
		long all = 1L + possible.size();
		return ((rebuilding > 1) ? all - rebuilding : all) >= this.majority;
	}

	private boolean mayBeHere(String peer) {
		DataStatus theirs = this.heard.get(peer);
		return !isConnected(peer) || theirs == null || !isKnown(theirs.incarnation())
				|| theirs.incarnation() == current();
	}

	private boolean isKnownToRebuild(String peer) {
		DataStatus theirs = this.heard.get(peer);
		return isConnected(peer) && theirs != null && theirs.rebuilding();
	}

	private boolean isMajority(Predicate<String> counts) {
		long own = this.rebuild.isRebuilding() ? 0 : 1;
		return own + this.peers.stream().filter(counts).count() >= this.majority;
	}

	private boolean isConnected(String peer) {
		return this.membership.stateOf(peer) != MemberState.DISCONNECTED;
	}

	private boolean isWhole(@Nullable DataStatus theirs) {
		return theirs != null && theirs.incarnation() == current() && !theirs.rebuilding();
	}

}
