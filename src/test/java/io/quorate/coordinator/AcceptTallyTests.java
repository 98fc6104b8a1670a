package io.quorate.coordinator;

import java.util.function.Predicate;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.AcceptTally.Decision;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AcceptTallyTests {

	private static final WriteReply ACK = WriteReply.Applied.COMPLETE;

	private static final WriteReply UNCOUNTED = WriteReply.Applied.INCOMPLETE;

	private static final WriteReply SUPERSEDED = new WriteReply.Superseded(Timestamp.ofMillis(9), true);

	private static final WriteReply PROMISED = new WriteReply.Promised(Timestamp.ofMillis(9));

	private static final WriteReply FAILED = new WriteReply.Failed(new Failure(Reason.FAILED, "as the test wants"));

	private static Decision decision(int ack, Predicate<String> suspect, @Nullable WriteReply... replies) {
		ReplicaPlan plan = ReplicaSet.of(Stream.of("a", "b", "c").<Replica>map(ScriptedReplica::new).toList())
			.plan(new Consistency(ack, 3));
		AcceptTally tally = new AcceptTally(plan, true);
		for (int i = 0; i < replies.length; i++) {
			WriteReply reply = replies[i];
			if (reply != null) {
				tally.add(i, reply);
			}
		}
		return tally.decision(suspect);
	}

	@Test
	void anEntryIsChosenByAMajorityThatHasLostNothing() {
		assertThat(decision(2, (_) -> false, ACK)).isEqualTo(Decision.PENDING);
		assertThat(decision(2, (_) -> false, ACK, null, ACK)).isEqualTo(Decision.REACHED);
		assertThat(decision(2, (_) -> false, ACK, UNCOUNTED)).isEqualTo(Decision.PENDING);
		assertThat(decision(2, (_) -> false, ACK, UNCOUNTED, UNCOUNTED)).isEqualTo(Decision.LOST);
	}

	@Test
	void moreAcksThanAMajorityAreAwaitedIfTheClientAsksForThem() {
		assertThat(decision(3, (_) -> false, ACK, ACK)).isEqualTo(Decision.PENDING);
		assertThat(decision(3, (_) -> false, ACK, ACK, UNCOUNTED)).isEqualTo(Decision.REACHED);
		assertThat(decision(3, (_) -> false, ACK, ACK, FAILED)).isEqualTo(Decision.CHOSEN);
		assertThat(decision(3, (_) -> false, ACK, ACK, PROMISED)).isEqualTo(Decision.CHOSEN);
	}

	@Test
	void aReplicaThatHoldsSomethingNewerIsNoHolder() {
		assertThat(decision(2, (_) -> false, ACK, SUPERSEDED)).isEqualTo(Decision.PENDING);
		assertThat(decision(2, (_) -> false, ACK, SUPERSEDED, SUPERSEDED)).isEqualTo(Decision.OUTBID);
		assertThat(decision(2, (_) -> false, PROMISED, SUPERSEDED)).isEqualTo(Decision.OUTBID);
		assertThat(decision(2, (_) -> false, PROMISED, FAILED, ACK)).isEqualTo(Decision.OUTBID);
		assertThat(decision(2, (_) -> false, FAILED, FAILED)).isEqualTo(Decision.LOST);
	}

	@Test
	void aSilentReplicaIsAwaitedUnlessAnotherRoundCanDoWithoutIt() {
		assertThat(decision(2, "c"::equals, ACK, PROMISED)).isEqualTo(Decision.OUTBID);
		assertThat(decision(2, "c"::equals, ACK, FAILED)).isEqualTo(Decision.PENDING);
	}

	private static AcceptTally joint(boolean isAckNeeded) {
		AcceptTally tally = new AcceptTally(PrepareTallyTests.joint(), isAckNeeded);
		tally.add(0, ACK);
		tally.add(1, ACK);
		tally.add(2, UNCOUNTED);
		return tally;
	}

	@Test
	void theSideThatLacksTheMostIsReported() {
		assertThat(joint(false).notReached(true)).hasMessage("3 of the 5 replicas after the change of the layout had"
				+ " to answer, 2 did: [a ack, b ack, c incomplete, d silent, e silent]");
		AcceptTally tally = joint(true);
		assertThat(tally.notReached(true).required()).isEqualTo(5);
		assertThat(tally.notReached(true).acknowledged()).as("by a majority it is not chosen").isEqualTo(2);
		tally.add(3, ACK);
		assertThat(tally.notReached(true).acknowledged()).as("it is chosen").isEqualTo(4);
	}

}
