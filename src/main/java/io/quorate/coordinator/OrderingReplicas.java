package io.quorate.coordinator;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;

/**
 * The replicas whose acks are expected to put writes in order: those that serve, and have
 * been here for a while. A replica that has just started acknowledges writes before it
 * can say that it has lost nothing, and of the entries that repairs bring it then it
 * cannot say whether it held them before. One that is about to stop may be gone before
 * the next write. While one replica of a key is of those, coordinators ask the others for
 * their timestamps first, so that the outcome of no write depends on that replica. Of the
 * replicas that a change adds, so many are needed as its quorums are. Safe for any number
 * of threads.
 */
final class OrderingReplicas {

	/**
	 * Time from the return of a replica until it is relied on. The nodes of a rolling
	 * change stop one after another in about such intervals.
	 */
	static final Duration SETTLED = Duration.ofSeconds(10);

	private final Suspects suspects;

	private final LongSupplier nanos;

	/*
	 * Replicas that have been suspect or incomplete, each with the instant from which on
	 * a complete ack is believed.
	 */
	private final Map<String, Long> unproven = new ConcurrentHashMap<>();

	/* Replicas of which the last ack was complete, and that were not suspect since. */
	private final Set<String> proven = ConcurrentHashMap.newKeySet();

	OrderingReplicas(Suspects suspects, List<Replica> replicas, LongSupplier nanos) {
		this.suspects = suspects;
		this.nanos = nanos;
		suspects.onSuspect(this::distrust);
		replicas.stream().map(Replica::nodeId).filter(suspects::isSuspect).forEach(this::distrust);
	}

	private void distrust(String node) {
		this.unproven.put(node, this.nanos.getAsLong() + SETTLED.toNanos());
		this.proven.remove(node);
	}

	/** Whether a complete ack of a node is expected. */
	boolean includes(String node) {
		return !this.suspects.isSuspect(node) && (this.unproven.isEmpty() || !this.unproven.containsKey(node));
	}

	/**
	 * Whether the acks of a write's replicas are expected to put it in order: those of
	 * all replicas of before a change, and of so many of each side that every majority
	 * includes one of them. A replica that joins refuses writes until it has adopted the
	 * layout, and acknowledges them before it has a copy of older ones: it counts once it
	 * has acknowledged one without having lost anything.
	 */
	boolean order(ReplicaPlan plan) {
		List<Replica> replicas = plan.replicas();
		HeardReplicas relied = (plan.sides().size() > 1) ? new HeardReplicas(plan.sides()) : null;
		for (int i = 0; i < replicas.size(); i++) {
			String node = replicas.get(i).nodeId();
			boolean isOfBefore = plan.sides().getFirst().asks(i);
			if (includes(node) && (isOfBefore || this.proven.contains(node))) {
				if (relied != null) {
					relied.add(i);
				}
			}
			else if (isOfBefore || this.suspects.isSuspect(node)) {
				return false;
			}
		}
		return relied == null || relied.isEnough();
	}

	/** Learns from the ack of a node. */
	void acknowledged(String node, WriteReply.Applied ack) {
		if (!ack.isComplete()) {
			distrust(node);
			return;
		}
		if (!this.proven.contains(node)) {
			this.proven.add(node);
		}
		if (!this.unproven.isEmpty()) {
			Long until = this.unproven.get(node);
			if (until != null && this.nanos.getAsLong() - until >= 0 && !this.suspects.isSuspect(node)) {
				this.unproven.remove(node, until);
			}
		}
	}

}
