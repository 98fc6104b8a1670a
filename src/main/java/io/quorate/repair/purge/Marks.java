package io.quorate.repair.purge;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * The limits of this node's last complete comparison with each peer, below which a peer
 * agrees to purges. Kept in memory: after a start purge waits for the next complete
 * comparisons. Safe for any number of threads.
 * <p>
 * Invariants: (1) both limits of a mark are taken when its comparison begins; (2) it
 * moves only when that comparison is complete; (3) it counts one request timeout later,
 * when no earlier read repair is under way any more; (4) it is void once the identity of
 * the peer's data has changed, or the peer or this node is rebuilding; a comparison that
 * is then under way moves no mark.
 */
final class Marks {

	private static final int MAX_BEGUN = 4;

	private final ClusterDeadline deadline;

	private final Map<String, Complete> complete = new HashMap<>();

	/* By peer and round; of one peer the oldest is dropped. */
	private final Map<String, NavigableMap<Long, Begun>> begun = new HashMap<>();

	private record Begun(UUID storageId, Mark mark) {
	}

	/*
	 * The mark that counts, the one that will do so next, and the newest: comparisons may
	 * be complete faster than they come to count.
	 */
	private record Complete(@Nullable Mark counts, @Nullable Mark next, @Nullable Mark newest) {

		Complete with(Mark mark) {
			return (this.next == null) ? new Complete(this.counts, mark, null)
					: new Complete(this.counts, this.next, mark);
		}

		Complete at(long now, long waitNanos) {
			if (this.next == null || now - this.next.completedNanos() < waitNanos) {
				return this;
			}
			return new Complete(this.next, this.newest, null).at(now, waitNanos);
		}

	}

	/**
	 * A set without marks.
	 * @param deadline longest timeout of a request
	 */
	Marks(ClusterDeadline deadline) {
		this.deadline = deadline;
	}

	/**
	 * Records that a comparison with a peer begins; other ones with it may be under way.
	 * @param storageId identity of the peer's data
	 * @param round hybrid time at which it begins
	 * @param sequence highest sequence such that this node's entries up to it are durable
	 * and visible
	 * @param instant hybrid time up to which timestamps are compared
	 */
	synchronized void begun(String peer, UUID storageId, long round, long sequence, long instant) {
		NavigableMap<Long, Begun> rounds = this.begun.computeIfAbsent(peer,
				(_) -> new TreeMap<>(Long::compareUnsigned));
		rounds.put(round, new Begun(storageId, new Mark(sequence, instant, 0)));
		if (rounds.size() > MAX_BEGUN) {
			rounds.pollFirstEntry();
		}
	}

	/**
	 * Records that a comparison is complete: all entries that differed are durable at
	 * both nodes.
	 * @param now on the monotonic clock, in nanoseconds
	 * @return the mark, or {@code null} when the comparison counts for nothing
	 */
	synchronized @Nullable Mark completed(String peer, UUID storageId, long round, long now) {
		NavigableMap<Long, Begun> rounds = this.begun.get(peer);
		Begun its = (rounds != null) ? rounds.get(round) : null;
		if (rounds == null || its == null || !its.storageId().equals(storageId)) {
			return null;
		}
		rounds.headMap(round, true).clear();
		Mark mark = new Mark(its.mark().sequence(), its.mark().instant(), now);
		Complete before = this.complete.getOrDefault(peer, new Complete(null, null, null));
		this.complete.put(peer, before.at(now, this.deadline.nanos()).with(mark));
		return mark;
	}

	/**
	 * Voids all comparisons with a peer.
	 * @return whether there were any
	 */
	synchronized boolean voided(String peer) {
		boolean wasUnderWay = this.begun.remove(peer) != null;
		return this.complete.remove(peer) != null || wasUnderWay;
	}

	/** Voids all comparisons with all peers. */
	synchronized void voided() {
		this.begun.clear();
		this.complete.clear();
	}

	/**
	 * The mark of a peer that counts, or {@code null} when there is none.
	 * @param now on the monotonic clock, in nanoseconds
	 */
	synchronized @Nullable Mark of(String peer, long now) {
		Complete its = this.complete.computeIfPresent(peer, (_, before) -> before.at(now, this.deadline.nanos()));
		return (its != null) ? its.counts() : null;
	}

}
