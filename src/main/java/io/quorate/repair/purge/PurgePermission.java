package io.quorate.repair.purge;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.LongSupplier;

import io.quorate.clock.Timestamp;
import io.quorate.repair.purge.PurgeEligibility.Verdict;
import io.quorate.repair.record.Horizon;
import io.quorate.repair.record.PeerRecords;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The permission to purge: the agreements of the peers, and the entries that may be
 * purged because of them. Safe for any number of threads; only {@link #advance}, which
 * one thread calls, and the end of the time in which this node was alone write files.
 */
public final class PurgePermission {

	private static final Logger log = LoggerFactory.getLogger(PurgePermission.class);

	private volatile ReplicaSets sets;

	private final Marks marks;

	private final PeerRecords records;

	private final Horizon horizon;

	private final ClusterPurgePolicy policy;

	private final Terms terms;

	private final Set<String> rebuilding = new HashSet<>();

	private final Set<String> apart = new HashSet<>();

	/* Hybrid times: rounds that began before must not go on. */
	private final Map<String, Long> voidedAt = new HashMap<>();

	private boolean paused;

	/* Whether entries may have been purged at once, above the horizon. */
	private boolean wasAlone;

	/**
	 * The clocks and the grace period.
	 *
	 * @param grace age at which a deletion may be purged
	 * @param nowMillis the present by the hybrid clock
	 * @param nanoTime the monotonic clock
	 */
	record Terms(Duration grace, LongSupplier nowMillis, LongSupplier nanoTime) {

		/** Hybrid time: an entry with a later timestamp is too young. */
		long oldEnough() {
			return Timestamp.hybridOfMillis(Math.max(0, this.nowMillis.getAsLong() - this.grace.toMillis()));
		}

	}

	PurgePermission(ReplicaSets sets, Marks marks, PeerRecords records, Horizon horizon, ClusterPurgePolicy policy,
			Terms terms) {
		this.sets = sets;
		this.marks = marks;
		this.records = records;
		this.horizon = horizon;
		this.policy = policy;
		this.terms = terms;
	}

	/** The records by which it permits. */
	public PeerRecords records() {
		return this.records;
	}

	/** The horizon up to which this node may have purged. */
	public Horizon horizon() {
		return this.horizon;
	}

	/**
	 * Records that a comparison with a peer begins. To be called before either node looks
	 * at its entries.
	 * @param storageId identity of the peer's data
	 * @param round hybrid time at which it begins
	 * @param sequence durable sequence of this node now
	 * @param instant hybrid time up to which timestamps are compared
	 * @return reason for which this comparison must not go on, or {@code null}
	 */
	synchronized @Nullable Failure begun(String peer, UUID storageId, long round, long sequence, long instant) {
		if (this.apart.contains(peer)) {
			return new Failure(Reason.JOINING, "%s is in another incarnation of the cluster".formatted(peer));
		}
		if (this.paused || this.rebuilding.contains(peer)) {
			return new Failure(Reason.REBUILDING, (this.paused ? "this node" : peer) + " is being rebuilt");
		}
		if (Long.compareUnsigned(round, this.voidedAt.getOrDefault(peer, 0L)) <= 0) {
			return new Failure(Reason.STALE_ROUND, "what was compared with %s before is void".formatted(peer));
		}
		this.marks.begun(peer, storageId, round, sequence, instant);
		return null;
	}

	/**
	 * Records that a comparison is complete: the entries that it looked at do not differ
	 * any more, and are durable at both nodes. Both nodes call it, the leading one before
	 * it notifies the other one.
	 */
	synchronized void completed(String peer, UUID storageId, long round) {
		Mark mark = this.marks.completed(peer, storageId, round, this.terms.nanoTime().getAsLong());
		if (mark != null) {
			this.records.compared(peer, storageId, mark.instant());
		}
	}

	/** Records whether a peer is rebuilding: it agrees to nothing meanwhile. */
	public synchronized void rebuilds(String peer, boolean isRebuilding) {
		if (isRebuilding ? this.rebuilding.add(peer) : this.rebuilding.remove(peer)) {
			voided(peer, isRebuilding ? "it is rebuilding" : "it was rebuilt");
		}
	}

	/**
	 * Records whether a peer is in another incarnation: its data may be older than what
	 * was purged since, and it agrees to nothing meanwhile.
	 */
	public synchronized void apart(String peer, boolean isApart) {
		if (isApart ? this.apart.add(peer) : this.apart.remove(peer)) {
			voided(peer, isApart ? "it is in another incarnation" : "it was in another incarnation");
		}
	}

	/** Forgets a peer that has left, and needs to agree to nothing any more. */
	public synchronized void forget(String peer) {
		this.rebuilding.remove(peer);
		this.apart.remove(peer);
		this.voidedAt.remove(peer);
		this.marks.voided(peer);
		allow();
	}

	/** Voids all agreements of a peer. */
	public synchronized void voided(String peer, String why) {
		this.voidedAt.put(peer, present());
		if (this.marks.voided(peer)) {
			log.info("What was compared with peer {} is void: {}", peer, why);
		}
		allow();
	}

	/**
	 * This node is the only member of its cluster: it needs no agreement, and purges at
	 * once.
	 */
	synchronized void begunAlone() {
		this.wasAlone = true;
		this.policy.allowAll(true);
	}

	/**
	 * This node is not alone any more. Whatever it has purged is below its horizon from
	 * now on. To be called before this node adopts a layout with other members. Does
	 * nothing when this node was not alone; waits for the disk else.
	 * @throws IOException when the horizon could not be written: nothing is purged, and
	 * the call has to be repeated
	 */
	synchronized void endsAlone() throws IOException {
		if (this.wasAlone) {
			this.policy.allowAll(false);
			this.horizon.raise(new Horizon.Levels(present(), Map.of()));
			this.wasAlone = false;
		}
	}

	/**
	 * Counts these replicas from now on. All agreements of all peers are void: they were
	 * about the keys that this node and the peer held before. To be called before this
	 * node adopts the layout that assigns keys so.
	 */
	synchronized void assigned(ReplicaSets later) {
		Set<String> peers = new TreeSet<>(this.sets.sharing());
		peers.addAll(later.sharing());
		peers.forEach((peer) -> this.voidedAt.put(peer, present()));
		this.marks.voided();
		this.sets = later;
		allow();
	}

	/**
	 * Begins an incarnation, in which nothing that was agreed before counts.
	 * @param history number of the cluster's history
	 */
	public synchronized void begin(long incarnation, long history, boolean isPaused) {
		this.records.begin(incarnation, history);
		pause(isPaused);
	}

	/**
	 * Voids all agreements of all peers, and pauses purges while this node is rebuilding.
	 */
	public synchronized void pause(boolean isPaused) {
		this.paused = isPaused;
		this.sets.sharing().forEach((peer) -> this.voidedAt.put(peer, present()));
		this.marks.voided();
		allow();
	}

	/**
	 * Records whether an operator has declared a peer lost. Purges wait for the peer
	 * until that is on the disk: if it comes back, it has to learn of it.
	 */
	public synchronized void lost(String peer, boolean isLost) {
		this.records.lost(peer, isLost);
		this.voidedAt.put(peer, present());
		this.marks.voided(peer);
		allow();
	}

	/** Whether an operator has declared a peer lost. */
	public synchronized boolean isLost(String peer) {
		PeerRecords.Seen seen = this.records.of(peer);
		return seen != null && seen.lost();
	}

	/**
	 * Raises the horizon to the highest timestamp that may be purged now, and then
	 * permits it.
	 * @param before writes the records of peers: a horizon above the comparisons that
	 * they name would tell a peer that this node has purged without it
	 * @throws IOException when the horizon could not be written: nothing more is allowed
	 */
	public void advance(PeerRecords.Writing before) throws IOException {
		Horizon.Levels attainable = attainable();
		before.write();
		this.horizon.raise(attainable);
		synchronized (this) {
			allow();
		}
	}

	private synchronized Horizon.Levels attainable() {
		long oldEnough = this.terms.oldEnough();
		Map<String, Long> towards = new HashMap<>();
		for (String peer : this.sets.sharing()) {
			long level = this.sets.highestWith(peer, this::instantOf);
			if (level != 0) {
				towards.put(peer, lower(oldEnough, level));
			}
		}
		long overall = this.sets.highest(this::instantOf);
		return new Horizon.Levels(lower(oldEnough, overall), towards);
	}

	private static long lower(long one, long other) {
		return (Long.compareUnsigned(one, other) <= 0) ? one : other;
	}

	private long instantOf(String peer) {
		return switch (verdict(peer)) {
			case Verdict.Agreed(var mark) -> mark.instant();
			case Verdict.Lost _ -> -1;
			case Verdict.Withheld _ -> 0;
		};
	}

	/** Hybrid time at or above every round that has begun. */
	private long present() {
		return Timestamp.hybridOfMillis(this.terms.nowMillis().getAsLong() + 1) - 1;
	}

	private void allow() {
		this.policy.allow(PurgeEligibility.of(this.sets, this.horizon.overall(), this::verdict));
	}

	private Verdict verdict(String peer) {
		if (this.paused) {
			return Verdict.Withheld.INSTANCE;
		}
		if (this.records.isKnownLost(peer)) {
			return new Verdict.Lost();
		}
		Mark mark = this.marks.of(peer, this.terms.nanoTime().getAsLong());
		return (mark != null) ? new Verdict.Agreed(mark) : Verdict.Withheld.INSTANCE;
	}

	/**
	 * Time for which deletions that are old enough have been withheld because of a peer,
	 * in seconds; 0 when none are.
	 * @param since hybrid time at which this process started
	 */
	synchronized double withheldSeconds(String peer, long since) {
		if (isLost(peer)) {
			return 0;
		}
		PeerRecords.Seen seen = this.records.of(peer);
		Mark mark = this.marks.of(peer, this.terms.nanoTime().getAsLong());
		long compared = (seen != null && seen.compared() != 0) ? seen.compared() : since;
		long agreed = (mark != null) ? mark.instant() : compared;
		long millis = Timestamp.millisOfHybrid(this.terms.oldEnough()) - Timestamp.millisOfHybrid(agreed);
		return Math.max(0, millis) / 1000.0;
	}

	/** Whether a peer is known to be rebuilding. */
	public synchronized boolean isRebuilding(String peer) {
		return this.rebuilding.contains(peer);
	}

	/** Age of the horizon in seconds; NaN when there is none. */
	double horizonAgeSeconds() {
		long overall = this.horizon.overall();
		return (overall == 0) ? Double.NaN
				: (this.terms.nowMillis().getAsLong() - Timestamp.millisOfHybrid(overall)) / 1000.0;
	}

	/** The peers that share a partition with this node. */
	public Set<String> sharing() {
		return this.sets.sharing();
	}

	/** The mark of a peer that counts, or {@code null}. */
	synchronized @Nullable Mark markOf(String peer) {
		return this.marks.of(peer, this.terms.nanoTime().getAsLong());
	}

}
