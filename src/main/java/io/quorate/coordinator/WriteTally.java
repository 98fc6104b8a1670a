package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.replica.Failure;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;

/**
 * The count of what the replicas said to one attempt of a write. Pure, and safe for any
 * number of threads.
 */
final class WriteTally {

	private final int ack;

	private final List<Replica> replicas;

	private final @Nullable WriteReply[] replies;

	private int acks;

	private int failures;

	private int superseded;

	private Timestamp highest = Timestamp.ZERO;

	WriteTally(int ack, List<Replica> replicas) {
		this.ack = ack;
		this.replicas = replicas;
		this.replies = new WriteReply[replicas.size()];
	}

	/** Counts a reply. */
	synchronized void add(int replica, WriteReply reply) {
		this.replies[replica] = reply;
		switch (reply) {
			case WriteReply.Applied() -> this.acks++;
			case WriteReply.Failed _ -> this.failures++;
			case WriteReply.Superseded(var by) -> {
				this.superseded++;
				this.highest = by.isAfter(this.highest) ? by : this.highest;
			}
		}
	}

	/**
	 * Says how things stand.
	 * @param suspect nodes that are not expected to answer: once some replica has
	 * superseded the write, the silent ones among them count as failed for the decision
	 * to stamp it anew, never for giving up
	 */
	synchronized Decision decision(Predicate<String> suspect) {
		int spare = this.replicas.size() - this.ack;
		if (this.acks >= this.ack) {
			return Decision.REACHED;
		}
		if (this.failures > spare) {
			return Decision.HOPELESS;
		}
		if (this.superseded == 0) {
			return Decision.PENDING;
		}
		int lost = this.failures + this.superseded;
		for (int i = 0; i < this.replies.length && lost <= spare; i++) {
			if (this.replies[i] == null && suspect.test(this.replicas.get(i).nodeId())) {
				lost++;
			}
		}
		return (lost > spare) ? Decision.SUPERSEDED : Decision.PENDING;
	}

	int ack() {
		return this.ack;
	}

	synchronized int acks() {
		return this.acks;
	}

	/** The timestamp that a new stamp has to exceed. */
	synchronized Timestamp highest() {
		return this.highest;
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
			case WriteReply.Applied() -> "ack";
			case WriteReply.Superseded _ -> "superseded";
			case WriteReply.Failed(Failure failure) -> failure.reason().word();
		};
	}

	/** How a write stands. */
	enum Decision {

		/** More replies are needed. */
		PENDING,

		/** Enough replicas hold it. */
		REACHED,

		/** Too many replicas failed. */
		HOPELESS,

		/** This stamp cannot reach enough replicas any more, a newer one may. */
		SUPERSEDED

	}

}
