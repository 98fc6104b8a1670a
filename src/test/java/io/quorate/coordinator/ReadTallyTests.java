package io.quorate.coordinator;

import java.util.Arrays;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.Contact.State;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Replica;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReadTallyTests {

	private static final Entry OLD = ScriptedCluster.live(10, 3);

	private static final Entry NEW = ScriptedCluster.live(20, 3);

	private static final Failure OVERLOADED = new Failure(Reason.OVERLOADED, "as the test wants");

	private final Contact a = contact("a", 0);

	private final Contact b = contact("b", 1);

	private final Contact c = contact("c", 2);

	private final ReadTally tally = tally(new QuorumSide(2, 3, 0, 1, 2));

	private final Contact d = contact("d", 3);

	private final ReadTally joint = tally(new QuorumSide(2, 3, 0, 1, 2), new QuorumSide(2, 3, 3, 0, 1));

	private static Contact contact(String name, int place) {
		return new Contact(new ScriptedReplica(name), place, place < 2, place);
	}

	private ReadTally tally(QuorumSide... sides) {
		Contact[] contacts = (sides.length == 1) ? new Contact[] { this.a, this.b, this.c }
				: new Contact[] { this.a, this.b, this.c, this.d };
		List<Replica> replicas = Arrays.stream(contacts).map((contact) -> contact.replica).toList();
		return new ReadTally(new ReplicaPlan(replicas, replicas.size(), List.of(sides), 3), contacts);
	}

	@Test
	void aJointReadNeedsTheQuorumOfEachSide() {
		this.a.knows(OLD);
		this.c.knows(OLD);
		assertThat(this.joint.isAnswered()).as("by a and c, of before").isFalse();
		assertThat(this.joint.notReached().required()).isEqualTo(2);
		assertThat(this.joint.notReached().acknowledged()).as("of after").isOne();
		this.d.knows((Entry) null);
		assertThat(this.joint.isAnswered()).isTrue();
		assertThat(this.joint.isHeld(OLD)).as("by a alone, of after").isFalse();
		assertThat(this.joint.isStale(this.d, OLD)).isTrue();
		assertThat(this.joint.notReached().acknowledged()).isOne();
		this.d.knows(OLD);
		assertThat(this.joint.isHeld(OLD)).isTrue();
		assertThat(this.joint.notReached().acknowledged()).isEqualTo(2);
		this.c.knows(NEW);
		assertThat(this.joint.isHeld(NEW)).isFalse();
		this.a.knows(NEW);
		assertThat(this.joint.isHeld(NEW)).as("by a and c").isFalse();
		this.c.knows(OLD);
		this.d.knows(NEW);
		assertThat(this.joint.isHeld(NEW)).as("by a and d, of after").isFalse();
		this.b.knows(NEW);
		assertThat(this.joint.isHeld(NEW)).isTrue();
	}

	@Test
	void aJointReadNeedsTheQuorumOfTheSideBeforeToo() {
		this.a.knows(OLD);
		this.d.knows(OLD);
		assertThat(this.joint.isAnswered()).as("by a and d, of after").isFalse();
		this.c.knows((Entry) null);
		assertThat(this.joint.isAnswered()).isTrue();
	}

	@Test
	void aJointReadIsLostWhenEitherSideIs() {
		this.c.failed(OVERLOADED);
		this.d.failed(OVERLOADED);
		assertThat(this.joint.isLost()).as("one replica of each side has failed").isFalse();
		this.a.failed(OVERLOADED);
		assertThat(this.joint.isLost()).isTrue();
		this.c.knows(OLD);
		assertThat(this.joint.isLost()).as("of after").isTrue();
	}

	@Test
	void inPlaceOfALostReplicaOneOfEachSideIsRequired() {
		this.a.state = State.SILENT;
		assertThat(this.joint.required(this.a, this.b, this.c, this.d)).isSameAs(this.b);
		this.b.failed(null);
		assertThat(this.joint.required(this.a, this.b, this.c, this.d)).isSameAs(this.c);
		this.c.state = State.SILENT;
		assertThat(this.joint.required(this.a, this.b, this.c, this.d)).isSameAs(this.d);
		this.d.state = State.SILENT;
		assertThat(this.joint.required(this.a, this.b, this.c, this.d)).isNull();
		assertThat(this.joint.isPromising()).isTrue();
	}

	@Test
	void aReplicaWhoseSideHasEnoughIsNotRequired() {
		this.a.knows(OLD);
		this.b.failed(null);
		this.d.state = State.SILENT;
		assertThat(this.joint.required(this.d, this.c)).isSameAs(this.c);
		this.c.failed(null);
		assertThat(this.joint.required(this.a, this.b, this.c, this.d)).isNull();
	}

	@Test
	void oneReplicaOfEachSideIsToSpare() {
		assertThat(this.joint.spare(this.a, this.b, this.c, this.d)).containsExactly(this.a);
		this.a.state = State.SILENT;
		this.b.state = State.SILENT;
		assertThat(this.joint.spare(this.a, this.b, this.c, this.d)).containsExactly(this.c, this.d);
		this.c.state = State.SILENT;
		assertThat(this.joint.spare(this.a, this.b, this.c, this.d)).containsExactly(this.d);
		this.d.state = State.SILENT;
		assertThat(this.joint.spare(this.a, this.b, this.c, this.d)).isEmpty();
	}

	@Test
	void theFirstReplicasOfEitherSideHoldAnEntryOfOneCopy() {
		Entry narrow = ScriptedCluster.live(20, 1);
		assertThat(this.joint.isFor(this.a, narrow)).as("the first of before").isTrue();
		assertThat(this.joint.isFor(this.d, narrow)).as("the first of after").isTrue();
		assertThat(this.joint.isFor(this.b, narrow)).isFalse();
		this.a.knows(narrow);
		assertThat(this.joint.isHeld(narrow)).as("by the first of after").isFalse();
		this.d.knows(narrow);
		assertThat(this.joint.isHeld(narrow)).isTrue();
	}

	@Test
	void theNewestAnswerWinsAndIsNotHeldUntilEnoughHoldIt() {
		this.a.knows(NEW);
		assertThat(this.tally.isAnswered()).isFalse();
		this.b.knows(OLD);
		assertThat(this.tally.isAnswered()).isTrue();
		assertThat(this.tally.resolved()).isEqualTo(NEW);
		assertThat(this.tally.isHeld(NEW)).isFalse();
		assertThat(this.tally.isStale(this.b, NEW)).isTrue();
		this.b.knows(NEW);
		assertThat(this.tally.isHeld(NEW)).isTrue();
	}

	@Test
	void aReplicaThatFailsAfterItsAnswerDoesNotCount() {
		this.a.knows(OLD);
		this.b.knows(NEW);
		this.b.failed(null);
		assertThat(this.tally.resolved()).isEqualTo(OLD);
		assertThat(this.tally.isAnswered()).isFalse();
	}

	@Test
	void onlyTheNodesThatAnEntryWasWrittenToCountForIt() {
		Entry narrow = ScriptedCluster.live(20, 1);
		this.b.knows(narrow);
		this.c.knows(narrow);
		assertThat(this.tally.isHeld(narrow)).isFalse();
		assertThat(this.tally.isFor(this.b, narrow)).isFalse();
		this.a.knows(narrow);
		assertThat(this.tally.isHeld(narrow)).isTrue();
	}

	@Test
	void aDeletionConcernsAllReplicas() {
		Entry narrow = new Entry.Tombstone(Timestamp.ofMillis(20), 1);
		this.a.knows(narrow);
		assertThat(this.tally.isHeld(narrow)).isFalse();
		this.c.knows(narrow);
		assertThat(this.tally.isHeld(narrow)).isTrue();
		assertThat(this.tally.unrepaired(narrow)).extracting(Replica::nodeId).containsExactly("b");
	}

	@Test
	void silentSuspectsAreAwaitedButPromiseNothing() {
		this.a.state = State.SILENT;
		this.b.state = State.SILENT;
		assertThat(this.tally.isPromising()).isTrue();
		this.b.isMovedOn = true;
		assertThat(this.tally.isPromising()).isFalse();
		assertThat(this.tally.isAwaiting(NEW)).isTrue();
		assertThat(this.tally.isHopeful(NEW)).isFalse();
	}

	@Test
	void readIsLostWhenTooFewAreLeft() {
		this.a.failed(OVERLOADED);
		assertThat(this.tally.isLost()).isFalse();
		this.b.failed(OVERLOADED);
		assertThat(this.tally.isLost()).isTrue();
		assertThat(this.tally.isOverloadAlone()).isTrue();
		this.b.failed(null);
		assertThat(this.tally.isOverloadAlone()).isFalse();
	}

	@Test
	void equalEntriesAreKeptOnce() {
		this.a.knows(NEW);
		assertThat(this.tally.shared(ScriptedCluster.live(20, 3))).isSameAs(NEW);
		assertThat(this.tally.shared(OLD)).isSameAs(OLD);
		this.b.knows(NEW);
		this.c.knows(OLD);
		assertThat(this.tally.valueBytes()).isEqualTo(2);
	}

	@Test
	void aSummaryCountsOnceAWholeAnswerIsTheSameEntryOrANewerOne() {
		this.b.knows(Summary.of(NEW));
		this.c.knows(Summary.of(OLD));
		assertThat(this.tally.isAnswered()).as("two summaries, and no value").isFalse();
		assertThat(this.tally.resolved()).isNull();
		this.c.knows(OLD);
		assertThat(this.tally.isAnswered()).as("the newer one has no value").isFalse();
		assertThat(this.b.holds(OLD)).as("that, or something newer").isTrue();
		this.a.knows(NEW);
		assertThat(this.tally.isAnswered()).isTrue();
		assertThat(this.tally.resolved()).isEqualTo(NEW);
		assertThat(this.tally.isHeld(NEW)).isTrue();
		assertThat(this.tally.unrepaired(NEW)).extracting(Replica::nodeId).containsExactly("c");
	}

	@Test
	void aSummaryThatIsOlderIsAnAnswerAndStale() {
		this.a.knows(NEW);
		this.b.knows(Summary.of(OLD));
		assertThat(this.tally.isAnswered()).isTrue();
		assertThat(this.tally.isHeld(NEW)).isFalse();
		assertThat(this.tally.isStale(this.b, NEW)).isTrue();
		assertThat(this.tally.isHopeful(NEW)).as("nothing comes from it any more").isFalse();
		assertThat(this.tally.unfetched()).isNull();
	}

	@Test
	void aSummaryOfAnExpiredEntryLosesAgainstATombstoneOfTheSameStamp() {
		Entry expired = new Entry.Live(Timestamp.ofMillis(20), 3, 21, Value.wrap(new byte[10]));
		Entry tombstone = new Entry.Tombstone(Timestamp.ofMillis(20), 3);
		this.a.knows(tombstone);
		this.b.knows(Summary.of(expired));
		assertThat(this.tally.isAnswered()).isTrue();
		assertThat(this.tally.isStale(this.b, tombstone)).isTrue();
		assertThat(this.tally.unrepaired(tombstone)).as("what c holds is unknown").hasSize(2);
	}

	@Test
	void theNewestOfTheValuesThatAreLeftOutIsAskedFor() {
		this.a.failed(OVERLOADED);
		this.b.knows(Summary.of(OLD));
		this.c.knows(Summary.of(NEW));
		assertThat(this.tally.unfetched()).isSameAs(this.c);
		this.c.isAskedWhole = true;
		assertThat(this.tally.unfetched()).as("one brings it").isNull();
		this.c.isMovedOn = true;
		assertThat(this.tally.unfetched()).as("without it there are too few").isNull();
		this.a.knows(OLD);
		assertThat(this.tally.isAnswered()).as("by a and b alone").isTrue();
		assertThat(this.tally.unfetched()).isNull();
	}

	@Test
	void noValueIsAskedForThatIsStillToBeExpected() {
		this.a.state = State.SILENT;
		this.a.isAskedWhole = true;
		this.b.knows(Summary.of(NEW));
		assertThat(this.tally.unfetched()).isNull();
		this.a.isMovedOn = true;
		this.c.state = State.SILENT;
		this.c.isAskedWhole = true;
		assertThat(this.tally.unfetched()).as("c was asked in the place of a").isNull();
		this.c.knows(OLD);
		assertThat(this.tally.unfetched()).isSameAs(this.b);
	}

	@Test
	void aReplicaThatOmitsAMissingValueHasNotAnswered() {
		this.a.knows(OLD);
		this.b.knows(Summary.of(NEW));
		assertThat(this.tally.notReached().acknowledged()).isOne();
		assertThat(this.tally.said()).containsExactly(new Said("a", "ack"), new Said("b", "silent"),
				new Said("c", "unasked"));
	}

	@Test
	void eachReplicaHasItsWord() {
		this.a.knows(NEW);
		this.b.knows(OLD);
		assertThat(this.tally.said()).containsExactly(new Said("a", "ack"), new Said("b", "stale"),
				new Said("c", "unasked"));
		assertThat(this.tally.notReached().acknowledged()).isOne();
		this.b.failed(OVERLOADED);
		this.c.failed(null);
		assertThat(this.tally.said()).containsExactly(new Said("a", "ack"), new Said("b", "overloaded"),
				new Said("c", "clock-skew"));
	}

}
