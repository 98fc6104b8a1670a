package io.quorate.coordinator;

import java.util.List;

import io.quorate.replica.Replica;

/**
 * Who is asked and how many must answer: decided once, at the start of a request.
 *
 * @param replicas the first {@code from} nodes of the key's preference list
 * @param ack how many of them must answer
 */
record ReplicaPlan(List<Replica> replicas, int ack) {

	ReplicaPlan {
		replicas = List.copyOf(replicas);
		if (ack < 1 || ack > replicas.size()) {
			throw new IllegalArgumentException("%d acks of %d replicas".formatted(ack, replicas.size()));
		}
	}

	int from() {
		return this.replicas.size();
	}

}
