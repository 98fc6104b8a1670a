package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;

/**
 * The count of the replicas' replies to one attempt of a write. Pure, and safe for any
 * number of threads.
 * <p>
 * An attempt is <em>in order</em> when its timestamp is above those of all writes that a
 * majority had acknowledged when the write began. This is so when the coordinator, before
 * it took the timestamp, has heard from so many replicas that every majority includes one
 * of them. It is also so when a majority has taken the attempt, of whom so many have lost
 * nothing that one of them had each of those writes. A replica that holds something newer
 * counts, too, then: the newer entry is of a concurrent write. The ack of a replica that
 * is being rebuilt, or has just started, says that the entry is durable, and nothing of
 * the order.
 * <p>
 * While a change of the layout is under way, all this holds for the replicas of before
 * and of after it: a coordinator may know of the one side alone, or of the other. The
 * quorum is reached, and the attempt in order, when it is so on each side; no read may
 * have found an entry that is given up, on either.
 * <p>
 * An attempt may be given up for a newer timestamp when so many replicas never held its
 * entry, and never will, that the rest are no majority: no read of a majority has found
 * the entry, nor ever will (see {@link ReadTally#isHeld}). The timestamps in the answers
 * of those replicas put the next attempt in order. If the attempt can neither be in order
 * nor be given up any more, the outcome stays unknown: a new timestamp might let the
 * write take effect twice.
 */
final class WriteTally {

	private final ReplicaPlan plan;

	private final List<Replica> replicas;

	private final Side[] sides;

	private final boolean isStampedInOrder;

	private final @Nullable WriteReply[] replies;

	/**
	 * Creates a tally without replies.
	 * @param isStampedInOrder whether the timestamp is known to be above those of all
	 * writes that a majority had acknowledged before
	 */
	WriteTally(ReplicaPlan plan, boolean isStampedInOrder) {
		this.plan = plan;
		this.replicas = plan.replicas();
		this.sides = new Side[plan.sides().size()];
		for (int i = 0; i < this.sides.length; i++) {
			this.sides[i] = new Side(plan.sides().get(i));
		}
		this.isStampedInOrder = isStampedInOrder;
		this.replies = new WriteReply[this.replicas.size()];
	}

	/**
	 * Whether the timestamp is known to be above those of all writes that a majority had
	 * acknowledged before.
	 */
	boolean isStampedInOrder() {
		return this.isStampedInOrder;
	}

	/**
	 * Whether any replica that was asked may hold the entry from this attempt, or yet
	 * take it.
	 * @param ofSilent silent nodes of which this is assumed
	 */
	synchronized boolean mayBeHeld(Predicate<String> ofSilent) {
		for (int i = 0; i < this.replies.length; i++) {
			WriteReply reply = this.replies[i];
			if ((reply != null) ? mayHold(reply) : ofSilent.test(this.replicas.get(i).nodeId())) {
				return true;
			}
		}
		return false;
	}

	private static boolean mayHold(@Nullable WriteReply reply) {
		return switch (reply) {
			case null -> true;
			case WriteReply.Applied _ -> true;
			case WriteReply.Superseded beyond -> !beyond.wasNeverHeld();
			case WriteReply.Promised _ -> false;
			// Also the reason of a coordinator that does not believe what superseded it.
			case WriteReply.Failed(Failure failure) ->
				!failure.reason().isRefusal() || failure.reason() == Reason.CLOCK_SKEW;
		};
	}

	/** Counts a reply. */
	synchronized void add(int replica, WriteReply reply) {
		this.replies[replica] = reply;
		for (Side side : this.sides) {
			if (side.terms.asks(replica)) {
				side.add(reply);
			}
		}
	}

	/**
	 * Returns the decision that follows from the replies so far.
	 * @param suspect nodes that are not expected to answer: the silent ones among them
	 * count as failed for {@link Decision#SUPERSEDED}, never for
	 * {@link Decision#HOPELESS}
	 */
	synchronized Decision decision(Predicate<String> suspect) {
		boolean isInOrder = isInOrder();
		if (isReached(isInOrder)) {
			return Decision.REACHED;
		}
		for (Side side : this.sides) {
			if (side.failures > side.terms.spare()) {
				return hopeless();
			}
		}
		if (isInOrder) {
			return mayBeAcknowledged() ? Decision.PENDING : Decision.OVERTAKEN;
		}
		if (mayBeGivenUp(false) && isLost(suspect)) {
			return Decision.SUPERSEDED;
		}
		boolean isOpen = mayBeReached() || mayBeGivenUp(true);
		return (isOpen && !(isOvertaken() && isLost(suspect))) ? Decision.PENDING : hopeless();
	}

	/* A round on the register settles it, whichever replicas have stored it by then. */
	private Decision hopeless() {
		return isOvertaken() ? Decision.OVERTAKEN : Decision.HOPELESS;
	}

	private boolean isOvertaken() {
		for (Side side : this.sides) {
			if (side.promised + side.conditional > 0) {
				return true;
			}
		}
		return false;
	}

	/* A conditional write that is newer has not replaced this one. */
	private boolean mayBeAcknowledged() {
		for (Side side : this.sides) {
			if (side.acks(true) + side.silent() < side.terms.ack()) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Whether the timestamp is known, by the replies so far, to be above those of all
	 * writes that a majority had acknowledged before.
	 */
	synchronized boolean isInOrder() {
		return this.isStampedInOrder || isInOrder(false);
	}

	/**
	 * Whether the replies put the attempt in order on each side.
	 * @param withSilent whether the silent replicas are taken to acknowledge it
	 */
	private boolean isInOrder(boolean withSilent) {
		for (Side side : this.sides) {
			if (!side.isInOrder(withSilent)) {
				return false;
			}
		}
		return true;
	}

	private boolean isReached(boolean isInOrder) {
		for (Side side : this.sides) {
			if (side.acks(isInOrder) < side.terms.ack()
					|| (side.terms.isOrdered() && !this.isStampedInOrder && !side.isInOrder(false))) {
				return false;
			}
		}
		return true;
	}

	/* The failures leave enough replicas, and those that are silent acknowledge it. */
	private boolean mayBeReached() {
		if (isInOrder(true)) {
			return true;
		}
		for (Side side : this.sides) {
			if (side.acks + side.silent() < side.terms.ack() || (side.terms.isOrdered() && !side.isInOrder(true))) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Whether so many replicas of each side never held the entry that the rest are no
	 * majority.
	 * @param withSilent whether the silent replicas are taken to be of these
	 */
	private boolean mayBeGivenUp(boolean withSilent) {
		for (Side side : this.sides) {
			if (side.neverHeld + (withSilent ? side.silent() : 0) < side.terms.heard()) {
				return false;
			}
		}
		return true;
	}

	/** Whether too many replicas of a side are not going to take the entry. */
	private boolean isLost(Predicate<String> suspect) {
		for (Side side : this.sides) {
			int lost = side.failures + side.superseded;
			for (int i = 0; i < this.replies.length; i++) {
				boolean isLost = this.replies[i] == null && side.terms.asks(i)
						&& suspect.test(this.replicas.get(i).nodeId());
				lost += isLost ? 1 : 0;
			}
			if (lost > side.terms.spare()) {
				return true;
			}
		}
		return false;
	}

	/** Whether a replica has refused the attempt because of its layout. */
	synchronized boolean isOfOtherLayout() {
		for (WriteReply reply : this.replies) {
			if (reply instanceof WriteReply.Failed(Failure failure) && failure.reason().isOfLayout()) {
				return true;
			}
		}
		return false;
	}

	/** The failure of a write with this outcome. */
	synchronized QuorumNotReachedException notReached() {
		Side weakest = weakest();
		return QuorumNotReachedException.of(this.plan, weakest.terms, counted(weakest), true, said());
	}

	/* The one that lacks the most acks. */
	private Side weakest() {
		Side weakest = this.sides[0];
		for (Side side : this.sides) {
			if (counted(side) - side.terms.ack() < counted(weakest) - weakest.terms.ack()) {
				weakest = side;
			}
		}
		return weakest;
	}

	/* The acks that count for the answer, as far as it stands. */
	private int counted(Side side) {
		boolean isInOrder = isInOrder();
		return (isInOrder || !side.terms.isOrdered()) ? side.acks(isInOrder) : side.complete;
	}

	private List<Said> said() {
		List<Said> said = new ArrayList<>();
		for (int i = 0; i < this.replies.length; i++) {
			said.add(new Said(this.replicas.get(i).nodeId(), word(this.replies[i])));
		}
		return said;
	}

	/** The word for a reply in messages. */
	static String word(@Nullable WriteReply reply) {
		return switch (reply) {
			case null -> "silent";
			case WriteReply.Applied applied -> applied.isComplete() ? "ack" : "incomplete";
			case WriteReply.Superseded _ -> "superseded";
			case WriteReply.Promised _ -> "promised";
			case WriteReply.Failed(Failure failure) -> failure.reason().word();
		};
	}

	/** The counts of one side. */
	private static final class Side {

		private final QuorumSide terms;

		private int acks;

		/* Of the acks, those of replicas that have lost nothing. */
		private int complete;

		private int failures;

		private int superseded;

		private int neverHeld;

		/* Of the superseded, those that may be so by a conditional write. */
		private int conditional;

		/* Of the failures, those of replicas that have promised the key to a round. */
		private int promised;

		private Side(QuorumSide terms) {
			this.terms = terms;
		}

		private void add(WriteReply reply) {
			switch (reply) {
				case WriteReply.Applied applied -> {
					this.acks++;
					this.complete += applied.isComplete() ? 1 : 0;
				}
				case WriteReply.Promised _ -> {
					this.failures++;
					this.promised++;
				}
				case WriteReply.Failed _ -> this.failures++;
				case WriteReply.Superseded beyond -> {
					this.superseded++;
					this.conditional += beyond.isPlain() ? 0 : 1;
					this.neverHeld += beyond.wasNeverHeld() ? 1 : 0;
				}
			}
		}

		private int silent() {
			return this.terms.from() - this.acks - this.failures - this.superseded;
		}

		private boolean isInOrder(boolean withSilent) {
			int expected = withSilent ? silent() : 0;
			return this.acks + expected >= this.terms.majority() && this.complete + expected >= this.terms.heard();
		}

		/**
		 * Number of replicas that hold the entry, or something newer that is no reason
		 * for a new timestamp: by a plain write, which has replaced this one.
		 */
		private int acks(boolean isInOrder) {
			return this.acks + (isInOrder ? this.superseded - this.conditional : 0);
		}

	}

	/** The state of an attempt. */
	enum Decision {

		/** More replies are needed. */
		PENDING,

		/** Enough replicas hold the entry. */
		REACHED,

		/** Too many replicas failed. */
		HOPELESS,

		/**
		 * Rounds on the register of the key keep too many replicas from the entry, or
		 * have written it since.
		 */
		OVERTAKEN,

		/**
		 * No read has found the entry nor will, and a newer timestamp may reach enough
		 * replicas.
		 */
		SUPERSEDED

	}

}
