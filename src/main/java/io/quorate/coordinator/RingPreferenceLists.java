package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;

import io.quorate.entry.Key;
import io.quorate.replica.Replica;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;

/**
 * The replica sets of a ring, or of the two rings of a change. A look-up allocates
 * nothing.
 */
final class RingPreferenceLists implements PreferenceLists {

	private final Ring ring;

	private final int replicationFactor;

	private final List<Replica> all;

	private final List<ReplicaSet> byPartition;

	private final Collection<ReplicaSet> distinct;

	private RingPreferenceLists(Ring ring, int replicationFactor, List<Replica> all, IntFunction<ReplicaSet> sets) {
		this.ring = ring;
		this.replicationFactor = replicationFactor;
		this.all = all;
		Map<ReplicaSet, ReplicaSet> shared = new HashMap<>();
		List<ReplicaSet> each = new ArrayList<>(Ring.PARTITIONS);
		for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
			each.add(shared.computeIfAbsent(sets.apply(partition), (same) -> same));
		}
		this.byPartition = List.copyOf(each);
		this.distinct = List.copyOf(shared.values());
	}

	/**
	 * The replica sets of both rings while a change is under way, else of the only one.
	 * @param replicas the replica of each member of either ring by its id
	 */
	static RingPreferenceLists of(RingPair pair, Map<String, Replica> replicas) {
		return new RingPreferenceLists(pair.before(),
				Math.max(pair.before().replicationFactor(), pair.after().replicationFactor()),
				replicas(pair.members(), replicas),
				(partition) -> ReplicaSet.of(replicas(pair.replicasBefore(partition), replicas),
						replicas(pair.replicasAfter(partition), replicas), pair.firstFactor()));
	}

	private static List<Replica> replicas(List<Member> members, Map<String, Replica> replicas) {
		return members.stream().map((member) -> replica(replicas, member.id())).toList();
	}

	private static Replica replica(Map<String, Replica> replicas, String member) {
		return Objects.requireNonNull(replicas.get(member), () -> "no replica of member " + member);
	}

	@Override
	public ReplicaSet replicasOf(Key key) {
		return this.byPartition.get(this.ring.partitionOf(key));
	}

	@Override
	public Collection<ReplicaSet> everySet() {
		return this.distinct;
	}

	@Override
	public List<Replica> allReplicas() {
		return this.all;
	}

	@Override
	public int replicationFactor() {
		return this.replicationFactor;
	}

}
