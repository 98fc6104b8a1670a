package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.WriteTally.Decision;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The decisions of a tally, compared with what they mean: for all replies that the
 * replicas of a plan can give.
 */
class WriteTallyTests {

	private static final WriteReply COMPLETE = WriteReply.Applied.COMPLETE;

	private static final WriteReply INCOMPLETE = WriteReply.Applied.INCOMPLETE;

	private static final WriteReply NEVER_HELD = new WriteReply.Superseded(Timestamp.ofMillis(9), true);

	private static final WriteReply MAY_BE_HELD = new WriteReply.Superseded(Timestamp.ofMillis(9), false);

	private static final WriteReply FAILED = new WriteReply.Failed(new Failure(Reason.TIMEOUT, "as the test wants"));

	private static final WriteReply PROMISED = new WriteReply.Promised(Timestamp.ofMillis(9));

	private static final WriteReply CONDITIONAL = new WriteReply.Superseded(Timestamp.ofMillis(9), true, false);

	private static final WriteReply[] REPLIES = { COMPLETE, INCOMPLETE, NEVER_HELD, MAY_BE_HELD, CONDITIONAL, PROMISED,
			FAILED };

	private static final List<Replica> NODES = Stream.of("a", "b", "c", "d", "e")
		.<Replica>map(ScriptedReplica::new)
		.toList();

	private static ReplicaPlan plan(Consistency consistency, List<Integer> before, List<Integer> after) {
		return ReplicaSet
			.of(before.stream().map(NODES::get).toList(), after.stream().map(NODES::get).toList(), before.size())
			.plan(consistency);
	}

	static Stream<ReplicaPlan> plans() {
		List<ReplicaPlan> plans = new ArrayList<>();
		for (int ack = 1; ack <= 3; ack++) {
			Consistency consistency = new Consistency(ack, 3);
			plans.add(plan(consistency, List.of(0, 1, 2), List.of(0, 1, 2)));
			plans.add(plan(consistency, List.of(0, 1, 2), List.of(0, 1, 3)));
			plans.add(plan(consistency, List.of(0, 1, 2), List.of(0, 1)));
		}
		plans.add(plan(Consistency.DEFAULT, List.of(0, 1, 2), List.of(0, 1, 2, 3)));
		plans.add(plan(Consistency.DEFAULT, List.of(0, 1, 2, 3), List.of(1, 2, 3)));
		plans.add(plan(new Consistency(2, 4), List.of(0, 1, 2), List.of(0, 1, 2, 3)));
		plans.add(plan(new Consistency(1, 1), List.of(0, 1, 2), List.of(3, 0, 1)));
		return plans.stream();
	}

	/** Every combination of replies and of silence. */
	private static void each(int replicas, Consumer<@Nullable WriteReply[]> test) {
		each(new @Nullable WriteReply[replicas], 0, false, test);
	}

	private static void each(@Nullable WriteReply[] replies, int from, boolean areAllThere,
			Consumer<@Nullable WriteReply[]> test) {
		int next = from;
		while (areAllThere && next < replies.length && replies[next] != null) {
			next++;
		}
		if (next == replies.length) {
			test.accept(replies);
			return;
		}
		if (!areAllThere) {
			each(replies, next + 1, false, test);
		}
		for (WriteReply reply : REPLIES) {
			replies[next] = reply;
			each(replies, next + 1, areAllThere, test);
		}
		replies[next] = null;
	}

	private static Decision decision(ReplicaPlan plan, boolean isStamped, Predicate<String> suspect,
			@Nullable WriteReply... replies) {
		WriteTally tally = new WriteTally(plan, isStamped);
		for (int i = 0; i < replies.length; i++) {
			WriteReply reply = replies[i];
			if (reply != null) {
				tally.add(i, reply);
			}
		}
		return tally.decision(suspect);
	}

	private static int count(QuorumSide side, @Nullable WriteReply[] replies, Predicate<WriteReply> which) {
		return side.count((replica) -> {
			WriteReply reply = replies[replica];
			return reply != null && which.test(reply);
		});
	}

	private static boolean holds(WriteReply reply) {
		return reply instanceof WriteReply.Applied;
	}

	private static boolean hasFailed(WriteReply reply) {
		return reply.equals(FAILED) || reply.equals(PROMISED);
	}

	private static boolean isOfARound(@Nullable WriteReply reply) {
		return CONDITIONAL.equals(reply) || PROMISED.equals(reply);
	}

	/* A round on the register settles it. */
	private static Decision hopeless(@Nullable WriteReply[] replies) {
		return Arrays.stream(replies).anyMatch(WriteTallyTests::isOfARound) ? Decision.OVERTAKEN : Decision.HOPELESS;
	}

	@ParameterizedTest
	@MethodSource("plans")
	void aWriteIsReachedWhenEachSideHoldsItInOrder(ReplicaPlan plan) {
		each(plan.asked(), (replies) -> {
			if (decision(plan, false, (_) -> false, replies) != Decision.REACHED) {
				return;
			}
			boolean isInOrder = plan.sides()
				.stream()
				.allMatch((side) -> count(side, replies, WriteTallyTests::holds) >= side.majority()
						&& count(side, replies, COMPLETE::equals) >= side.heard());
			for (QuorumSide side : plan.sides()) {
				int newer = count(side, replies, (reply) -> reply.equals(NEVER_HELD) || reply.equals(MAY_BE_HELD));
				int acks = count(side, replies, WriteTallyTests::holds) + (isInOrder ? newer : 0);
				assertThat(acks).as("%s of %s", Arrays.toString(replies), plan).isGreaterThanOrEqualTo(side.ack());
				if (side.isOrdered()) {
					assertThat(count(side, replies, COMPLETE::equals)).as("%s of %s", Arrays.toString(replies), plan)
						.isGreaterThanOrEqualTo(side.heard());
				}
			}
		});
	}

	@ParameterizedTest
	@MethodSource("plans")
	void noMajorityOfAnySideHasEverHeldWhatIsGivenUp(ReplicaPlan plan) {
		each(plan.asked(), (replies) -> {
			if (decision(plan, false, (_) -> true, replies) != Decision.SUPERSEDED) {
				return;
			}
			for (QuorumSide side : plan.sides()) {
				int mayHold = side.from() - count(side, replies, NEVER_HELD::equals)
						- count(side, replies, CONDITIONAL::equals);
				assertThat(mayHold).as("%s of %s", Arrays.toString(replies), plan).isLessThan(side.majority());
			}
		});
	}

	@ParameterizedTest
	@MethodSource("plans")
	void aWriteWaitsAsLongAsRepliesCanDecideIt(ReplicaPlan plan) {
		each(plan.asked(), (replies) -> {
			Decision now = decision(plan, false, (_) -> false, replies);
			if (now == Decision.REACHED || now == Decision.SUPERSEDED) {
				return;
			}
			List<Decision> later = new ArrayList<>();
			each(replies.clone(), 0, true, (all) -> later.add(decision(plan, false, (_) -> false, all)));
			boolean isDecidable = later.contains(Decision.REACHED)
					|| (later.contains(Decision.SUPERSEDED) && !isLeftToARound(plan, replies));
			assertThat(now).as("%s of %s", Arrays.toString(replies), plan)
				.isEqualTo(isDecidable ? Decision.PENDING : hopeless(replies));
		});
	}

	/* Too few replicas are left for the entry: a round is certain, a new stamp is not. */
	private static boolean isLeftToARound(ReplicaPlan plan, @Nullable WriteReply[] replies) {
		return hopeless(replies) == Decision.OVERTAKEN && plan.sides()
			.stream()
			.anyMatch((side) -> count(side, replies, (reply) -> !holds(reply)) > side.spare());
	}

	@ParameterizedTest
	@MethodSource("plans")
	void anAttemptThatIsStampedInOrderWaitsForAcksOrSomethingNewer(ReplicaPlan plan) {
		each(plan.asked(), (replies) -> {
			boolean isReached = true;
			boolean isHopeless = false;
			boolean isOvertaken = false;
			for (QuorumSide side : plan.sides()) {
				int failures = count(side, replies, WriteTallyTests::hasFailed);
				int conditional = count(side, replies, CONDITIONAL::equals);
				isReached &= count(side, replies, (_) -> true) - failures - conditional >= side.ack();
				isHopeless |= failures > side.from() - side.ack();
				isOvertaken |= failures + conditional > side.from() - side.ack();
			}
			Decision expected = isReached ? Decision.REACHED
					: isHopeless ? hopeless(replies) : isOvertaken ? Decision.OVERTAKEN : Decision.PENDING;
			assertThat(decision(plan, true, (_) -> true, replies)).as("%s of %s", Arrays.toString(replies), plan)
				.isEqualTo(expected);
		});
	}

	@Test
	void theNumbersOfAFailureAreThoseOfTheSideThatLacksTheMost() {
		WriteTally tally = new WriteTally(plan(Consistency.DEFAULT, List.of(0, 1, 2), List.of(0, 1, 2, 3, 4)), true);
		tally.add(0, COMPLETE);
		assertThat(tally.notReached().required()).isEqualTo(3);
		assertThat(tally.notReached().acknowledged()).isOne();
		assertThat(tally.notReached())
			.hasMessageStartingWith("3 of the 5 replicas after the change of the layout had to answer, 1 did: [a ack");
		tally.add(3, COMPLETE);
		tally.add(4, COMPLETE);
		assertThat(tally.notReached().required()).as("of before").isEqualTo(2);
		assertThat(tally.notReached().acknowledged()).isOne();
		assertThat(tally.notReached())
			.hasMessageStartingWith("2 of the 3 replicas before the change of the layout had to answer, 1 did: [a ack");
		assertThat(tally.notReached().replicas()).hasSize(5);
	}

}
