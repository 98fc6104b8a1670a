package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.quorate.entry.Key;
import io.quorate.replica.Replica;
import io.quorate.ring.Ring;

/** The replica sets of a ring, as lists of replicas. A look-up allocates nothing. */
final class RingPreferenceLists implements PreferenceLists {

	private final Ring ring;

	private final List<Replica> all;

	private final List<List<Replica>> byPartition;

	private final Collection<List<Replica>> distinct;

	/**
	 * Creates the replica sets of a ring.
	 * @param replicas the replica of each member by its id
	 */
	RingPreferenceLists(Ring ring, Map<String, Replica> replicas) {
		this.ring = ring;
		this.all = ring.members().stream().map((member) -> replica(replicas, member.id())).toList();
		Map<List<Replica>, List<Replica>> shared = new HashMap<>();
		List<List<Replica>> lists = new ArrayList<>(Ring.PARTITIONS);
		for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
			List<Replica> list = ring.preferenceList(partition)
				.subList(0, ring.replicationFactor())
				.stream()
				.map((member) -> replica(replicas, member.id()))
				.toList();
			lists.add(shared.computeIfAbsent(list, (same) -> same));
		}
		this.byPartition = List.copyOf(lists);
		this.distinct = List.copyOf(shared.values());
	}

	private static Replica replica(Map<String, Replica> replicas, String member) {
		return Objects.requireNonNull(replicas.get(member), () -> "no replica of member " + member);
	}

	@Override
	public List<Replica> replicasOf(Key key) {
		return this.byPartition.get(this.ring.partitionOf(key));
	}

	@Override
	public Collection<List<Replica>> everyList() {
		return this.distinct;
	}

	@Override
	public List<Replica> allReplicas() {
		return this.all;
	}

	@Override
	public int replicationFactor() {
		return this.ring.replicationFactor();
	}

}
