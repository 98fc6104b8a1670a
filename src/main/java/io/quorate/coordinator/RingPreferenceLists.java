package io.quorate.coordinator;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

import io.quorate.entry.Key;
import io.quorate.replica.Replica;
import io.quorate.ring.Member;
import io.quorate.ring.PartitionGroups;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;

/**
 * The replica sets of a ring, or of the two rings of a change. A look-up allocates
 * nothing.
 */
final class RingPreferenceLists implements PreferenceLists {

	private final long layout;

	private final Ring ring;

	private final int replicationFactor;

	private final List<Replica> all;

	private final PartitionGroups groups;

	/* By the number of the group of partitions. */
	private final List<ReplicaSet> sets;

	private RingPreferenceLists(long layout, Ring ring, int replicationFactor, List<Replica> all,
			PartitionGroups groups, List<ReplicaSet> sets) {
		this.layout = layout;
		this.ring = ring;
		this.replicationFactor = replicationFactor;
		this.all = all;
		this.groups = groups;
		this.sets = sets;
	}

	/**
	 * The replica sets of both rings while a change is under way, else of the only one.
	 * @param layout version of the layout
	 * @param replicas the replica of each member of either ring by its id
	 */
	static RingPreferenceLists of(long layout, RingPair pair, Map<String, Replica> replicas) {
		PartitionGroups groups = PartitionGroups.of(pair);
		List<ReplicaSet> sets = IntStream.range(0, groups.count())
			.map(groups::firstOf)
			.mapToObj((partition) -> ReplicaSet.of(replicas(pair.replicasBefore(partition), replicas),
					replicas(pair.replicasAfter(partition), replicas), pair.firstFactor()))
			.toList();
		return new RingPreferenceLists(layout, pair.before(),
				Math.max(pair.before().replicationFactor(), pair.after().replicationFactor()),
				replicas(pair.members(), replicas), groups, sets);
	}

	private static List<Replica> replicas(List<Member> members, Map<String, Replica> replicas) {
		return members.stream().map((member) -> replica(replicas, member.id())).toList();
	}

	private static Replica replica(Map<String, Replica> replicas, String member) {
		return Objects.requireNonNull(replicas.get(member), () -> "no replica of member " + member);
	}

	@Override
	public long layout() {
		return this.layout;
	}

	@Override
	public ReplicaSet replicasOf(Key key) {
		return this.sets.get(this.groups.groupOf(this.ring.partitionOf(key)));
	}

	@Override
	public Collection<ReplicaSet> everySet() {
		return this.sets;
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
