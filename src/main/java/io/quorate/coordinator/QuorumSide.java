package io.quorate.coordinator;

import java.util.function.IntPredicate;

/**
 * The replicas of a request by one assignment of its key, and the number of them that
 * must answer. A request has one side; while a change of the layout is under way it has
 * two, of before and of after the change, if these differ. Immutable.
 */
final class QuorumSide {

	private final int ack;

	private final int from;

	/*
	 * Of all that hold copies of the key, the most preferred first: positions in the
	 * plan.
	 */
	private final int[] replicas;

	/**
	 * A side of a plan.
	 * @param from number of its replicas that are asked, the most preferred ones
	 * @param replicas positions of its replicas in {@link ReplicaPlan#all()}, as many as
	 * the replication factor; not copied
	 */
	QuorumSide(int ack, int from, int... replicas) {
		if (ack < 1 || ack > from || from > replicas.length) {
			throw new IllegalArgumentException("%d acks of %d replicas, of %d".formatted(ack, from, replicas.length));
		}
		this.ack = ack;
		this.from = from;
		this.replicas = replicas;
	}

	int ack() {
		return this.ack;
	}

	/** Number of replicas that are asked. */
	int from() {
		return this.from;
	}

	/** Number of replicas that may fail. */
	int spare() {
		return this.from - this.ack;
	}

	int majority() {
		return this.from / 2 + 1;
	}

	/** Number of replicas of which every majority includes at least one. */
	int heard() {
		return this.from - majority() + 1;
	}

	/**
	 * Whether the acks are a majority: then writes are in the order of their timestamps.
	 */
	boolean isOrdered() {
		return this.ack >= majority();
	}

	/** Whether all replicas are asked. */
	boolean isAll() {
		return this.from == this.replicas.length;
	}

	/** Number of the replicas that are asked of which something holds. */
	int count(IntPredicate which) {
		return count(this.from, which);
	}

	/** Number of the first replicas of which something holds. */
	int count(int first, IntPredicate which) {
		int count = 0;
		for (int place = 0; place < first; place++) {
			count += which.test(this.replicas[place]) ? 1 : 0;
		}
		return count;
	}

	/** Whether a replica is asked on this side. */
	boolean asks(int replica) {
		return isFor(replica, this.from);
	}

	/** Whether a replica is among the first of this side, of which there may be fewer. */
	boolean isFor(int replica, int copies) {
		int last = Math.min(copies, this.replicas.length);
		for (int place = 0; place < last; place++) {
			if (this.replicas[place] == replica) {
				return true;
			}
		}
		return false;
	}

}
