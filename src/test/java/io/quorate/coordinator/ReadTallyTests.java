package io.quorate.coordinator;

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

	private final Contact a = new Contact(new ScriptedReplica("a"), 0, 0);

	private final Contact b = new Contact(new ScriptedReplica("b"), 1, 1);

	private final Contact c = new Contact(new ScriptedReplica("c"), 2, 2);

	private final ReadTally tally = new ReadTally(2, this.a, this.b, this.c);

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
		assertThat(this.tally.acks()).isOne();
		assertThat(this.tally.said()).containsExactly(new Said("a", "ack"), new Said("b", "silent"),
				new Said("c", "unasked"));
	}

	@Test
	void eachReplicaHasItsWord() {
		this.a.knows(NEW);
		this.b.knows(OLD);
		assertThat(this.tally.said()).containsExactly(new Said("a", "ack"), new Said("b", "stale"),
				new Said("c", "unasked"));
		assertThat(this.tally.acks()).isOne();
		this.b.failed(OVERLOADED);
		this.c.failed(null);
		assertThat(this.tally.said()).containsExactly(new Said("a", "ack"), new Said("b", "overloaded"),
				new Said("c", "clock-skew"));
	}

}
