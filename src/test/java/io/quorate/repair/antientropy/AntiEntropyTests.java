package io.quorate.repair.antientropy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.repair.antientropy.ComparisonProgress.State;
import io.quorate.repair.comparison.KeyRange;
import io.quorate.replica.Replica;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.thread.DrivenTime;
import io.quorate.storage.thread.ThreadTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/** Nodes that compare their stores with each other, without a network between them. */
class AntiEntropyTests {

	private static final Duration OFTEN = Duration.ofMillis(100);

	private static final Duration SELDOM = Duration.ofHours(1);

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final DataSize SLOWLY = DataSize.ofKilobytes(1024);

	private static final ComparisonProperties ON_REQUEST = new ComparisonProperties(false, SELDOM, TestNode.FAST, 1,
			TestNode.FAST, 1);

	/* Its pauses are long enough for what happens in them. */
	private static final ComparisonProperties SLOW = new ComparisonProperties(false, SELDOM, DataSize.ofKilobytes(64),
			1, DataSize.ofKilobytes(64), 1);

	private final DrivenTime time = new DrivenTime();

	private final TestNode a = new TestNode("a", this.time);

	private final TestNode b = new TestNode("b", this.time);

	@AfterEach
	void close() {
		this.a.close();
		this.b.close();
	}

	@Test
	void bothGetWhatTheyLackAndAgreeAboutIt() {
		long begun = System.nanoTime();
		fill(1_000);
		turn(this.a.lead(OFTEN, this.b.seenBy(this.a)));
		assertThat(this.a.entries).hasSize(1_000).isEqualTo(this.b.entries);
		Agreement ours = this.a.agreements.getFirst();
		Agreement theirs = this.b.agreements.getFirst();
		assertThat(ours.round()).isEqualTo(theirs.round());
		assertThat(ours.ours()).isEqualTo(theirs.theirs());
		assertThat(ours.theirs()).isEqualTo(theirs.ours());
		assertThat(ours.peer()).isEqualTo("b");
		assertThat(theirs.peer()).isEqualTo("a");
		double oldest = (System.nanoTime() - begun) / 1e9;
		assertThat(this.a.own.agreements().metrics().agesSeconds().get("b")).isBetween(0.0, oldest);
		assertThat(this.b.own.agreements().metrics().agesSeconds().get("a")).isBetween(0.0, oldest);
		assertThat(this.a.own.agreements().metrics().agesSeconds()).as("no peer of it").doesNotContainKey("c");
	}

	@Test
	void anEntryYoungerThanTheInstantIsLeftAlone() {
		this.a.put(key(1), live(TestNode.NOW - 4_000));
		this.a.put(key(2), live(TestNode.NOW - 6_000));
		turn(this.a.lead(OFTEN, this.b.seenBy(this.a)));
		assertThat(this.a.agreements).hasSize(1);
		assertThat(this.b.entries).containsOnlyKeys(key(2));
	}

	/* Either relies on what the other holds from then on, and the power may fail. */
	@Test
	void aComparedEntryIsOnBothDisksBeforeTheRoundIsCompleted() {
		fill(1_000);
		List<Long> unforced = new CopyOnWriteArrayList<>();
		this.a.onCompleted = () -> unforced.add(this.a.unforced() + this.b.unforced());
		this.b.onCompleted = this.a.onCompleted;
		turn(this.a.lead(SELDOM, this.b.seenBy(this.a)));
		assertThat(this.a.entries).hasSize(1_000).isEqualTo(this.b.entries);
		assertThat(unforced).containsExactly(0L, 0L);
	}

	@Test
	void aFaultThatComesAgainAtOnceIsTriedAgainAfterAPause() {
		AntiEntropy leading = this.a.lead(OFTEN, this.b.seenBy(this.a));
		this.a.isFaulty = true;
		turn(leading);
		turn(leading);
		assertThat(this.a.faults.getLast() - this.a.faults.getFirst()).isEqualTo(Duration.ofSeconds(1).toNanos());
		this.a.isFaulty = false;
		turn(leading);
		assertThat(this.b.agreements).hasSize(1);
	}

	@Test
	void nothingIsAgreedUponWhileAPromiseRefusesAnEntry() {
		fill(1_000);
		Key refused = this.a.entries.firstKey();
		this.b.entries.remove(refused);
		this.b.promised = refused;
		AntiEntropy leading = this.a.lead(OFTEN, this.b.seenBy(this.a));
		turn(leading);
		assertThat(this.a.agreements).isEmpty();
		assertThat(this.b.agreements).isEmpty();
		this.b.promised = null;
		turn(leading);
		assertThat(this.b.entries).isEqualTo(this.a.entries);
		assertThat(this.a.agreements).hasSize(1);
		assertThat(this.b.agreements).hasSize(1);
	}

	@Test
	void anErrorOfTheOtherNodeIsAnswered() {
		fill(1_000);
		this.b.isFaulty = true;
		AntiEntropy leading = this.a.lead(ON_REQUEST,
				new ComparisonPeer(this.b.responder().with("a"), this.b.replica, () -> 0));
		var _ = leading.compare(KeyRange.ALL);
		turn(leading);
		assertThat(leading.progress().getLast().state()).isEqualTo(State.INTERRUPTED);
		assertThat(leading.progress().getLast().failure()).contains("planted");
	}

	@Test
	void theNodeWithTheLargerIdDoesNotLead() {
		AntiEntropy leading = this.b.lead(OFTEN, this.a.seenBy(this.b));
		assertThat(leading.progress()).isEmpty();
	}

	/* In the middle of a round. */
	private AntiEntropy interrupted(Line line) {
		line.cutAfter(20);
		AntiEntropy leading = this.a.lead(ON_REQUEST, new ComparisonPeer(line, this.b.replica, () -> 0));
		var _ = leading.compare(KeyRange.ALL);
		turn(leading);
		assertThat(leading.progress().getLast().state()).isEqualTo(State.INTERRUPTED);
		return leading;
	}

	@Test
	void aRoundGoesOnAfterTheConnectionWasLost() {
		fill(100_000);
		Line line = new Line(this.b.answersTo(this.a));
		AntiEntropy leading = interrupted(line);
		ComparisonProgress interrupted = leading.progress().getLast();
		assertThat(interrupted.failure()).contains("disconnected", "cut");
		line.mend();
		turn(leading);
		assertThat(leading.progress().getLast().state()).isEqualTo(State.COMPLETED);
		assertThat(this.a.entries).isEqualTo(this.b.entries);
		ComparisonProgress completed = leading.progress().getLast();
		assertThat(completed.times().beganMillis()).isEqualTo(interrupted.times().beganMillis());
		assertThat(completed.counts().entriesSent() + completed.counts().entriesReceived())
			.isGreaterThanOrEqualTo(100_000);
		assertThat(this.a.agreements).hasSize(1);
		assertThat(line.begun.get()).isGreaterThan(1);
	}

	/* What was compared before does not count for who has forgotten it. */
	@Test
	void aRoundThatThePeerHasForgottenBeginsAnew() {
		fill(100_000);
		Line line = new Line(this.b.answersTo(this.a));
		line.cutAfter(20);
		AntiEntropy leading = this.a.lead(ON_REQUEST, new ComparisonPeer(line, this.b.replica, () -> 0));
		CompletableFuture<Void> done = leading.compare(KeyRange.ALL);
		turn(leading);
		assertThat(leading.progress().getLast().state()).isEqualTo(State.INTERRUPTED);
		long number = this.a.note().durableSequence();
		for (int later = 1; later <= 5; later++) {
			this.b.own.begin("a", new Round(Long.MAX_VALUE - later, 0), this.a.note());
		}
		line.mend();
		turn(leading);
		assertThat(done).isCompleted();
		assertThat(this.a.entries).isEqualTo(this.b.entries);
		assertThat(this.a.agreements).hasSize(1);
		assertThat(this.a.agreements.getFirst().ours().durableSequence()).isGreaterThanOrEqualTo(number);
	}

	/* By another layout the two nodes share other entries. */
	@Test
	void aRoundOfAnEarlierLayoutEndsAndOneBeginsAnew() {
		fill(100_000);
		Line line = new Line(this.b.answersTo(this.a));
		line.after(20, () -> this.a.adopt(2));
		List<Long> layouts = new CopyOnWriteArrayList<>();
		List<Integer> asked = new CopyOnWriteArrayList<>();
		Replica replica = mock(Replica.class);
		given(replica.nodeId()).willReturn("b");
		given(replica.planned(anyLong())).willAnswer((call) -> {
			layouts.add(call.getArgument(0));
			asked.add(line.asked());
			return this.b.replica;
		});
		AntiEntropy leading = this.a.lead(ON_REQUEST, new ComparisonPeer(line, replica, () -> 0));
		CompletableFuture<Void> done = leading.compare(KeyRange.ALL);
		turn(leading);
		turn(leading);
		assertThat(done).isCompleted();
		assertThat(layouts).as("versions by which the peer gets entries").containsExactly(1L, 2L);
		assertThat(asked.getLast()).as("questions until the second round has begun").isBetween(20, 25);
		assertThat(line.asked()).as("questions of a whole round").isGreaterThan(100);
		assertThat(this.a.entries).isEqualTo(this.b.entries);
		assertThat(this.a.agreements).as("of the second round").hasSize(1);
	}

	@Test
	void aRoundThatWasInterruptedBeginsAnewByAnotherLayout() {
		fill(100_000);
		Line line = new Line(this.b.answersTo(this.a));
		AntiEntropy leading = interrupted(line);
		long before = this.a.own.agreements().clock().currentHybrid();
		this.a.adopt(2);
		line.mend();
		turn(leading);
		assertThat(leading.progress().getLast().state()).isEqualTo(State.COMPLETED);
		assertThat(this.a.agreements.getFirst().round().number()).as("of the second round").isGreaterThan(before);
	}

	@Test
	void aRangeIsComparedOnRequestAndNothingIsAgreed() {
		fill(1_000);
		AntiEntropy leading = this.b.lead(ON_REQUEST, this.a.seenBy(this.b));
		completed(leading, leading.compare(new KeyRange(key(100), key(200))));
		assertThat(this.a.entries.subMap(key(100), key(200))).hasSize(100)
			.isEqualTo(this.b.entries.subMap(key(100), key(200)));
		assertThat(this.a.entries).hasSize(550);
		assertThat(this.a.agreements).isEmpty();
		assertThat(this.b.agreements).isEmpty();
		assertThat(leading.progress()).singleElement()
			.satisfies((progress) -> assertThat(progress.subject().requested()).isTrue())
			.satisfies((progress) -> assertThat(progress.state()).isEqualTo(State.COMPLETED));
	}

	@Test
	void onePeerIsComparedWithOnRequest() {
		fill(1_000);
		TestNode c = new TestNode("c", this.time);
		AntiEntropy leading = this.b.lead(ON_REQUEST, this.a.seenBy(this.b), c.seenBy(this.b));
		completed(leading, leading.compare("a", KeyRange.ALL));
		turn(leading);
		assertThat(this.a.entries).hasSize(1_000).isEqualTo(this.b.entries);
		assertThat(c.entries).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> leading.compare("nobody", KeyRange.ALL));
		c.close();
	}

	@Test
	void theSmallerIdLeads() {
		assertThat(this.a.lead(ON_REQUEST, this.b.seenBy(this.a)).leaderWith("b")).isEqualTo("a");
		AntiEntropy other = this.b.lead(ON_REQUEST, this.a.seenBy(this.b));
		assertThat(other.leaderWith("a")).isEqualTo("a");
		assertThat(other.leaderWith("nobody")).isNull();
	}

	@Test
	void howFarARoundIsCanBeSeenByTheOneBefore() {
		fill(10_000);
		Line line = new Line(this.b.answersTo(this.a));
		AntiEntropy leading = this.a.lead(OFTEN, new ComparisonPeer(line, this.b.replica, () -> 0));
		turn(leading);
		line.cut();
		turn(leading);
		assertThat(leading.progress().getFirst().state()).isEqualTo(State.INTERRUPTED);
		assertThat(leading.progress().getFirst().counts().keysBefore()).isEqualTo(10_000);
		line.mend();
		turn(leading);
		assertThat(this.a.agreements).hasSize(2).doesNotHaveDuplicates();
	}

	@Test
	void aRoundThatIsCutOffAtItsVeryEndIsCompletedASecondTime() {
		fill(1_000);
		Line line = new Line(this.b.answersTo(this.a));
		AntiEntropy leading = this.a.lead(OFTEN, new ComparisonPeer(line, this.b.replica, () -> 0));
		turn(leading);
		int asked = line.asked();
		turn(leading);
		line.cutAfter(line.asked() - asked - 1);
		turn(leading);
		assertThat(this.b.agreements).as("it has not heard of the end").hasSize(2);
		line.mend();
		turn(leading);
		assertThat(this.a.agreements).hasSize(4);
		assertThat(this.a.agreements.getLast()).isEqualTo(this.a.agreements.get(2));
		assertThat(this.b.agreements.getLast().round()).isEqualTo(this.a.agreements.getLast().round());
	}

	@Test
	void aPeerIsSeenToAskUntilItIsDone() {
		ComparisonResponder asked = this.b.responder();
		AntiEntropy leading = this.a.lead(ON_REQUEST, new ComparisonPeer(asked.with("a"), this.b.replica, () -> 0));
		assertThat(asked.isAskedBy("a")).isFalse();
		completed(leading, leading.compare(new KeyRange(key(1), key(2))));
		assertThat(asked.isAskedBy("a")).as("nobody says that the comparison of a range is over").isTrue();
		this.time.rest(Duration.ofSeconds(30).toNanos());
		assertThat(asked.isAskedBy("a")).as("it has asked nothing for half a minute").isFalse();
		completed(leading, leading.compare(new KeyRange(key(1), key(2))));
		completed(leading, leading.compare(KeyRange.ALL));
		assertThat(asked.isAskedBy("a")).isFalse();
		assertThat(asked.isAskedBy("c")).isFalse();
	}

	@Test
	void aNodeThatIsFilledAnewFetchesAndGivesNothing() {
		fill(1_000);
		AntiEntropy leading = this.b.lead(ON_REQUEST, this.a.seenBy(this.b));
		Counted counted = new Counted();
		completed(leading, leading.fetchAll("a", counted));
		assertThat(this.b.entries).hasSize(1_000);
		assertThat(counted.begun).isOne();
		assertThat(counted.passed).as("each entry once, compared or received").isEqualTo(1_000);
		assertThat(counted.bytes).isPositive();
		assertThat(this.a.entries).hasSize(500);
		assertThat(this.b.agreements).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> leading.fetchAll("nobody", CopyObserver.NONE));
	}

	@Test
	void aPeerThatHasLeftIsComparedNoMore() {
		fill(10);
		AntiEntropy leading = this.a.lead(OFTEN, this.b.seenBy(this.a));
		turn(leading);
		leading.remove("b");
		turn(leading);
		assertThat(leading.progress()).isEmpty();
		assertThat(leading.leaderWith("b")).isNull();
		assertThatIllegalArgumentException().isThrownBy(() -> leading.fetchAll("b", CopyObserver.NONE));
		assertThat(this.b.agreements).hasSize(1);
		leading.add(this.b.seenBy(this.a));
		turn(leading);
		assertThat(this.b.agreements).hasSize(2);
	}

	@Test
	void aCopyThatIsCancelledEndsInItsPause() {
		fill(10_000);
		AntiEntropy leading = this.a.lead(SLOW, this.b.seenBy(this.a));
		CompletableFuture<Long> copy = leading.fetchAll("b", CopyObserver.NONE);
		turnInWhich(leading, () -> copy.cancel(false));
		assertThat(leading.progress()).isEmpty();
	}

	/* Nothing comes any more after it, and the pause ends. */
	private void turnInWhich(AntiEntropy leading, Runnable happens) {
		AtomicInteger held = new AtomicInteger();
		AtomicLong instant = new AtomicLong();
		this.time.meanwhile(() -> {
			if (this.a.entries.size() > 5_000 && held.compareAndSet(0, this.a.entries.size())) {
				instant.set(this.time.nanos());
				happens.run();
			}
		});
		turn(leading);
		assertThat(this.time.nanos()).isEqualTo(instant.get());
		assertThat(held.get()).isBetween(5_001, 9_999);
		assertThat(this.a.entries).hasSize(held.get());
	}

	@Test
	void metersOfAPeerThatLeavesMeanwhileDoNotComeBack() {
		fill(10_000);
		AntiEntropy leading = this.a.lead(SLOW, this.b.seenBy(this.a));
		var _ = leading.compare(KeyRange.ALL);
		turnInWhich(leading, () -> leading.remove("b"));
		assertThat(leading.agesSeconds()).isEmpty();
	}

	@Test
	void aPeerThatIsNotThereDoesNotHoldUpTheOthers() {
		try (TestNode c = new TestNode("c", this.time)) {
			fill(100);
			c.put(key(5_000), live(1));
			Line dead = new Line(this.b.answersTo(this.a));
			dead.cut();
			AntiEntropy leading = this.a.lead(OFTEN, new ComparisonPeer(dead, this.b.replica, () -> 0),
					c.seenBy(this.a));
			turn(leading);
			turn(leading);
			assertThat(dead.asked()).isOne();
			assertThat(c.agreements).hasSize(1);
			assertThat(this.a.entries).hasSize(51).isEqualTo(c.entries);
		}
	}

	@Test
	void theThreadComparesOverAndOver() {
		try (TestNode real = new TestNode("a", ThreadTime.SYSTEM)) {
			AntiEntropy leading = new AntiEntropy(real.own,
					new ComparisonProperties(true, OFTEN, TestNode.FAST, 1, TestNode.FAST, 1));
			leading.start();
			leading.add(this.b.seenBy(real));
			await().atMost(PATIENCE).until(() -> real.agreements.size() > 1);
			leading.stop();
		}
	}

	/* Only the request can wake the thread, which has nothing else to do. */
	@Test
	void aRequestWakesTheThreadAndAStopDoesNotWaitForWhoIsSilent() {
		Line line = new Line(this.b.answersTo(this.a));
		line.fallSilent();
		AntiEntropy leading = new AntiEntropy(this.a.own, ON_REQUEST);
		leading.start();
		leading.add(new ComparisonPeer(line, this.b.replica, () -> 0));
		await().atMost(PATIENCE).until(TestNode::isThreadWaiting);
		var _ = leading.compare(KeyRange.ALL);
		await().atMost(PATIENCE).until(() -> line.asked() > 0);
		leading.stop();
		await().atMost(PATIENCE)
			.until(() -> String.valueOf(leading.progress().getFirst().failure()).contains("this node stops"));
	}

	@Test
	void theRateIsKept() {
		fill(20_000);
		AntiEntropy leading = this.a.lead(new ComparisonProperties(false, SELDOM, SLOWLY, 1, TestNode.FAST, 1),
				this.b.seenBy(this.a));
		completed(leading, leading.compare(KeyRange.ALL));
		long bytes = leading.progress().getFirst().counts().bytesTransferred();
		assertThat(bytes).isGreaterThan(1024 * 1024);
		assertThat(Duration.ofNanos(this.time.nanos())).isGreaterThan(atLeastFor(bytes));
	}

	@Test
	void aCopyHasARateOfItsOwn() {
		fill(20_000);
		AntiEntropy leading = this.a.lead(new ComparisonProperties(false, SELDOM, TestNode.FAST, 1, SLOWLY, 1),
				this.b.seenBy(this.a));
		Counted counted = new Counted();
		completed(leading, leading.fetchAll("b", counted));
		assertThat(counted.bytes).isGreaterThan(400_000);
		assertThat(Duration.ofNanos(this.time.nanos())).isGreaterThan(atLeastFor(counted.bytes));
	}

	/** The time that so many bytes take, but for a burst at the beginning. */
	private static Duration atLeastFor(long bytes) {
		return Duration.ofMillis((bytes - 100_000) * 1000 / SLOWLY.toBytes());
	}

	private void turn(AntiEntropy leading) {
		TestNode.turn(leading, this.time);
	}

	private void completed(AntiEntropy leading, CompletableFuture<?> requested) {
		turn(leading);
		assertThat(requested).isCompleted();
	}

	/** Each node has every other key. */
	private void fill(int keys) {
		for (int number = 0; number < keys; number++) {
			((number % 2 == 0) ? this.a : this.b).put(key(number), live(number));
		}
	}

	private static Key key(int number) {
		return Key.of("key-%07d".formatted(number));
	}

	private static Entry live(long millis) {
		return new Entry.Live(Timestamp.ofMillis(millis), 3, Entry.NEVER, Value.wrap(new byte[20]));
	}

	/* Read when the comparison is over. */
	private static final class Counted implements CopyObserver {

		private int begun;

		private int passed;

		private long bytes;

		@Override
		public void begun() {
			this.begun++;
		}

		@Override
		public void passed(int entries) {
			this.passed += entries;
		}

		@Override
		public void received(long moreBytes) {
			this.bytes += moreBytes;
		}

	}

}
