package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Summary;
import io.quorate.replica.Failure;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;

/**
 * The count of the replicas' replies to the first half of a round. Pure, and safe for any
 * number of threads.
 * <p>
 * A majority of promises gives the base of the round: the newest entry that they hold. No
 * entry below the ballot can be chosen any more (Rystsov, "CASPaxos", 2018). A majority
 * that holds one and the same entry, for which the condition fails, and shows no promise
 * above it, decides without a promise. While a change of the layout is under way, both
 * hold for the replicas of before and of after it.
 */
final class PrepareTally {

	private final ReplicaPlan plan;

	private final @Nullable PrepareReply[] replies;

	PrepareTally(ReplicaPlan plan) {
		this.plan = plan;
		this.replies = new PrepareReply[plan.asked()];
	}

	/** Counts a reply. */
	synchronized void add(int replica, PrepareReply reply) {
		this.replies[replica] = reply;
	}

	/**
	 * The conclusion from the replies so far.
	 * @param suspect nodes that are not expected to answer
	 */
	synchronized Decision decision(Predicate<String> suspect) {
		if (this.plan.hasMajority((replica) -> this.replies[replica] instanceof PrepareReply.Promised)) {
			return promised();
		}
		PrepareReply.Unmet unmet = unmetByMajority((_) -> false);
		if (unmet != null) {
			return new Decision.Unmet(unmet.held());
		}
		IntPredicate expected = (replica) -> this.replies[replica] == null
				&& !suspect.test(this.plan.all().get(replica).nodeId());
		boolean mayBePromised = this.plan
			.hasMajority((replica) -> this.replies[replica] instanceof PrepareReply.Promised || expected.test(replica));
		if (mayBePromised || unmetByMajority(expected) != null) {
			return Decision.Pending.INSTANCE;
		}
		if (!this.plan.hasMajority((replica) -> isAlive(this.replies[replica]) || expected.test(replica))) {
			// A suspect one may answer yet.
			return this.plan.hasMajority((replica) -> this.replies[replica] == null || isAlive(this.replies[replica]))
					? Decision.Pending.INSTANCE : Decision.Lost.INSTANCE;
		}
		return outbidOrDiffering();
	}

	private Decision promised() {
		Summary base = null;
		List<Replica> holders = new ArrayList<>();
		for (int i = 0; i < this.replies.length; i++) {
			Summary held = (this.replies[i] instanceof PrepareReply.Promised its) ? its.held() : null;
			if (held == null) {
				continue;
			}
			if (base == null || held.timestamp().isAfter(base.timestamp())) {
				base = held;
				holders.clear();
			}
			if (held.timestamp().equals(base.timestamp())) {
				holders.add(this.plan.all().get(i));
			}
		}
		return new Decision.Promised(base, holders);
	}

	/**
	 * A reply that a majority of each side has given, all with the same entry.
	 * @param others replicas that are taken to give it, too
	 */
	private PrepareReply.@Nullable Unmet unmetByMajority(IntPredicate others) {
		for (PrepareReply one : this.replies) {
			if (one instanceof PrepareReply.Unmet unmet && isSettled(unmet) && this.plan
				.hasMajority((replica) -> others.test(replica) || isSame(unmet, this.replies[replica]))) {
				return unmet;
			}
		}
		return null;
	}

	private static boolean isSettled(PrepareReply.Unmet unmet) {
		Timestamp promise = unmet.promise();
		Summary held = unmet.held();
		return promise == null || (held != null && !promise.isAfter(held.timestamp()));
	}

	private static boolean isSame(PrepareReply.Unmet unmet, @Nullable PrepareReply other) {
		return other instanceof PrepareReply.Unmet its && isSettled(its)
				&& Objects.equals(stampOf(its.held()), stampOf(unmet.held()));
	}

	private static @Nullable Timestamp stampOf(@Nullable Summary held) {
		return (held != null) ? held.timestamp() : null;
	}

	private static boolean isAlive(@Nullable PrepareReply reply) {
		return reply != null && !(reply instanceof PrepareReply.Failed);
	}

	private Decision outbidOrDiffering() {
		int millis = -1;
		for (PrepareReply reply : this.replies) {
			millis = Math.max(millis, switch (reply) {
				case PrepareReply.Busy busy -> busy.millis();
				case PrepareReply.Superseded _ -> 0;
				case PrepareReply.Promised _, PrepareReply.Unmet _, PrepareReply.Failed _ -> -1;
				case null -> -1;
			});
		}
		return (millis >= 0) ? new Decision.Outbid(millis) : Decision.Differing.INSTANCE;
	}

	/** Whether a replica has refused because of its layout. */
	synchronized boolean isOfOtherLayout() {
		for (PrepareReply reply : this.replies) {
			if (reply instanceof PrepareReply.Failed(Failure failure) && failure.reason().isOfLayout()) {
				return true;
			}
		}
		return false;
	}

	/** The replicas that have promised. */
	synchronized List<Replica> promisers() {
		return IntStream.range(0, this.replies.length)
			.filter((replica) -> this.replies[replica] instanceof PrepareReply.Promised)
			.mapToObj(this.plan.all()::get)
			.toList();
	}

	/** The failure of a round with these replies. */
	synchronized QuorumNotReachedException notReached(boolean isWrite) {
		return QuorumNotReachedException.of(this.plan, QuorumSide::majority,
				(replica) -> isAlive(this.replies[replica]), isWrite, (replica) -> word(this.replies[replica]));
	}

	/** The word for a reply in messages. */
	static String word(@Nullable PrepareReply reply) {
		return switch (reply) {
			case null -> "silent";
			case PrepareReply.Promised _ -> "promised";
			case PrepareReply.Unmet _ -> "unmet";
			case PrepareReply.Superseded _ -> "superseded";
			case PrepareReply.Busy _ -> "busy";
			case PrepareReply.Failed(Failure failure) -> failure.reason().word();
		};
	}

	/** The state of the first half of a round. */
	sealed interface Decision {

		/** More replies are needed. */
		enum Pending implements Decision {

			/** The only instance. */
			INSTANCE

		}

		/**
		 * A majority has promised.
		 *
		 * @param base the newest entry that they hold, {@code null} for none
		 * @param holders the replicas that have said that they hold it
		 */
		record Promised(@Nullable Summary base, List<Replica> holders) implements Decision {
		}

		/**
		 * The condition fails, by a majority.
		 *
		 * @param held the entry for which it fails, {@code null} for none
		 */
		record Unmet(@Nullable Summary held) implements Decision {
		}

		/**
		 * Rounds of others have been faster.
		 *
		 * @param millis time after which theirs have had their turn
		 */
		record Outbid(int millis) implements Decision {
		}

		/** The replicas differ: a round without a condition has to settle what holds. */
		enum Differing implements Decision {

			/** The only instance. */
			INSTANCE

		}

		/** Too many replicas have failed. */
		enum Lost implements Decision {

			/** The only instance. */
			INSTANCE

		}

	}

}
