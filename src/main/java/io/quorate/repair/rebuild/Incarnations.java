package io.quorate.repair.rebuild;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.quorate.internode.DataStatus;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.repair.record.PeerRecords;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The incarnation of this node: the number of times that, as far as it knows, the whole
 * cluster was restored. An incarnation is established while a majority of the members,
 * connected and none of them being rebuilt, is in it. A node that may belong to such a
 * majority follows no peer into a later incarnation. A node that was restored alone goes
 * back to the incarnation that is established. Where nothing is established, nodes follow
 * into the later one: into the next one any peer, into one after that most of the others.
 * A node also follows a peer that has a record of it in a later one: its own directory is
 * an older copy.
 * <p>
 * All incarnations of a cluster have the number of a history in common, which two of its
 * members have begun when both were new; of several the oldest counts. Of incarnations of
 * two histories the later one is followed, and no node goes back: so a restored node
 * never goes back to nodes that were started empty. A node with a new directory learns
 * both numbers from the first peer that knows them. Guarded by the lock of its
 * {@link PeerStatusTracker}; any thread may ask for the last status of a peer.
 */
final class Incarnations {

	private static final Logger log = LoggerFactory.getLogger(Incarnations.class);

	private static final int RANDOM_BITS = 20;

	private final Layouts layouts;

	private final Membership membership;

	private final PeerRecords records;

	private final RebuildState rebuild;

	private final LongSupplier histories;

	private final Map<String, Heard> heard = new ConcurrentHashMap<>();

	/**
	 * The last data status of a peer.
	 *
	 * @param nanos time at which it was received, on the monotonic clock
	 */
	record Heard(UUID storageId, DataStatus dataStatus, long nanos) {
	}

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
	 * @param histories numbers of new histories
	 */
	Incarnations(Layouts layouts, Membership membership, PeerRecords records, RebuildState rebuild,
			LongSupplier histories) {
		this.histories = histories;
		this.layouts = layouts;
		this.membership = membership;
		this.records = records;
		this.rebuild = rebuild;
		if (layouts.isAlone()) {
			this.records.learns(0, this.histories.getAsLong());
		}
	}

	/**
	 * The number of this node's incarnation, or {@link DataStatus#UNKNOWN_INCARNATION}.
	 */
	long current() {
		return this.records.incarnation();
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
	Change heard(String peer, Heard now, boolean remembersUs) {
		Heard before = this.heard.put(peer, now);
		DataStatus theirs = now.dataStatus();
		if (!isKnown(theirs.incarnation().number())) {
			this.records.learns(0, this.histories.getAsLong());
			return Change.NONE;
		}
		if (this.records.learns(theirs.incarnation().number(), theirs.incarnation().history())) {
			return Change.NONE;
		}
		if (theirs.incarnation().number() == current()) {
			boolean isUnknown = theirs.incarnation().history() == 0 && this.records.history() == 0;
			this.records.sharesHistory(isUnknown ? this.histories.getAsLong() : theirs.incarnation().history());
			return Change.NONE;
		}
		Change change = changeFor(peer, theirs, remembersUs);
		if (change == Change.NONE
				&& (before == null || before.dataStatus().incarnation().number() != theirs.incarnation().number())) {
			log.warn(
					"{} is in incarnation {} of the cluster, this node in {}: they stay apart until a majority has connected to either",
					peer, theirs.incarnation().number(), current());
		}
		return change;
	}

	private Change changeFor(String peer, DataStatus theirs, boolean remembersUs) {
		long ours = this.records.history();
		if (theirs.incarnation().number() > next() && !isSeenByMost(theirs.incarnation().number())) {
			return Change.NONE;
		}
		if (theirs.incarnation().number() > current()) {
			boolean isOfOurHistory = theirs.incarnation().history() == ours || theirs.incarnation().history() == 0;
			boolean stays = isOfOurHistory && !remembersUs && mayBeEstablishedWithout(peer);
			return stays ? Change.NONE : Change.FOLLOW;
		}
		boolean isOfOurHistory = theirs.incarnation().history() == ours && ours != 0;
		return (isOfOurHistory && theirs.incarnation().established() && !isEstablished()) ? Change.GO_BACK
				: Change.NONE;
	}

	/*
	 * Restorations come one at a time. A number further ahead is of a cluster that was
	 * restored several times without this node, where most members are, or it is wrong: a
	 * single peer is not to end all rebuilds with a number after which none is left.
	 */
	private boolean isSeenByMost(long incarnation) {
		List<String> others = this.layouts.current().members().stream().filter((member) -> !isSelf(member)).toList();
		long there = others.stream()
			.map(this::statusOf)
			.filter((its) -> its != null && its.incarnation().number() == incarnation)
			.count();
		return 2 * there > others.size();
	}

	/**
	 * Numbers of new histories: two are hardly ever equal, and the lower one is the
	 * older.
	 * @param millis physical time
	 */
	static LongSupplier numbered(LongSupplier millis) {
		return () -> millis.getAsLong() << RANDOM_BITS | ThreadLocalRandom.current().nextInt(1 << RANDOM_BITS);
	}

	private static boolean isKnown(long incarnation) {
		return incarnation != DataStatus.UNKNOWN_INCARNATION;
	}

	/**
	 * Whether a majority of the members is known to be in this incarnation, connected,
	 * and not rebuilding.
	 */
	boolean isEstablished() {
		return isKnown(current()) && isMajority(this::isConnectedAndWhole);
	}

	/**
	 * Whether this node and other members than this peer are such a majority: what the
	 * peer itself is in, it knows better.
	 */
	boolean isEstablishedWithout(String other) {
		return isKnown(current()) && !this.rebuild.isRebuilding()
				&& isMajority((peer) -> !peer.equals(other) && isConnectedAndWhole(peer));
	}

	private boolean isConnectedAndWhole(String peer) {
		DataStatus theirs = statusOf(peer);
		return isConnected(peer) && theirs != null && theirs.incarnation().number() == current()
				&& !theirs.rebuilding();
	}

	/*
	 * A peer that is away may be in this incarnation, and so may one that has not
	 * reported, or has not learned the number yet. Of members that are being rebuilt one
	 * counts: its rebuild is not to end early. Several wait for each other.
	 */
	private boolean mayBeEstablishedWithout(String other) {
		Layout layout = this.layouts.current();
		List<String> possible = layout.members()
			.stream()
			.filter((member) -> isSelf(member) || (!member.equals(other) && mayBeHere(member)))
			.toList();
		boolean areSeveral = possible.stream().filter(this::isKnownToRebuild).count() > 1;
		return layout.isMajority((member) -> possible.contains(member) && !(areSeveral && isKnownToRebuild(member)));
	}

	private boolean isSelf(String member) {
		return member.equals(this.layouts.self());
	}

	private boolean mayBeHere(String peer) {
		DataStatus theirs = statusOf(peer);
		return !isConnected(peer) || theirs == null || !isKnown(theirs.incarnation().number())
				|| theirs.incarnation().number() == current();
	}

	private boolean isKnownToRebuild(String peer) {
		if (isSelf(peer)) {
			return this.rebuild.isRebuilding();
		}
		DataStatus theirs = statusOf(peer);
		return isConnected(peer) && theirs != null && theirs.rebuilding();
	}

	private boolean isMajority(Predicate<String> counts) {
		return this.layouts.current()
			.isMajority((member) -> isSelf(member) ? !this.rebuild.isRebuilding() : counts.test(member));
	}

	private boolean isConnected(String peer) {
		return this.membership.stateOf(peer) != MemberState.DISCONNECTED;
	}

	private @Nullable DataStatus statusOf(String peer) {
		Heard last = lastOf(peer);
		return (last != null) ? last.dataStatus() : null;
	}

	/** Whether this node is a member by the layout that it has adopted. */
	boolean isMember() {
		return this.layouts.isMember();
	}

	/** Whether a node is a member: no other node's reports count. */
	boolean isMember(String peer) {
		return this.layouts.current().hasMember(peer);
	}

	/** Forgets a peer that has left. */
	void forget(String peer) {
		this.heard.remove(peer);
	}

	/** The last data status of a peer, or {@code null} before the first. */
	@Nullable Heard lastOf(String peer) {
		return this.heard.get(peer);
	}

	/** The last data status of each peer that has sent one. */
	void forEachPeer(BiConsumer<String, DataStatus> action) {
		this.heard.forEach((peer, last) -> action.accept(peer, last.dataStatus()));
	}

}
