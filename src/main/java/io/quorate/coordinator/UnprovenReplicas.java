package io.quorate.coordinator;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;

/**
 * The replicas whose acks are not expected to put writes in order: those that are
 * suspect, as one is that is about to stop, and those that have been and have not said
 * since, by an ack, that they have lost nothing. One that has just started, or is being
 * rebuilt, acknowledges writes before it can say so. Safe for any number of threads.
 */
final class UnprovenReplicas {

	private final Suspects suspects;

	private final Set<String> incomplete = ConcurrentHashMap.newKeySet();

	UnprovenReplicas(Suspects suspects, List<Replica> replicas) {
		this.suspects = suspects;
		suspects.onSuspect(this.incomplete::add);
		replicas.stream().map(Replica::nodeId).filter(suspects::isSuspect).forEach(this.incomplete::add);
	}

	/** Learns from the reply of a node. */
	void replied(String node, WriteReply reply) {
		if (reply instanceof WriteReply.Applied applied) {
			if (!applied.isComplete()) {
				this.incomplete.add(node);
			}
			else if (!this.incomplete.isEmpty()) {
				this.incomplete.remove(node);
			}
		}
	}

	/** Whether a plan asks any of them. */
	boolean areAskedBy(ReplicaPlan plan) {
		for (int i = 0; i < plan.asked(); i++) {
			Replica replica = plan.all().get(i);
			if (this.suspects.isSuspect(replica.nodeId()) || this.incomplete.contains(replica.nodeId())) {
				return true;
			}
		}
		return false;
	}

}
