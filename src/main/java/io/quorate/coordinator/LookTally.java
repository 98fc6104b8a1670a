package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

import io.quorate.clock.Timestamp;
import io.quorate.replica.Failure;
import io.quorate.replica.LookReply;
import io.quorate.replica.ReadReply;
import org.jspecify.annotations.Nullable;

/**
 * The count of the replicas' replies to a look at a key. Pure, and safe for any number of
 * threads.
 * <p>
 * What a majority of each side holds, without a promise above it on any of them, is
 * chosen, and no write that has begun before can change it without being seen. Anything
 * else is undecided.
 */
final class LookTally {

	private final ReplicaPlan plan;

	private final @Nullable LookReply[] replies;

	private final boolean[] isAsked;

	LookTally(ReplicaPlan plan) {
		this.plan = plan;
		this.replies = new LookReply[plan.asked()];
		this.isAsked = new boolean[plan.asked()];
	}

	/** Notes that a replica is asked. */
	synchronized void asked(int replica) {
		this.isAsked[replica] = true;
	}

	/** Whether a replica was asked. */
	synchronized boolean isAsked(int replica) {
		return this.isAsked[replica];
	}

	/** Counts a reply. */
	synchronized void add(int replica, LookReply reply) {
		this.replies[replica] = reply;
	}

	/**
	 * The conclusion from the replies so far.
	 * @param suspect nodes that are not expected to answer
	 */
	synchronized Decision decision(Predicate<String> suspect) {
		if (agreeing((_) -> false) >= 0) {
			return Decision.CHOSEN;
		}
		IntPredicate expected = (replica) -> this.isAsked[replica] && this.replies[replica] == null
				&& !suspect.test(this.plan.all().get(replica).nodeId());
		if (agreeing(expected) >= 0 || this.plan.hasMajority(expected)) {
			return Decision.PENDING;
		}
		for (boolean its : this.isAsked) {
			if (!its) {
				return Decision.MORE;
			}
		}
		if (this.plan.hasMajority((replica) -> isAnswer(this.replies[replica]) || expected.test(replica))) {
			return Decision.UNDECIDED;
		}
		// A suspect one may answer yet.
		return this.plan.hasMajority((replica) -> this.replies[replica] == null || isAnswer(this.replies[replica]))
				? Decision.PENDING : Decision.LOST;
	}

	/**
	 * The replies that agree, if the decision is that an entry is chosen: their places.
	 */
	synchronized List<Integer> chosen() {
		int first = agreeing((_) -> false);
		List<Integer> places = new ArrayList<>();
		for (int i = 0; i < this.replies.length; i++) {
			if (isSame(first, i)) {
				places.add(i);
			}
		}
		return places;
	}

	/** The reply of a replica. */
	synchronized ReadReply reply(int replica) {
		return Objects.requireNonNull(this.replies[replica]).held();
	}

	private int agreeing(IntPredicate others) {
		for (int i = 0; i < this.replies.length; i++) {
			int one = i;
			if (isSettled(this.replies[i])
					&& this.plan.hasMajority((replica) -> others.test(replica) || isSame(one, replica))) {
				return i;
			}
		}
		return -1;
	}

	private boolean isSame(int one, int other) {
		LookReply first = this.replies[one];
		LookReply its = this.replies[other];
		return first != null && its != null && isSettled(its)
				&& Objects.equals(first.held().timestamp(), its.held().timestamp());
	}

	private static boolean isSettled(@Nullable LookReply reply) {
		if (reply == null || !isAnswer(reply)) {
			return false;
		}
		Timestamp promise = reply.promise();
		Timestamp held = reply.held().timestamp();
		return promise == null || (held != null && !promise.isAfter(held));
	}

	private static boolean isAnswer(@Nullable LookReply reply) {
		return reply != null && !(reply.held() instanceof ReadReply.Failed);
	}

	/** Whether a replica has refused because of its layout. */
	synchronized boolean isOfOtherLayout() {
		for (LookReply reply : this.replies) {
			if (reply != null && reply.held() instanceof ReadReply.Failed(Failure failure)
					&& failure.reason().isOfLayout()) {
				return true;
			}
		}
		return false;
	}

	/** The failure of a read with these replies. */
	synchronized QuorumNotReachedException notReached() {
		return QuorumNotReachedException.of(this.plan, QuorumSide::majority,
				(replica) -> isAnswer(this.replies[replica]), false,
				(replica) -> this.isAsked[replica] ? word(this.replies[replica]) : "unasked");
	}

	private static String word(@Nullable LookReply reply) {
		if (reply == null) {
			return "silent";
		}
		if (reply.held() instanceof ReadReply.Failed(Failure failure)) {
			return failure.reason().word();
		}
		return isSettled(reply) ? "ack" : "promised";
	}

	/** The state of a look. */
	enum Decision {

		/** More replies are needed, and expected. */
		PENDING,

		/** More replicas have to be asked. */
		MORE,

		/** An entry, or that there is none, is chosen. */
		CHOSEN,

		/** A client writes the key right now, or a round was left in the midst. */
		UNDECIDED,

		/** Too many replicas have failed. */
		LOST

	}

}
