package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.quorate.coordinator.QuorumNotReachedException.Said;
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
 * An attempt may be given up for a newer timestamp when so many replicas never held its
 * entry, and never will, that the rest are no majority: no read of a majority has found
 * the entry, nor ever will (see {@link ReadTally#isHeld}). The timestamps in the answers
 * of those replicas put the next attempt in order. If the attempt can neither be in order
 * nor be given up any more, the outcome stays unknown: a new timestamp might let the
 * write take effect twice.
 */
final class WriteTally {

	private final int ack;

	private final int majority;

	private final List<Replica> replicas;

	private final boolean isStampedInOrder;

	private final @Nullable WriteReply[] replies;

	private int acks;

	/* Of the acks, those of replicas that have lost nothing. */
	private int complete;

	private int failures;

	private int superseded;

	private int neverHeld;

	/**
	 * Creates a tally without replies.
	 * @param isStampedInOrder whether the timestamp is known to be above those of all
	 * writes that a majority had acknowledged before
	 */
	WriteTally(int ack, List<Replica> replicas, boolean isStampedInOrder) {
		this.ack = ack;
		this.majority = majority(replicas.size());
		this.replicas = replicas;
		this.isStampedInOrder = isStampedInOrder;
		this.replies = new WriteReply[replicas.size()];
	}

	static int majority(int replicas) {
		return replicas / 2 + 1;
	}

	/** Number of replicas of which every majority includes at least one. */
	static int heard(int replicas) {
		return replicas - majority(replicas) + 1;
	}

	/** Counts a reply. */
	synchronized void add(int replica, WriteReply reply) {
		this.replies[replica] = reply;
		switch (reply) {
			case WriteReply.Applied applied -> {
				this.acks++;
				this.complete += applied.isComplete() ? 1 : 0;
			}
			case WriteReply.Failed _ -> this.failures++;
			case WriteReply.Superseded beyond -> {
				this.superseded++;
				this.neverHeld += beyond.wasNeverHeld() ? 1 : 0;
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
		int spare = this.replicas.size() - this.ack;
		if (acks() >= this.ack && (isInOrder() || this.ack < this.majority)) {
			return Decision.REACHED;
		}
		if (this.failures > spare) {
			return Decision.HOPELESS;
		}
		if (isInOrder()) {
			return Decision.PENDING;
		}
		int heard = heard(this.replicas.size());
		if (this.neverHeld >= heard && lost(suspect) > spare) {
			return Decision.SUPERSEDED;
		}
		int silent = this.replicas.size() - this.acks - this.failures - this.superseded;
		boolean mayReach = this.acks + silent >= Math.min(this.ack, this.majority)
				&& (this.ack < this.majority || this.complete + silent >= heard);
		boolean mayBeGivenUp = this.neverHeld + silent >= heard;
		return (mayReach || mayBeGivenUp) ? Decision.PENDING : Decision.HOPELESS;
	}

	private boolean isInOrder() {
		return this.isStampedInOrder || (this.acks >= this.majority && this.complete >= heard(this.replicas.size()));
	}

	/** Number of replicas that are not going to take the entry. */
	private int lost(Predicate<String> suspect) {
		int lost = this.failures + this.superseded;
		for (int i = 0; i < this.replies.length; i++) {
			lost += (this.replies[i] == null && suspect.test(this.replicas.get(i).nodeId())) ? 1 : 0;
		}
		return lost;
	}

	int ack() {
		return this.ack;
	}

	/**
	 * Number of replicas that hold the entry, or something newer that is no reason for a
	 * new timestamp.
	 */
	synchronized int acks() {
		return this.acks + (isInOrder() ? this.superseded : 0);
	}

	/** Number of acks that count for the answer, as far as it stands. */
	synchronized int counted() {
		return (isInOrder() || this.ack < this.majority) ? acks() : this.complete;
	}

	synchronized List<Said> said() {
		List<Said> said = new ArrayList<>();
		for (int i = 0; i < this.replies.length; i++) {
			said.add(new Said(this.replicas.get(i).nodeId(), word(this.replies[i])));
		}
		return said;
	}

	private static String word(@Nullable WriteReply reply) {
		return switch (reply) {
			case null -> "silent";
			case WriteReply.Applied applied -> applied.isComplete() ? "ack" : "incomplete";
			case WriteReply.Superseded _ -> "superseded";
			case WriteReply.Failed(Failure failure) -> failure.reason().word();
		};
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
		 * No read has found the entry nor will, and a newer timestamp may reach enough
		 * replicas.
		 */
		SUPERSEDED

	}

}
