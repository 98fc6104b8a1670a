package io.quorate.repair.antientropy;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.repair.antientropy.ComparisonProgress.State;
import io.quorate.repair.comparison.KeyRange;
import io.quorate.replica.Replica;
import io.quorate.replica.comparison.Round;
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

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final DataSize SLOWLY = DataSize.ofKilobytes(1024);

	private static final ComparisonProperties ON_REQUEST = new ComparisonProperties(false, SELDOM, TestNode.FAST, 1,
			TestNode.FAST, 1);

	/* Some seconds for the tests that use it. */
	private static final ComparisonProperties SLOW = new ComparisonProperties(false, SELDOM, SLOWLY, 1, SLOWLY, 1);

	private final TestNode a = new TestNode("a");

	private final TestNode b = new TestNode("b");

	@AfterEach
	void close() {
		this.a.close();
		this.b.close();
	}

	@Test
	void bothGetWhatTheyLackAndAgreeAboutIt() {
		fill(1_000);
		this.a.lead(OFTEN, this.b.seenBy(this.a));
		await().atMost(PATIENCE).until(() -> !this.b.agreements.isEmpty());
		assertThat(this.a.entries).hasSize(1_000).isEqualTo(this.b.entries);
		Agreement ours = this.a.agreements.getFirst();
		Agreement theirs = this.b.agreements.getFirst();
		assertThat(ours.round()).isEqualTo(theirs.round());
		assertThat(ours.ours()).isEqualTo(theirs.theirs());
		assertThat(ours.theirs()).isEqualTo(theirs.ours());
		assertThat(ours.peer()).isEqualTo("b");
		assertThat(theirs.peer()).isEqualTo("a");
		assertThat(this.a.own.metrics().agesSeconds().get("b")).isBetween(0.0, 60.0);
		assertThat(this.b.own.metrics().agesSeconds().get("a")).isBetween(0.0, 60.0);
		assertThat(this.a.own.metrics().agesSeconds()).as("no peer of it").doesNotContainKey("c");
	}

	@Test
	void anEntryYoungerThanTheInstantIsLeftAlone() {
		this.a.put(key(1), live(TestNode.NOW - 4_000));
		this.a.put(key(2), live(TestNode.NOW - 6_000));
		this.a.lead(OFTEN, this.b.seenBy(this.a));
		await().atMost(PATIENCE).until(() -> !this.a.agreements.isEmpty());
		assertThat(this.b.entries).containsOnlyKeys(key(2));
	}

	/* Either relies on what the other holds from then on, and the power may fail. */
	@Test
	void aComparedEntryIsOnBothDisksBeforeTheRoundIsCompleted() {
		fill(1_000);
		List<Long> unforced = new CopyOnWriteArrayList<>();
		this.a.onCompleted = () -> unforced.add(this.a.unforced() + this.b.unforced());
		this.b.onCompleted = this.a.onCompleted;
		this.a.lead(SELDOM, this.b.seenBy(this.a));
		await().atMost(PATIENCE).until(() -> !this.b.agreements.isEmpty());
		assertThat(this.a.entries).hasSize(1_000).isEqualTo(this.b.entries);
		assertThat(unforced).containsExactly(0L, 0L);
	}

	@Test
	void aFaultThatComesAgainAtOnceIsTriedAgainAfterAPause() {
		this.a.lead(OFTEN, this.b.seenBy(this.a));
		await().atMost(PATIENCE).until(() -> !this.b.agreements.isEmpty());
		this.a.isFaulty = true;
		await().atMost(PATIENCE).until(() -> this.a.faults.size() > 3);
		this.a.isFaulty = false;
		assertThat(this.a.faults.get(3) - this.a.faults.getFirst()).as("one a second, of which one may come early")
			.isGreaterThan(Duration.ofMillis(1500).toNanos());
		int before = this.b.agreements.size();
		await().atMost(PATIENCE).until(() -> this.b.agreements.size() > before);
	}

	@Test
	void anErrorOfTheOtherNodeIsAnswered() {
		fill(1_000);
		this.b.isFaulty = true;
		AntiEntropy leading = this.a.lead(ON_REQUEST, this.b.seenBy(this.a));
		var _ = leading.compare(KeyRange.ALL);
		await().atMost(PATIENCE).until(() -> leading.progress().getLast().state() == State.INTERRUPTED);
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
		await().atMost(PATIENCE).until(() -> leading.progress().getLast().state() == State.INTERRUPTED);
		return leading;
	}

	@Test
	void aRoundGoesOnAfterTheConnectionWasLost() {
		fill(100_000);
		Line line = new Line(this.b.responder().with("a"));
		AntiEntropy leading = interrupted(line);
		ComparisonProgress interrupted = leading.progress().getLast();
		assertThat(interrupted.failure()).contains("disconnected", "cut");
		line.mend();
		await().atMost(PATIENCE).until(() -> leading.progress().getLast().state() == State.COMPLETED);
		assertThat(this.a.entries).isEqualTo(this.b.entries);
		ComparisonProgress completed = leading.progress().getLast();
		assertThat(completed.beganMillis()).isEqualTo(interrupted.beganMillis());
		assertThat(completed.entriesSent() + completed.entriesReceived()).isGreaterThanOrEqualTo(100_000);
		assertThat(this.a.agreements).hasSize(1);
		assertThat(line.begun.get()).isGreaterThan(1);
	}

	/* What was compared before does not count for who has forgotten it. */
	@Test
	void aRoundThatThePeerHasForgottenBeginsAnew() throws Exception {
		fill(100_000);
		Line line = new Line(this.b.responder().with("a"));
		line.cutAfter(20);
		AntiEntropy leading = this.a.lead(ON_REQUEST, new ComparisonPeer(line, this.b.replica, () -> 0));
		CompletableFuture<Void> done = leading.compare(KeyRange.ALL);
		await().atMost(PATIENCE).until(() -> leading.progress().getLast().state() == State.INTERRUPTED);
		long number = this.a.note().durableSequence();
		for (int later = 1; later <= 5; later++) {
			this.b.own.begin("a", new Round(Long.MAX_VALUE - later, 0), this.a.note());
		}
		line.mend();
		done.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(this.a.entries).isEqualTo(this.b.entries);
		assertThat(this.a.agreements).hasSize(1);
		assertThat(this.a.agreements.getFirst().ours().durableSequence()).isGreaterThanOrEqualTo(number);
	}

	/* By another layout the two nodes share other entries. */
	@Test
	void aRoundOfAnEarlierLayoutEndsAndOneBeginsAnew() throws Exception {
		fill(100_000);
		Line line = new Line(this.b.responder().with("a"));
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
		await().atMost(PATIENCE).until(() -> this.a.own.shared().version() == 2);
		done.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(layouts).as("versions by which the peer gets entries").containsExactly(1L, 2L);
		assertThat(asked.getLast()).as("questions until the second round has begun").isBetween(20, 25);
		assertThat(line.asked()).as("questions of a whole round").isGreaterThan(100);
		assertThat(this.a.entries).isEqualTo(this.b.entries);
		assertThat(this.a.agreements).as("of the second round").hasSize(1);
	}

	@Test
	void aRoundThatWasInterruptedBeginsAnewByAnotherLayout() {
		fill(100_000);
		Line line = new Line(this.b.responder().with("a"));
		AntiEntropy leading = interrupted(line);
		long before = this.a.own.clock().currentHybrid();
		this.a.adopt(2);
		line.mend();
		await().atMost(PATIENCE).until(() -> leading.progress().getLast().state() == State.COMPLETED);
		assertThat(this.a.agreements.getFirst().round().number()).as("of the second round").isGreaterThan(before);
	}

	@Test
	void aRangeIsComparedOnRequestAndNothingIsAgreed() throws Exception {
		fill(1_000);
		AntiEntropy leading = this.b.lead(ON_REQUEST, this.a.seenBy(this.b));
		leading.compare(new KeyRange(key(100), key(200))).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(this.a.entries.subMap(key(100), key(200))).hasSize(100)
			.isEqualTo(this.b.entries.subMap(key(100), key(200)));
		assertThat(this.a.entries).hasSize(550);
		assertThat(this.a.agreements).isEmpty();
		assertThat(this.b.agreements).isEmpty();
		assertThat(leading.progress()).singleElement()
			.satisfies((progress) -> assertThat(progress.requested()).isTrue())
			.satisfies((progress) -> assertThat(progress.state()).isEqualTo(State.COMPLETED));
	}

	@Test
	void onePeerIsComparedWithOnRequest() throws Exception {
		fill(1_000);
		TestNode c = new TestNode("c");
		AntiEntropy leading = this.b.lead(ON_REQUEST, this.a.seenBy(this.b), c.seenBy(this.b));
		leading.compare("a", KeyRange.ALL).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
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

	/* One that is cut off at its very end is completed a second time. */
	@Test
	void howFarARoundIsCanBeSeenByTheOneBefore() {
		fill(10_000);
		Line line = new Line(this.b.responder().with("a"));
		AntiEntropy leading = this.a.lead(OFTEN, new ComparisonPeer(line, this.b.replica, () -> 0));
		await().atMost(PATIENCE).until(() -> this.a.agreements.size() > 2);
		line.cut();
		await().atMost(PATIENCE).until(() -> leading.progress().getFirst().state() == State.INTERRUPTED);
		assertThat(leading.progress().getFirst().keysBefore()).isEqualTo(10_000);
		await().atMost(PATIENCE).until(() -> running() == 0);
		line.mend();
		int agreed = this.a.agreements.size();
		await().atMost(PATIENCE).until(() -> this.a.agreements.size() > agreed + 1);
		List<Round> rounds = this.a.agreements.stream().map(Agreement::round).toList();
		assertThat(rounds.size() - new HashSet<>(rounds).size()).as("told twice: %s", rounds).isLessThanOrEqualTo(1);
	}

	private double running() {
		return this.a.registry.get("quorate.repair.comparison.running").tag("peer", "b").gauge().value();
	}

	@Test
	void aPeerIsSeenToAskUntilItIsDone() throws Exception {
		ComparisonResponder asked = this.b.responder();
		AntiEntropy leading = this.a.lead(ON_REQUEST, this.b.seenBy(this.a));
		assertThat(asked.isAskedBy("a")).isFalse();
		leading.compare(new KeyRange(key(1), key(2))).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(asked.isAskedBy("a")).as("nobody says that the comparison of a range is over").isTrue();
		leading.compare(KeyRange.ALL).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(asked.isAskedBy("a")).isFalse();
		assertThat(asked.isAskedBy("c")).isFalse();
	}

	@Test
	void aNodeThatIsFilledAnewFetchesAndGivesNothing() throws Exception {
		fill(1_000);
		AntiEntropy leading = this.b.lead(ON_REQUEST, this.a.seenBy(this.b));
		Counted counted = new Counted();
		leading.fetchAll("a", counted).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
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
		await().atMost(PATIENCE).until(() -> !this.b.agreements.isEmpty());
		leading.remove("b");
		assertThat(leading.progress()).isEmpty();
		assertThat(leading.leaderWith("b")).isNull();
		assertThatIllegalArgumentException().isThrownBy(() -> leading.fetchAll("b", CopyObserver.NONE));
		leading.add(this.b.seenBy(this.a));
		int before = this.b.agreements.size();
		await().atMost(PATIENCE).until(() -> this.b.agreements.size() > before);
	}

	@Test
	void aCopyThatIsCancelledEndsWithinAPage() {
		fill(100_000);
		AntiEntropy leading = this.a.lead(SLOW, this.b.seenBy(this.a));
		CompletableFuture<Long> copy = leading.fetchAll("b", CopyObserver.NONE);
		await().atMost(PATIENCE).until(() -> this.a.entries.size() > 50_000);
		copy.cancel(false);
		await().atMost(PATIENCE).until(() -> running() == 0);
		assertThat(this.a.entries.size()).isLessThan(100_000);
		assertThat(leading.progress()).isEmpty();
	}

	@Test
	void metersOfAPeerThatLeavesMeanwhileDoNotComeBack() {
		fill(100_000);
		AntiEntropy leading = this.a.lead(SLOW, this.b.seenBy(this.a));
		var _ = leading.compare(KeyRange.ALL);
		await().atMost(PATIENCE).until(() -> this.a.entries.size() > 50_000);
		leading.remove("b");
		await().atMost(PATIENCE).until(() -> running() == 0);
		assertThat(this.a.entries.size()).as("it ends early").isLessThan(100_000);
		assertThat(leading.agesSeconds()).isEmpty();
	}

	@Test
	void aPeerThatIsNotThereDoesNotHoldUpTheOthers() {
		try (TestNode c = new TestNode("c")) {
			fill(100);
			c.put(key(5_000), live(1));
			Line dead = new Line(this.b.responder().with("a"));
			dead.cut();
			this.a.lead(OFTEN, new ComparisonPeer(dead, this.b.replica, () -> 0), c.seenBy(this.a));
			await().atMost(PATIENCE).until(() -> !c.agreements.isEmpty());
			assertThat(this.a.entries).hasSize(51).isEqualTo(c.entries);
			this.a.close();
		}
	}

	@Test
	void stoppingDoesNotWaitForWhoIsSilent() {
		Line line = new Line(this.b.responder().with("a"));
		line.fallSilent();
		AntiEntropy leading = this.a.lead(OFTEN, new ComparisonPeer(line, this.b.replica, () -> 0));
		await().atMost(PATIENCE).until(() -> line.asked.get() > 0);
		long began = System.nanoTime();
		leading.stop();
		assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(3));
	}

	@Test
	void theRateIsKept() throws Exception {
		fill(20_000);
		AntiEntropy leading = this.a.lead(new ComparisonProperties(false, SELDOM, SLOWLY, 1, TestNode.FAST, 1),
				this.b.seenBy(this.a));
		long began = System.nanoTime();
		leading.compare(KeyRange.ALL).get(60, TimeUnit.SECONDS);
		long bytes = leading.progress().getFirst().bytesTransferred();
		assertThat(bytes).isGreaterThan(1024 * 1024);
		assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(atLeastFor(bytes));
	}

	@Test
	void aCopyHasARateOfItsOwn() throws Exception {
		fill(20_000);
		AntiEntropy leading = this.a.lead(new ComparisonProperties(false, SELDOM, TestNode.FAST, 1, SLOWLY, 1),
				this.b.seenBy(this.a));
		Counted counted = new Counted();
		long began = System.nanoTime();
		leading.fetchAll("b", counted).get(60, TimeUnit.SECONDS);
		assertThat(counted.bytes).isGreaterThan(400_000);
		assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(atLeastFor(counted.bytes));
	}

	/** The time that so many bytes take, but for a burst at the beginning. */
	private static Duration atLeastFor(long bytes) {
		return Duration.ofMillis((bytes - 100_000) * 1000 / SLOWLY.toBytes());
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
