package io.quorate.coordinator;

import java.util.function.IntPredicate;
import java.util.function.Predicate;

import io.quorate.replica.Failure;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;

/**
 * The count of the replicas' replies to the second half of a round. Pure, and safe for
 * any number of threads.
 * <p>
 * The entry is chosen when a majority of each side has stored it that has lost nothing
 * before: the ack of a replica that is being rebuilt says nothing to later rounds.
 */
final class AcceptTally {

	private final ReplicaPlan plan;

	private final boolean isAckNeeded;

	private final @Nullable WriteReply[] replies;

	/**
	 * A tally without replies.
	 * @param isAckNeeded whether as many acks are needed as the client asks for, or a
	 * majority is enough
	 */
	AcceptTally(ReplicaPlan plan, boolean isAckNeeded) {
		this.plan = plan;
		this.isAckNeeded = isAckNeeded;
		this.replies = new WriteReply[plan.asked()];
	}

	/** Counts a reply. */
	synchronized void add(int replica, WriteReply reply) {
		this.replies[replica] = reply;
	}

	/**
	 * The conclusion from the replies so far.
	 * @param suspect nodes that are not expected to answer
	 */
	synchronized Decision decision(Predicate<String> suspect) {
		boolean isChosen = isChosen();
		if (isChosen && areAcksEnough(this::isAck)) {
			return Decision.REACHED;
		}
		if (isChosen && !areAcksEnough((replica) -> isAck(replica) || this.replies[replica] == null)) {
			return Decision.CHOSEN;
		}
		IntPredicate expected = (replica) -> this.replies[replica] == null
				&& !suspect.test(this.plan.all().get(replica).nodeId());
		if (isChosen || this.plan.hasMajority((replica) -> isCounted(replica) || expected.test(replica))) {
			return Decision.PENDING;
		}
		if (this.plan.hasMajority((replica) -> isCounted(replica) || isOutbid(replica) || expected.test(replica))) {
			return Decision.OUTBID;
		}
		// A suspect one may answer yet.
		return this.plan
			.hasMajority((replica) -> this.replies[replica] == null || isCounted(replica) || isOutbid(replica))
					? Decision.PENDING : Decision.LOST;
	}

	/** Whether the entry is chosen, however many acks the client asks for. */
	synchronized boolean isChosen() {
		return this.plan.hasMajority(this::isCounted);
	}

	private boolean isAck(int replica) {
		return this.replies[replica] instanceof WriteReply.Applied;
	}

	private boolean isCounted(int replica) {
		return this.replies[replica] instanceof WriteReply.Applied applied && applied.isComplete();
	}

	private boolean isOutbid(int replica) {
		return this.replies[replica] instanceof WriteReply.Superseded
				|| this.replies[replica] instanceof WriteReply.Promised;
	}

	private boolean areAcksEnough(IntPredicate which) {
		for (QuorumSide side : this.plan.sides()) {
			if (this.isAckNeeded && side.count(which) < side.ack()) {
				return false;
			}
		}
		return true;
	}

	/** Whether a replica has refused because of its layout. */
	synchronized boolean isOfOtherLayout() {
		for (WriteReply reply : this.replies) {
			if (reply instanceof WriteReply.Failed(Failure failure) && failure.reason().isOfLayout()) {
				return true;
			}
		}
		return false;
	}

	/** The failure of a round with these replies. */
	synchronized QuorumNotReachedException notReached(boolean isWrite) {
		return QuorumNotReachedException.of(this.plan, this::required, isChosen() ? this::isAck : this::isCounted,
				isWrite, (replica) -> WriteTally.word(this.replies[replica]));
	}

	private int required(QuorumSide side) {
		return this.isAckNeeded ? Math.max(side.ack(), side.majority()) : side.majority();
	}

	/** The state of the second half of a round. */
	enum Decision {

		/** More replies are needed. */
		PENDING,

		/** The entry is chosen, and as many replicas hold it as the client asks for. */
		REACHED,

		/** The entry is chosen, and fewer replicas hold it than the client asks for. */
		CHOSEN,

		/** Rounds of others have been faster. */
		OUTBID,

		/** Too many replicas have failed. */
		LOST

	}

}
