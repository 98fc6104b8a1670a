package io.quorate.ring;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;

/**
 * The rings of a change of members or of the replication factor: that of before and that
 * of after. While the change is under way, both assign each key to replicas. Immutable
 * and thread-safe.
 * <p>
 * A change of one member changes the replicas of a partition by one, or not at all: see
 * {@link RendezvousOrder}. So does a replication factor that is greater or less by one.
 *
 * @param before ring that the change comes from
 * @param after ring that it goes to
 * @param firstFactor replication factor of the cluster's first ring
 */
public record RingPair(Ring before, Ring after, int firstFactor) {

	/** The pair of a change before which the replication factor has never changed. */
	public RingPair(Ring before, Ring after) {
		this(before, after, before.replicationFactor());
	}

	/** The pair while no change is under way, and the replication factor never has. */
	public static RingPair of(Ring only) {
		return new RingPair(only, only);
	}

	/** Whether both are the same ring: no change is under way. */
	public boolean isOne() {
		return this.before.epoch() == this.after.epoch();
	}

	/**
	 * Whether an entry is to be held by all replicas of its key, however many the
	 * replication factor makes them. The first replication factor stands for all: while
	 * it holds, entries have it, and programs that cannot change it know no other way.
	 * @param from number of copies that the entry names
	 */
	public boolean isOfAll(int from) {
		return isOfAll(from, this.firstFactor);
	}

	/** As above, with the replication factor of the cluster's first ring. */
	public static boolean isOfAll(int from, int firstFactor) {
		return from == Entry.ALL || from == firstFactor;
	}

	/** The members of both rings, each once, in the order of their ids. */
	public List<Member> members() {
		if (isOne()) {
			return this.before.members();
		}
		TreeSet<Member> all = new TreeSet<>(Comparator.comparing(Member::id));
		all.addAll(this.before.members());
		all.addAll(this.after.members());
		return List.copyOf(all);
	}

	/** Whether a node is a member of either ring. */
	public boolean hasMember(String id) {
		return this.before.indexOf(id) >= 0 || this.after.indexOf(id) >= 0;
	}

	/** The partition of a key, from 0. */
	public int partitionOf(Key key) {
		return this.before.partitionOf(key);
	}

	/** The places of a member in the orders of all partitions. */
	public MemberPlaces placesOf(String member) {
		return new MemberPlaces(this.before, this.after, member);
	}

	/** Whether a member is a replica of a partition in either ring. */
	public boolean isReplica(String member, int partition) {
		return placesOf(member).isReplica(partition);
	}

	/** The replicas of a partition in the ring of before, the most preferred first. */
	public List<Member> replicasBefore(int partition) {
		return this.before.replicas(partition);
	}

	/** The replicas of a partition in the ring of after, the most preferred first. */
	public List<Member> replicasAfter(int partition) {
		return this.after.replicas(partition);
	}

	/**
	 * The replicas of a partition in either ring, the most preferred of before first, and
	 * those that gain it last.
	 */
	public List<Member> replicas(int partition) {
		if (isOne()) {
			return replicasBefore(partition);
		}
		List<Member> all = new ArrayList<>(replicasBefore(partition));
		replicasAfter(partition).stream()
			.filter((member) -> placesOf(member.id()).before(partition) < 0)
			.forEach(all::add);
		return all;
	}

	/**
	 * Whether the first {@code from} replicas of a partition are the same in both rings,
	 * in whatever order: then the change does not concern entries of so many copies.
	 * @param from number of copies; above a replication factor it counts as that
	 */
	public boolean isSame(int partition, int from) {
		List<Member> some = first(this.before, partition, from);
		List<Member> others = first(this.after, partition, from);
		return some.size() == others.size() && some.stream()
			.allMatch((member) -> others.stream().anyMatch((other) -> other.id().equals(member.id())));
	}

	/** Whether a member is a replica of a partition after the change, and not before. */
	public boolean gains(String member, int partition) {
		return placesOf(member).gains(partition);
	}

	/** Whether a member is a replica of a partition before the change, and not after. */
	public boolean loses(String member, int partition) {
		return placesOf(member).loses(partition);
	}

	/** The number of partitions that a member gains. */
	public int gained(String member) {
		return placesOf(member).gained();
	}

	private static List<Member> first(Ring ring, int partition, int from) {
		return ring.preferenceList(partition).subList(0, Math.min(from, ring.replicationFactor()));
	}

}
