package io.quorate.coordinator;

import java.util.List;

import io.quorate.replica.Replica;

/**
 * The replicas that a request asks, and the number that must answer: decided once, at its
 * start.
 *
 * @param replicas the first {@code from} nodes of the key's replica set
 * @param beyond the other nodes of the replica set: they get tombstones
 * @param ack number of the replicas that must answer
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
	 * Makes the plan of a request.
	 * @param preferred the key's replica set, as long as the replication factor
	 */
	static ReplicaPlan of(List<Replica> preferred, Consistency consistency) {
		Consistency quorum = consistency.at(preferred.size());
		int from = quorum.from();
		boolean isAll = from == preferred.size();
		return new ReplicaPlan(isAll ? preferred : preferred.subList(0, from),
				isAll ? List.of() : preferred.subList(from, preferred.size()), quorum.ack());
	}

	int from() {
		return this.replicas.size();
	}

}
