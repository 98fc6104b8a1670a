package io.quorate.coordinator;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.LookTally.Decision;
import io.quorate.entry.Entry;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.LookReply;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LookTallyTests {

	private static final LookReply OLD = look(1, null);

	private static final LookReply NEW = look(2, null);

	private static final LookReply ABSENT = new LookReply(new ReadReply.Absent(), null);

	private static final LookReply FAILED = LookReply.failed(new Failure(Reason.FAILED, "as the test wants"));

	private final LookTally tally = new LookTally(
			ReplicaSet.of(Stream.of("a", "b", "c").<Replica>map(ScriptedReplica::new).toList())
				.plan(Consistency.DEFAULT));

	private static LookReply look(long millis, @Nullable Timestamp promise) {
		return new LookReply(ScriptedCluster.found(ScriptedCluster.live(millis, Entry.ALL)), promise);
	}

	/** Asks as many replicas as there are replies; null is silence. */
	private Decision decision(Predicate<String> suspect, @Nullable LookReply... replies) {
		for (int i = 0; i < replies.length; i++) {
			this.tally.asked(i);
			LookReply reply = replies[i];
			if (reply != null) {
				this.tally.add(i, reply);
			}
		}
		return this.tally.decision(suspect);
	}

	@Test
	void aMajorityWithTheSameEntryDecides() {
		assertThat(decision((_) -> false, OLD, OLD)).isEqualTo(Decision.CHOSEN);
		assertThat(this.tally.chosen()).containsExactly(0, 1);
	}

	@Test
	void aMajorityWithoutAnEntryDecides() {
		assertThat(decision((_) -> false, ABSENT, ABSENT)).isEqualTo(Decision.CHOSEN);
	}

	@Test
	void aNewerEntryOfAMinorityDoesNotHinderAMajority() {
		assertThat(decision((_) -> false, OLD, NEW, OLD)).isEqualTo(Decision.CHOSEN);
		assertThat(this.tally.chosen()).containsExactly(0, 2);
	}

	@Test
	void aPromiseAboveTheEntryMakesItUndecided() {
		LookReply fenced = look(1, Timestamp.ofMillis(2));
		assertThat(decision((_) -> false, fenced, OLD)).isEqualTo(Decision.MORE);
		assertThat(decision((_) -> false, fenced, OLD, fenced)).isEqualTo(Decision.UNDECIDED);
	}

	@Test
	void aPromiseThatTheEntryHasEndedDoesNotCount() {
		assertThat(decision((_) -> false, look(2, Timestamp.ofMillis(2)), NEW)).isEqualTo(Decision.CHOSEN);
	}

	@Test
	void aPromiseOfAReplicaWithoutAnEntryCounts() {
		LookReply fenced = new LookReply(new ReadReply.Absent(), Timestamp.ofMillis(2));
		assertThat(decision((_) -> false, fenced, ABSENT, fenced)).isEqualTo(Decision.UNDECIDED);
	}

	@Test
	void moreReplicasAreAskedWhenThoseAskedCannotAgree() {
		assertThat(decision((_) -> false, OLD, null)).isEqualTo(Decision.PENDING);
		assertThat(decision("b"::equals, OLD, null)).isEqualTo(Decision.MORE);
		assertThat(decision((_) -> false, OLD, FAILED)).isEqualTo(Decision.MORE);
		assertThat(decision((_) -> false, OLD, FAILED, NEW)).isEqualTo(Decision.UNDECIDED);
	}

	@Test
	void tooManyFailuresLoseTheRead() {
		assertThat(decision((_) -> false, FAILED, FAILED, OLD)).isEqualTo(Decision.LOST);
		assertThat(this.tally.notReached().replicas()).extracting(QuorumNotReachedException.Said::said)
			.isEqualTo(List.of("failed", "failed", "ack"));
	}

	@Test
	void theSideThatLacksTheMostOfItsMajorityIsReported() {
		LookTally joint = new LookTally(PrepareTallyTests.joint());
		for (int i = 0; i < 4; i++) {
			joint.asked(i);
		}
		joint.add(0, OLD);
		joint.add(1, ABSENT);
		joint.add(2, FAILED);
		assertThat(joint.notReached()).hasMessage("3 of the 5 replicas after the change of the layout had to answer,"
				+ " 2 did: [a ack, b ack, c failed, d silent, e unasked]");
	}

}
