package io.quorate.coordinator;

import java.util.List;
import java.util.function.IntPredicate;

import io.quorate.entry.Entry;
import io.quorate.replica.Replica;
import io.quorate.ring.RingPair;

/**
 * The replicas that a request asks, and the number that must answer on each side: decided
 * once, at its start.
 *
 * @param all the key's replicas: first those that are asked, then those beyond, which get
 * tombstones
 * @param asked number of replicas that are asked
 * @param sides sides whose quorum the request needs: one, or those of before and of after
 * a change
 * @param firstFactor replication factor of the cluster's first layout
 */
record ReplicaPlan(List<Replica> all, int asked, List<QuorumSide> sides, int firstFactor) {

	ReplicaPlan {
		all = List.copyOf(all);
		sides = List.copyOf(sides);
	}

	/** The replicas that the request asks. */
	List<Replica> replicas() {
		return (this.asked == this.all.size()) ? this.all : this.all.subList(0, this.asked);
	}

	/** The other replicas of the key. */
	List<Replica> beyond() {
		return this.all.subList(this.asked, this.all.size());
	}

	/**
	 * The number of copies with which an entry is written. An entry that each side sends
	 * to all is to be held by all whatever the replication factor is later.
	 */
	int from() {
		int from = 0;
		boolean isAll = true;
		for (QuorumSide side : this.sides) {
			from = Math.max(from, side.from());
			isAll &= side.isAll();
		}
		return (isAll && !isWrittenToAll(from)) ? Entry.ALL : from;
	}

	private boolean isWrittenToAll(int from) {
		return RingPair.isOfAll(from, this.firstFactor);
	}

	/**
	 * Whether each side asks all of its replicas: a majority of it meets each other one.
	 */
	boolean isOfAll() {
		for (QuorumSide side : this.sides) {
			if (!side.isAll()) {
				return false;
			}
		}
		return true;
	}

	/** Whether something holds of a majority of the replicas that each side asks. */
	boolean hasMajority(IntPredicate which) {
		for (QuorumSide side : this.sides) {
			if (side.count(which) < side.majority()) {
				return false;
			}
		}
		return true;
	}

	/** Whether every majority of each side includes one of these replicas. */
	boolean isHeardIn(IntPredicate which) {
		for (QuorumSide side : this.sides) {
			if (side.count(which) < side.heard()) {
				return false;
			}
		}
		return true;
	}

	/* Number of the first replicas that an entry was written to. */
	private int copies(Entry entry) {
		return (entry.isTombstone() || isWrittenToAll(entry.from())) ? Integer.MAX_VALUE : entry.from();
	}

	/**
	 * Number of the first replicas of a side that an entry was written to, as far as the
	 * request knows: all that it asks, for a deletion.
	 */
	int copies(Entry entry, QuorumSide side) {
		return Math.min(copies(entry), side.from());
	}

	/** The number of replicas that must answer, at the least. */
	int ack() {
		int ack = 0;
		for (QuorumSide side : this.sides) {
			ack = Math.max(ack, side.ack());
		}
		return ack;
	}

	/** The number of replicas that are enough when those of all sides are asked first. */
	int first() {
		if (this.sides.size() == 1) {
			return this.sides.getFirst().ack();
		}
		int ofAllSides = 0;
		for (int replica = 0; replica < this.asked; replica++) {
			ofAllSides += isOfAllSides(replica) ? 1 : 0;
		}
		int ack = ack();
		return (ofAllSides >= ack) ? ack : this.asked;
	}

	/**
	 * Number of the first replicas that a read asks for the whole value, and the others
	 * for a digest of a large one: as few as leave one of them among any replicas that
	 * are enough for an answer, so that no read waits for the value alone.
	 */
	int whole() {
		return first() - ack() + 1;
	}

	/** Whether each side asks a replica: its answer counts on each. */
	boolean isOfAllSides(int replica) {
		for (QuorumSide side : this.sides) {
			if (!side.asks(replica)) {
				return false;
			}
		}
		return true;
	}

	/** Whether an entry was written to a replica, be that asked or not. */
	boolean isFor(int replica, Entry entry) {
		int copies = copies(entry);
		for (QuorumSide side : this.sides) {
			if (side.isFor(replica, copies)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Whether writes are in the order of their timestamps on any side, because of its
	 * majorities.
	 */
	boolean isOrdered() {
		for (QuorumSide side : this.sides) {
			if (side.isOrdered()) {
				return true;
			}
		}
		return false;
	}

}
