package io.quorate.coordinator;

import java.util.List;
import java.util.stream.Stream;

import io.quorate.replica.WriteReply;

/**
 * The attempts of a write with one entry that have ended because replicas had adopted
 * another layout. Replies to them may still come. Immutable.
 *
 * @param tallies tallies of the attempts
 */
record FormerAttempts(List<WriteTally> tallies) {

	static final FormerAttempts NONE = new FormerAttempts(List.of());

	FormerAttempts and(WriteTally one) {
		return new FormerAttempts(Stream.concat(this.tallies.stream(), Stream.of(one)).toList());
	}

	/**
	 * Returns the reply of a replica to a later attempt, as it counts. A replica that
	 * holds or has promised something newer by now knows nothing of an attempt before. If
	 * it has lost nothing and acknowledged that, its ack stays, as it would within one
	 * attempt: the later plan must have the sides by which it counted. If it may hold the
	 * entry from an attempt before, it is not one that never held it.
	 */
	WriteReply believed(String replica, WriteReply reply, ReplicaPlan plan) {
		boolean isRefused = reply instanceof WriteReply.Superseded || reply instanceof WriteReply.Promised;
		if (this.tallies.isEmpty() || !isRefused) {
			return reply;
		}
		if (isComplete(replica) && areOfSidesOf(plan)) {
			return WriteReply.Applied.COMPLETE;
		}
		return (reply instanceof WriteReply.Superseded beyond && beyond.wasNeverHeld() && mayHold(replica))
				? new WriteReply.Superseded(beyond.by(), false, beyond.isPlain()) : reply;
	}

	private boolean isComplete(String replica) {
		return this.tallies.stream().anyMatch((tally) -> tally.isComplete(replica));
	}

	private boolean mayHold(String replica) {
		return this.tallies.stream().anyMatch((tally) -> tally.mayHold(replica));
	}

	/**
	 * Whether a plan has all sides of these attempts. A read by the plan of any of them
	 * has found the entry only if it had a quorum of such a side.
	 */
	boolean areOfSidesOf(ReplicaPlan plan) {
		return this.tallies.stream().allMatch((tally) -> plan.namesOfSides().containsAll(tally.plan().namesOfSides()));
	}

}
