package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.repair.HintSink;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;

/**
 * Collects the replicas that did not take one attempt of a write, of all its receivers.
 * Reports them to {@link HintSink} once some replica holds the entry or may hold it:
 * until then they cannot have missed anything. Safe for any number of threads.
 */
final class MissedReplicas {

	private final Key key;

	private final Entry entry;

	private final List<Replica> receivers;

	private final HintSink missed;

	private final List<String> untold = new ArrayList<>(0);

	private int refusals;

	private @Nullable Failure refusal;

	private boolean mayBeHeld;

	private boolean isSuperseded;

	private int failures;

	private int settled;

	MissedReplicas(Key key, Entry entry, List<Replica> receivers, HintSink missed) {
		this.key = key;
		this.entry = entry;
		this.receivers = receivers;
		this.missed = missed;
	}

	/**
	 * Notes the reply of one replica, once for each.
	 * @return outcome of the attempt if this reply was the last one, else {@code null}
	 */
	@Nullable ReplicationOutcome settle(String node, WriteReply reply) {
		Settled now = note(node, reply);
		for (String misser : now.missers()) {
			this.missed.missed(this.key, this.entry, misser);
		}
		return now.replicationOutcome();
	}

	/**
	 * The consequences of a reply: replicas to report, and the outcome once it is known.
	 */
	private record Settled(List<String> missers, @Nullable ReplicationOutcome replicationOutcome) {

		private static final Settled PENDING = new Settled(List.of(), null);

	}

	private synchronized Settled note(String node, WriteReply reply) {
		if (reply instanceof WriteReply.Failed(Failure failure)) {
			this.failures++;
			this.untold.add(node);
			noteFailure(failure);
		}
		else if (reply instanceof WriteReply.Promised) {
			this.failures++;
			this.untold.add(node);
		}
		else {
			/*
			 * A replica that replies superseded may hold the entry, too, beside a newer
			 * one.
			 */
			this.mayBeHeld = true;
			this.isSuperseded |= reply instanceof WriteReply.Superseded;
		}
		this.settled++;
		ReplicationOutcome replicationOutcome = (this.settled == this.receivers.size()) ? replicationOutcome() : null;
		if (!this.mayBeHeld || this.untold.isEmpty()) {
			return (replicationOutcome != null) ? new Settled(List.of(), replicationOutcome) : Settled.PENDING;
		}
		List<String> told = List.copyOf(this.untold);
		this.untold.clear();
		return new Settled(told, replicationOutcome);
	}

	private ReplicationOutcome replicationOutcome() {
		if (this.failures > 0) {
			return this.mayBeHeld ? ReplicationOutcome.MISSED : ReplicationOutcome.NOWHERE;
		}
		return this.isSuperseded ? ReplicationOutcome.SUPERSEDED : ReplicationOutcome.EVERYWHERE;
	}

	/**
	 * Notes a failure. A node that could not be asked has not refused the entry, and does
	 * not hold it.
	 */
	private void noteFailure(Failure failure) {
		if (!failure.reason().isRefusal()) {
			this.mayBeHeld = true;
		}
		else if (failure.reason() != Reason.DISCONNECTED) {
			this.refusals++;
			this.refusal = (this.refusal == null || failure.reason() == Reason.DISK_FULL) ? failure : this.refusal;
		}
	}

	/**
	 * Whether every replica that has replied refused the entry, and every other one is
	 * expected to reply.
	 * @param suspect nodes that are not expected to answer
	 */
	synchronized boolean mayBeRefusedByAll(Predicate<String> suspect) {
		if (this.mayBeHeld || this.refusals < this.untold.size()) {
			return false;
		}
		return this.receivers.stream()
			.map(Replica::nodeId)
			.allMatch((node) -> this.untold.contains(node) || !suspect.test(node));
	}

	/**
	 * The refusal with which all replicas have refused the entry, or {@code null} if not
	 * all have.
	 */
	synchronized @Nullable Failure refusalOfAll() {
		return (this.refusals == this.receivers.size()) ? this.refusal : null;
	}

}
