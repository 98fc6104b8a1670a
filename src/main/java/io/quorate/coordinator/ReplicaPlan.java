package io.quorate.coordinator;

import java.util.List;

import io.quorate.replica.Replica;

/**
 * Who is asked and how many must answer: decided once, at the start of a request.
 *
 * @param replicas the first {@code from} nodes of the key's preference list
 * @param beyond its other nodes, up to the replication factor: they get tombstones
 * @param ack how many of the replicas must answer
 */
record ReplicaPlan(List<Replica> replicas, List<Replica> beyond, int ack) {

	ReplicaPlan {
		replicas = List.copyOf(replicas);
		beyond = List.copyOf(beyond);
		if (ack < 1 || ack > replicas.size()) {
			throw new IllegalArgumentException("%d acks of %d replicas".formatted(ack, replicas.size()));
		}
	}

	/**
	 * The plan of a request.
	 * @param preferred the key's preference list, as long as the replication factor
	 */
	static ReplicaPlan of(List<Replica> preferred, Consistency consistency) {
		int from = consistency.from();
		boolean isAll = from == preferred.size();
		return new ReplicaPlan(isAll ? preferred : preferred.subList(0, from),
				isAll ? List.of() : preferred.subList(from, preferred.size()), consistency.ack());
	}

	int from() {
		return this.replicas.size();
	}

}
