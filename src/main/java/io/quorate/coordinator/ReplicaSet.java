package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.quorate.replica.Replica;

/**
 * The replicas of a key, the most preferred first. While a change of the layout is under
 * way, those of before and those of after the change: a request then needs its quorum
 * among either. Two sets are equal when they have the same replicas in the same order.
 * Immutable.
 */
public final class ReplicaSet {

	private final List<Replica> before;

	private final List<Replica> after;

	/* Whether a request needs a quorum among either. */
	private final boolean isJoint;

	private final List<Replica> replicas;

	/* Positions in a plan for all of them. */
	private final int[] places;

	private final int firstFactor;

	private final int hash;

	private ReplicaSet(List<Replica> before, List<Replica> after, int firstFactor) {
		this.before = before;
		this.after = after;
		this.isJoint = !before.equals(after);
		this.firstFactor = firstFactor;
		this.replicas = this.isJoint ? union(before, after) : before;
		this.places = IntStream.range(0, this.replicas.size()).toArray();
		this.hash = 31 * before.hashCode() + after.hashCode();
	}

	/**
	 * The set by one assignment, as many replicas as the replication factor, which has
	 * never changed.
	 */
	public static ReplicaSet of(List<Replica> replicas) {
		return of(replicas, replicas, replicas.size());
	}

	/**
	 * The set while a change of the layout is under way. If it is the same before and
	 * after, the change does not concern the key.
	 * @param firstFactor replication factor of the cluster's first layout
	 */
	public static ReplicaSet of(List<Replica> before, List<Replica> after, int firstFactor) {
		return new ReplicaSet(List.copyOf(before), List.copyOf(after), firstFactor);
	}

	private static List<Replica> union(List<Replica> first, List<Replica> then) {
		List<Replica> all = new ArrayList<>(first);
		then.stream().filter((replica) -> !first.contains(replica)).forEach(all::add);
		return List.copyOf(all);
	}

	/** The replicas of both sides, each once, those of before the change first. */
	public List<Replica> replicas() {
		return this.replicas;
	}

	/**
	 * The replicas of each side: of one, or of those of before and those of after a
	 * change.
	 */
	public List<List<Replica>> sides() {
		return this.isJoint ? List.of(this.before, this.after) : List.of(this.before);
	}

	/**
	 * Makes the plan of a request. Its quorum counts for each side of a change by the
	 * replication factor of that side.
	 */
	ReplicaPlan plan(Consistency consistency) {
		return this.isJoint ? joint(consistency) : plan(this.before, consistency);
	}

	private ReplicaPlan plan(List<Replica> preferred, Consistency consistency) {
		Consistency quorum = consistency.at(preferred.size());
		return new ReplicaPlan(preferred, quorum.from(),
				List.of(new QuorumSide(quorum.ack(), quorum.from(), this.places)), this.firstFactor);
	}

	private ReplicaPlan joint(Consistency consistency) {
		Consistency old = consistency.at(this.before.size());
		Consistency next = consistency.at(this.after.size());
		List<Replica> asked = union(this.before.subList(0, old.from()), this.after.subList(0, next.from()));
		List<Replica> all = union(asked, this.replicas);
		return new ReplicaPlan(all, asked.size(), List.of(side(old, this.before, all), side(next, this.after, all)),
				this.firstFactor);
	}

	private static QuorumSide side(Consistency quorum, List<Replica> preferred, List<Replica> all) {
		return new QuorumSide(quorum.ack(), quorum.from(), preferred.stream().mapToInt(all::indexOf).toArray());
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof ReplicaSet set && this.hash == set.hash && this.before.equals(set.before)
				&& this.after.equals(set.after);
	}

	@Override
	public int hashCode() {
		return this.hash;
	}

	@Override
	public String toString() {
		return this.isJoint ? names(this.before) + " -> " + names(this.after) : names(this.before);
	}

	private static String names(List<Replica> replicas) {
		return replicas.stream().map(Replica::nodeId).toList().toString();
	}

}
