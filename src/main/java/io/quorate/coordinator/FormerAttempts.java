package io.quorate.coordinator;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;

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
	 * Returns the reply of a replica to a later attempt. A replica that holds something
	 * newer by now does not know what it has said of the entry before. Its ack stays, as
	 * it would within one attempt, if the later plan has the sides by which it counted.
	 */
	WriteReply believed(String replica, WriteReply reply, ReplicaPlan plan) {
		if (!(reply instanceof WriteReply.Superseded(var by, var wasNeverHeld))) {
			return reply;
		}
		WriteReply ack = areOfSidesOf(plan) ? ackOf(replica) : null;
		if (ack != null) {
			return ack;
		}
		return (wasNeverHeld && mayHold(replica)) ? new WriteReply.Superseded(by, false) : reply;
	}

	private WriteReply.@Nullable Applied ackOf(String replica) {
		return this.tallies.stream()
			.map((tally) -> tally.ackOf(replica))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	private boolean mayHold(String replica) {
		return this.tallies.stream().anyMatch((tally) -> tally.mayHold(replica));
	}

	/**
	 * Whether a plan has all sides of these attempts. Then a read that found the entry,
	 * by the plan of any of them, had a quorum of one of its sides.
	 */
	boolean areOfSidesOf(ReplicaPlan plan) {
		return this.tallies.isEmpty() || this.tallies.stream()
			.allMatch((tally) -> plan.namesOfSides().containsAll(tally.plan().namesOfSides()));
	}

}
