package io.quorate.coordinator;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;

/**
 * The replicas whose acks are expected to put writes in order: those that serve, and have
 * not been away since their last complete ack. A replica that has just started
 * acknowledges writes before it can say that it has lost nothing, and one that is about
 * to stop may be gone before the next write. While one replica of a key is neither, its
 * coordinators ask the others for their timestamps first, so that no outcome depends on
 * that replica. Safe for any number of threads.
 */
final class OrderingReplicas {

	private final Suspects suspects;

	/* Replicas that have been suspect since their last complete ack. */
	private final Set<String> unproven = ConcurrentHashMap.newKeySet();

	OrderingReplicas(Suspects suspects, List<Replica> replicas) {
		this.suspects = suspects;
		suspects.onSuspect(this.unproven::add);
		replicas.stream().map(Replica::nodeId).filter(suspects::isSuspect).forEach(this.unproven::add);
	}

	/** Whether a complete ack of a node is expected. */
	boolean includes(String node) {
		return !this.suspects.isSuspect(node) && !this.suspects.isStopping(node)
				&& (this.unproven.isEmpty() || !this.unproven.contains(node));
	}

	/** Learns from the ack of a node. */
	void acknowledged(String node, WriteReply.Applied ack) {
		if (!ack.isComplete()) {
			this.unproven.add(node);
		}
		else if (!this.unproven.isEmpty() && !this.suspects.isSuspect(node)) {
			this.unproven.remove(node);
		}
	}

}
