package io.quorate.repair.rebuild;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.PeerStatusExchange;
import io.quorate.internode.Position;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.repair.purge.ClusterDeadline;
import io.quorate.repair.purge.PurgePermission;
import io.quorate.repair.rebuild.Incarnations.Heard;
import io.quorate.repair.record.Horizon;
import io.quorate.repair.record.Lineage;
import io.quorate.repair.record.PeerRecords.Seen;
import io.quorate.repair.record.PeerRecords;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports this node's data status to its peers, and acts on the data status of each peer.
 * Memory only; safe for any number of threads.
 */
public final class PeerStatusTracker implements PeerStatusExchange, LayoutFollower {

	private static final Logger log = LoggerFactory.getLogger(PeerStatusTracker.class);

	private final Lineage lineage;

	private final PeerRecords records;

	private final Horizon horizon;

	private final PurgePermission purgePermission;

	private final RebuildState rebuild;

	private final Incarnations incarnations;

	private final ClusterDeadline deadline;

	private final Map<String, Remembered> remembered = new HashMap<>();

	private final Set<String> followed = ConcurrentHashMap.newKeySet();

	/* Of peers that this node met before it knew that they are members. */
	private final Map<String, Greeting> early = new HashMap<>();

	/*
	 * Held while an incarnation begins, or what a peer reports is judged by it:
	 * connections of both directions report at a time.
	 */
	private final Object judging = new Object();

	/**
	 * The last record of this node that a peer has sent.
	 *
	 * @param incarnation incarnation in which the peer has kept it
	 */
	private record Remembered(LastKnownStatus ofUs, long incarnation) {
	}

	/** The reports of a handshake. */
	private record Greeting(UUID storageId, DataStatus dataStatus, LastKnownStatus ofUs) {

		/*
		 * The later handshake counts, unless the peer may have taken this directory for
		 * the one that it remembered in this one.
		 */
		Greeting before(Greeting later) {
			boolean isOfSame = this.storageId.equals(later.storageId)
					&& this.dataStatus.incarnation().number() == later.dataStatus.incarnation().number();
			return (isOfSame && this.ofUs.isKnown() && !later.ofUs.declaredLost()) ? this : later;
		}

	}

	/** Begins a rebuild. */
	@FunctionalInterface
	private interface Beginning {

		void of(RebuildState.Cause cause, UUID storageId, Position position);

	}

	/**
	 * A tracker with the records of the files.
	 * @param lineage history of this node's data
	 */
	PeerStatusTracker(Lineage lineage, PurgePermission purgePermission, RebuildState rebuild, Incarnations incarnations,
			ClusterDeadline deadline) {
		this.lineage = lineage;
		this.records = purgePermission.records();
		this.horizon = purgePermission.horizon();
		this.purgePermission = purgePermission;
		this.rebuild = rebuild;
		this.incarnations = incarnations;
		this.deadline = deadline;
	}

	@Override
	public void joins(Endpoint peer) {
		this.followed.add(peer.id());
		this.lineage.follow(peer.id());
	}

	@Override
	public void left(String peer) {
		synchronized (this.judging) {
			this.followed.remove(peer);
			this.lineage.forget(peer);
			this.remembered.remove(peer);
			this.early.remove(peer);
			this.incarnations.forget(peer);
			this.records.forget(peer);
			this.purgePermission.forget(peer);
		}
	}

	/* What a node has seen before it left would not be kept until it joins again. */
	@Override
	public void adopted(Layout now) {
		synchronized (this.judging) {
			if (!this.incarnations.isMember()) {
				this.records.forgetPeers();
			}
		}
	}

	@Override
	public DataStatus dataStatus(String peer) {
		synchronized (this.judging) {
			return new DataStatus(position(peer), this.rebuild.isRebuilding(),
					new DataStatus.Incarnation(this.records.incarnation(), this.records.history(),
							this.incarnations.isEstablishedWithout(peer)),
					this.horizon.overall(), this.records.generationOnDisk(peer), this.deadline.ownMillis());
		}
	}

	@Override
	public Position position(String peer) {
		return this.lineage.position(peer);
	}

	@Override
	public LastKnownStatus recollectionOf(String peer) {
		Seen seen = this.records.of(peer);
		if (seen == null) {
			return LastKnownStatus.NONE;
		}
		/* A peer that was never compared has permitted no purge. */
		long purged = (seen.compared() != 0) ? this.horizon.towards(peer) : 0;
		return new LastKnownStatus(seen.storageId(), seen.position(), seen.compared(), seen.lost(), purged);
	}

	@Override
	public void met(String peer, UUID theirId, DataStatus theirs, LastKnownStatus ofUs) {
		if (!this.incarnations.isMember(peer)) {
			metEarly(peer, new Greeting(theirId, theirs, ofUs));
			return;
		}
		synchronized (this.judging) {
			Heard before = lastOf(peer);
			this.remembered.put(peer, new Remembered(ofUs, theirs.incarnation().number()));
			hear(peer, theirId, theirs, ofUs.isKnown() || ofUs.declaredLost());
			/* Whether the peer is a source of a rebuild, or is rebuilt itself, counts. */
			note(peer, theirs);
			judge(peer, this.rebuild::begin);
			if ((before != null && !before.storageId().equals(theirId)) || isOther(peer, theirId)) {
				this.purgePermission.voided(peer, "its data is another");
			}
		}
	}

	/* A seed, or a peer of a layout that is decided: it is heard of again. */
	private void metEarly(String peer, Greeting greeting) {
		synchronized (this.judging) {
			if (this.followed.contains(peer)) {
				this.early.merge(peer, greeting, Greeting::before);
			}
		}
	}

	/* Has this node rebuilt if the peer remembers more of it, in this incarnation. */
	private void judge(String peer, Beginning beginning) {
		Remembered last = this.remembered.get(peer);
		if (last == null || last.incarnation() != this.records.incarnation()) {
			return;
		}
		LastKnownStatus ofUs = last.ofUs();
		Seen seen = this.records.of(peer);
		DataLossDetector detector = new DataLossDetector(this.lineage, (seen != null) ? seen.compared() : 0,
				this.rebuild.coveredLosses());
		String symptom = detector.symptom(peer, ofUs);
		if (symptom != null) {
			beginning.of(new RebuildState.Cause(symptom, !detector.hasLost(peer, ofUs)), ofUs.storageId(),
					ofUs.position());
		}
	}

	private boolean isOther(String peer, UUID theirId) {
		Seen seen = this.records.of(peer);
		return seen != null && !seen.storageId().equals(theirId);
	}

	/**
	 * A peer that has received this node's record of it, and does not rebuild all the
	 * same, is believed.
	 */
	@Override
	public void heard(String peer, UUID theirId, DataStatus theirs) {
		if (!this.incarnations.isMember(peer)) {
			return;
		}
		synchronized (this.judging) {
			Greeting first = this.early.remove(peer);
			if (first != null && first.storageId().equals(theirId)) {
				met(peer, theirId, first.dataStatus(), first.ofUs());
			}
			hear(peer, theirId, theirs, false);
			note(peer, theirs);
			if (counts(peer, theirs)) {
				this.records.saw(peer, theirId, theirs.position(), theirs.incarnation().number());
			}
			/* During a rebuild the generation may be one of the history that was lost. */
			if (theirs.incarnation().number() == this.records.incarnation() && !this.rebuild.isRebuilding()) {
				this.lineage.recalled(peer, theirs.recalled());
			}
		}
	}

	@Override
	public boolean isInSameIncarnation(String peer) {
		Heard last = lastOf(peer);
		return last != null && last.dataStatus().incarnation().number() == this.records.incarnation();
	}

	@Override
	public void acknowledged(String peer, UUID theirId, Position position) {
		Heard last = lastOf(peer);
		if (last != null && last.storageId().equals(theirId) && counts(peer, last.dataStatus())) {
			this.records.saw(peer, theirId, position, last.dataStatus().incarnation().number());
		}
	}

	/**
	 * Whether the position that a peer reports is to be recorded. A candidate records
	 * none: members do not keep for it what they report.
	 */
	private boolean counts(String peer, DataStatus theirs) {
		return this.incarnations.isMember() && !theirs.rebuilding()
				&& theirs.incarnation().number() == this.records.incarnation() && !this.purgePermission.isLost(peer);
	}

	private void note(String peer, DataStatus theirs) {
		boolean isHere = theirs.incarnation().number() == this.records.incarnation();
		this.purgePermission.apart(peer, !isHere);
		this.purgePermission.rebuilds(peer, theirs.rebuilding());
		if (isHere && theirs.rebuilding() && this.purgePermission.isLost(peer)) {
			log.info("Peer {} is back and is being rebuilt: it is not lost any more", peer);
			this.purgePermission.lost(peer, false);
		}
	}

	private void hear(String peer, UUID theirId, DataStatus theirs, boolean remembersUs) {
		this.deadline.heard(peer, theirs.longestDeadlineMillis());
		long before = this.records.incarnation();
		switch (this.incarnations.heard(peer, new Heard(theirId, theirs, System.nanoTime()), remembersUs)) {
			case FOLLOW -> begin(theirs.incarnation().number(), theirs.incarnation().history());
			case GO_BACK -> goBack(peer, theirs.incarnation().number());
			case NONE -> {
			}
		}
		if (this.records.incarnation() != before) {
			entered();
		}
	}

	/*
	 * The rebuild for the same loss may have been abandoned with the incarnation before.
	 */
	private void entered() {
		this.incarnations.forEachPeer(this::note);
		this.remembered.keySet().forEach((peer) -> judge(peer, this.rebuild::beginComplete));
	}

	/**
	 * Begins the next incarnation of the cluster.
	 * @return reason for which it does not begin, or {@code null}
	 */
	@Nullable String beginNext() {
		synchronized (this.judging) {
			if (this.incarnations.current() == DataStatus.UNKNOWN_INCARNATION) {
				return "this node has not learned from any member which incarnation the cluster is in";
			}
			if (this.incarnations.isEstablished()) {
				return "a majority of the members is in incarnation %d, and is not being rebuilt: there is nothing to forget"
					.formatted(this.incarnations.current());
			}
			begin(this.incarnations.next(), this.records.history());
			entered();
			return null;
		}
	}

	/* Without records of any peer. */
	private void begin(long incarnation, long history) {
		log.warn("The cluster was restored: incarnation {} begins, what was seen of peers is forgotten", incarnation);
		this.rebuild.incarnationBegins(incarnation, history);
	}

	/*
	 * Only the peers know the writes and purges since the backup. This node is not
	 * counted as one of their incarnation before its reads are refused.
	 */
	private void goBack(String peer, long incarnation) {
		String why = "this node is in incarnation %d of the cluster, and %s reports that a majority goes on in %d"
			.formatted(this.records.incarnation(), peer, incarnation);
		this.rebuild.beginComplete(new RebuildState.Cause(why, false), this.lineage.storageId(),
				this.lineage.position());
		this.records.begin(incarnation, this.records.history());
	}

	/**
	 * Begins a rebuild of this node for a reason that no peer has reported.
	 * @param why reason, for operators
	 */
	void beginRebuild(String why) {
		this.rebuild.begin(why, this.lineage.storageId(), this.lineage.position());
	}

	/**
	 * Settles all earlier losses. Waits for the disk.
	 * @param remembered number of the latest generation that any peer remembers
	 */
	void settle(long remembered) throws IOException {
		this.lineage.settle(remembered);
	}

	/** Identity of this node's data. */
	UUID storageId() {
		return this.lineage.storageId();
	}

	/** The longest timeout of a request at any member, in nanoseconds. */
	long longestRequestNanos() {
		return this.deadline.nanos();
	}

	/**
	 * Raises the horizon of purges, since this node holds copies from others.
	 * @param hybrid their horizon
	 * @return the horizon of this node
	 */
	long purgedUpTo(long hybrid) throws IOException {
		this.horizon.raise(new Horizon.Levels(hybrid, Map.of()));
		return this.horizon.overall();
	}

	/** The last data status of a peer, or {@code null} before the first. */
	@Nullable Heard lastOf(String peer) {
		return this.incarnations.lastOf(peer);
	}

}
