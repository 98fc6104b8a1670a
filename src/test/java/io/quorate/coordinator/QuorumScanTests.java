package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.RequestTimeline.Hop;
import io.quorate.coordinator.RequestTimeline.Stage;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Replica;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

class QuorumScanTests extends QuorumScanFixture {

	@Test
	void everyKeyComesOnceAndInOrderAtItsNewestState() {
		hold(live(10), "k1", this.a, this.b, this.c);
		hold(live(10), "k2", this.a);
		hold(live(20), "k2", this.b, this.c);
		hold(live(10), "k3", this.c, this.b);
		assertThat(millis(scan(MAJORITY, this.a, this.b, this.c))).containsExactly(entry("k1", 10L), entry("k2", 20L),
				entry("k3", 10L));
	}

	@Test
	void liveValueOfALaggingReplicaDoesNotWinOverATombstone() {
		hold(live(10), "k1", this.a, this.b, this.c);
		hold(new Entry.Tombstone(Timestamp.ofMillis(20), 3), "k1", this.b, this.c);
		assertThat(millis(scan(MAJORITY, this.a, this.b, this.c))).isEmpty();
		assertThat(this.a.entries.get(Key.of("k1"))).isInstanceOf(Entry.Tombstone.class);
	}

	@Test
	void aStaleReplicaIsRepairedAfterThePageWasSent() {
		hold(live(20), "k1", this.a, this.b);
		RangeScan scan = scan(MAJORITY, this.a, this.b, this.c);
		StepVerifier.create(scan.nextPage())
			.assertNext((page) -> assertThat(this.c.entries).isEmpty())
			.verifyComplete();
		assertThat(this.c.entries).containsOnlyKeys(Key.of("k1"));
	}

	@Test
	void repairMakesNoMoreCopiesThanWereAskedFor() {
		Entry narrow = new Entry.Live(Timestamp.ofMillis(5), 1, Entry.NEVER, Value.EMPTY);
		hold(narrow, "k1", this.a);
		assertThat(millis(scan(MAJORITY, this.a, this.b, this.c))).containsKey("k1");
		assertThat(this.b.entries).isEmpty();
		assertThat(this.c.entries).isEmpty();
	}

	@Test
	void onlyTheReplicasOfAKeyCountForIt() {
		Key key = Key.of("k1");
		List<MemoryReplica> nodes = List.of(this.a, this.b, this.c, this.d);
		FixedLists lists = new FixedLists(2, List.copyOf(nodes));
		List<Replica> replicas = lists.listOf(key);
		for (MemoryReplica node : nodes) {
			node.put(key, live(replicas.contains(node) ? 10 : 99));
		}
		assertThat(millis(scan(new Consistency(2, 2), lists))).containsExactly(entry("k1", 10L));
	}

	@Test
	void nodesBeyondFromDoNotCount() {
		hold(live(10), "k1", this.a, this.b);
		hold(live(20), "k1", this.c);
		hold(live(20), "k2", this.c);
		assertThat(millis(scan(new Consistency(2, 2), this.a, this.b, this.c))).containsExactly(entry("k1", 10L));
	}

	@Test
	void lossOfANodeIsToleratedWhereEveryKeyKeepsItsQuorum() {
		fill(50, this.a, this.b, this.c);
		this.lines.down.add("b");
		assertThat(millis(scan(MAJORITY, this.a, this.b, this.c))).hasSize(50);
	}

	@Test
	void lossOfTheQuorumFailsTheScanBeforeItsFirstRecord() {
		fill(50, this.a, this.b, this.c);
		this.lines.down.addAll(List.of("b", "c"));
		StepVerifier.create(scan(MAJORITY, this.a, this.b, this.c).nextPage())
			.expectErrorSatisfies((error) -> assertThat(((QuorumNotReachedException) error).replicas())
				.contains(new Said("b", "timeout"), new Said("c", "timeout")))
			.verify();
	}

	@Test
	void lossOfTheQuorumFailsTheScanLaterToo() {
		fill(3000, this.a, this.b, this.c);
		RangeScan scan = scan(MAJORITY, this.a, this.b, this.c);
		StepVerifier.create(scan.nextPage()).expectNextCount(1).verifyComplete();
		this.lines.down.addAll(List.of("b", "c"));
		StepVerifier.create(scan.nextPage()).verifyError(QuorumNotReachedException.class);
	}

	@Test
	void twoLostNodesThatShareNoKeyAreTolerated() {
		List<MemoryReplica> nodes = List.of(this.a, this.b, this.c, this.d);
		FixedLists lists = new FixedLists(2, List.copyOf(nodes));
		for (int i = 0; i < 100; i++) {
			Key key = Key.of("k" + i);
			lists.listOf(key).forEach((replica) -> ((MemoryReplica) replica).put(key, live(10)));
		}
		this.lines.down.addAll(List.of("a", "c"));
		assertThat(millis(scan(new Consistency(1, 2), lists))).hasSize(100);
		this.lines.down.add("b");
		StepVerifier.create(scan(new Consistency(1, 2), lists).nextPage()).verifyError(QuorumNotReachedException.class);
	}

	@Test
	void nodeThatComesBackIsHeardAgainWithoutRepeatingAnything() {
		fill(3000, this.a, this.b, this.c);
		this.lines.down.add("b");
		RangeScan scan = scan(MAJORITY, this.a, this.b, this.c);
		NavigableMap<String, Long> found = new TreeMap<>();
		StepVerifier.create(scan.nextPage()).consumeNextWith((page) -> add(found, page)).verifyComplete();
		this.lines.down.remove("b");
		this.lines.down.add("c");
		Map<String, Long> rest = millis(scan);
		assertThat(rest).doesNotContainKey(found.lastKey());
		found.putAll(rest);
		assertThat(found).hasSize(3000);
	}

	@Test
	void silentNodeIsLeftBehindWhenItBecomesSuspect() {
		fill(10, this.a, this.b, this.c);
		this.lines.held.add("b");
		StepVerifier.create(scan(MAJORITY, this.a, this.b, this.c).nextPage())
			.then(() -> this.suspects.suspect("b"))
			.assertNext((page) -> assertThat(page).hasSize(10))
			.verifyComplete();
	}

	@Test
	void silentNodeThatIsNeededEndsTheScanAtItsDeadline() {
		fill(10, this.a, this.b, this.c);
		this.lines.held.add("b");
		this.suspects.suspect("b");
		RangeScan scan = scan(lists(this.a, this.b, this.c),
				new ScanRequest(new ScanRequest.Wanted(ScanRange.ascending(Key.of("a"), null), false, Long.MAX_VALUE),
						new Consistency(3, 3), Duration.ofMillis(100), this.admission.admit(0),
						new RequestTimeline(0)));
		StepVerifier.create(scan.nextPage())
			.expectErrorSatisfies((error) -> assertThat(((QuorumNotReachedException) error).replicas())
				.containsExactly(new Said("a", "ack"), new Said("b", "silent"), new Said("c", "ack")))
			.verify();
	}

	@Test
	void entryFromTheFarFutureCountsAsNoAnswer() {
		hold(live(10), "k1", this.a, this.b);
		hold(live(ScriptedCluster.NOW + ScriptedCluster.MAX_SKEW.toMillis() + 1), "k1", this.c);
		assertThat(millis(scan(MAJORITY, this.a, this.b, this.c))).containsExactly(entry("k1", 10L));
		StepVerifier.create(scan(new Consistency(3, 3), lists(this.a, this.b, this.c)).nextPage())
			.verifyError(QuorumNotReachedException.class);
	}

	@Test
	void limitEndsTheScan() {
		fill(50, this.a, this.b, this.c);
		FixedLists lists = lists(this.a, this.b, this.c);
		RangeScan scan = scan(lists, request("k", "k00040", 7, MAJORITY));
		assertThat(millis(scan)).hasSize(7).containsKeys("k00000", "k00006");
		RangeScan range = scan(lists, request("k00007", "k00009", 7, MAJORITY));
		assertThat(millis(range)).containsOnlyKeys("k00007", "k00008");
	}

	@Test
	void anyNumberOfPagesWithoutRowsIsPassed() {
		delete(20_000, this.a);
		hold(live(10), "l", this.a);
		this.a.store.mostOnAPage = 1;
		assertThat(millis(scan(new Consistency(1, 1), lists(this.a)))).containsOnlyKeys("l");
	}

	@Test
	void fewRowsBehindManyDeletionsTakeFewPages() {
		delete(2000, this.a);
		hold(live(10), "l", this.a);
		FixedLists lists = lists(this.a);
		RangeScan scan = scan(lists, request("k", null, 1, new Consistency(1, 1)));
		assertThat(millis(scan)).containsOnlyKeys("l");
		assertThat(this.lines.sent).isLessThan(5);
	}

	@Test
	void theBytesOfAPageCountUntilTheNextPageIsRequested() {
		for (int i = 0; i < 20; i++) {
			hold(new Entry.Live(Timestamp.ofMillis(10), 3, Entry.NEVER, Value.wrap(new byte[50_000])), "k" + (10 + i),
					this.a, this.b, this.c);
		}
		List.of(this.a, this.b, this.c).forEach((node) -> node.store.mostOnAPage = 2);
		RangeScan scan = scan(MAJORITY, this.a, this.b, this.c);
		StepVerifier.create(scan.nextPage()).expectNextCount(1).verifyComplete();
		assertThat(this.admission.bytes()).isEqualTo(2 * 50_003);
		assertThat(millis(scan)).hasSize(18);
		assertThat(this.admission.bytes()).isZero();
	}

	@Test
	void scanIsRefusedWhenThereIsNoRoomForItsPages() {
		hold(new Entry.Live(Timestamp.ofMillis(10), 3, Entry.NEVER, Value.wrap(new byte[600_000])), "k1", this.a,
				this.b, this.c);
		StepVerifier.create(scan(MAJORITY, this.a, this.b, this.c).nextPage()).verifyError(RefusedException.class);
		assertThat(this.admission.bytes()).isLessThanOrEqualTo(1_000_000);
	}

	@Test
	void abandonedPageAsksForNothingMore() {
		delete(5000, this.a);
		this.a.store.mostOnAPage = 1;
		this.lines.held.add("b");
		RangeScan scan = scan(new Consistency(2, 2), this.a, this.b);
		scan.nextPage().subscribe().dispose();
		assertThat(this.lines.sent).isEqualTo(2);
		this.lines.held.clear();
		assertThat(millis(scan)).isEmpty();
	}

	@Test
	void deletionsThatAReplicaLacksAreRepairedOnTheWayAndNotKept() {
		delete(3000, this.a, this.b);
		StepVerifier.create(scan(MAJORITY, this.a, this.b, this.c).nextPage()).verifyComplete();
		assertThat(this.c.entries).hasSize(3000);
	}

	@Test
	void lateRepairsLeaveRoomForOthers() {
		delete(1000, this.a, this.b);
		this.lines.heldWrites = true;
		StepVerifier.create(scan(MAJORITY, this.a, this.b, this.c).nextPage()).verifyComplete();
		assertThat(this.lines.writes).isEqualTo(256);
	}

	@Test
	void aSilentNodeIsLeftBehindWhenTheDeadlineIsNear() {
		fill(50, this.a, this.b, this.c);
		this.lines.held.add("b");
		AtomicLong nanos = new AtomicLong();
		DeadlineSweep sweep = new DeadlineSweep(Runnable::run, nanos::get, this.lines.held::clear);
		FixedLists lists = lists(this.a, this.b, this.c);
		Outcome outcome = new Outcome();
		StepVerifier
			.create(outcome
				.of(new QuorumScan(readServices(() -> lists, sweep), request("a", null, Long.MAX_VALUE, MAJORITY))
					.nextPage()))
			.then(() -> nanos.set(TIMEOUT.toNanos() * 3 / 4 - 1))
			.then(sweep::sweep)
			.then(outcome::requireNone)
			.then(() -> nanos.set(TIMEOUT.toNanos() * 3 / 4))
			.then(sweep::sweep)
			.assertNext((page) -> assertThat(page).hasSize(50))
			.verifyComplete();
	}

	@Test
	void overloadAloneIsARefusal() {
		fill(10, this.a, this.b, this.c);
		this.lines.reason = Reason.OVERLOADED;
		this.lines.down.addAll(List.of("b", "c"));
		StepVerifier.create(scan(MAJORITY, this.a, this.b, this.c).nextPage()).verifyError(RefusedException.class);
	}

	@Test
	void randomStatesAreMergedAsAModelDoes() {
		for (long seed = 0; seed < 60; seed++) {
			Random random = new Random(seed);
			this.lines.down.clear();
			List<MemoryReplica> nodes = List.of(this.a, this.b, this.c, this.d);
			nodes.forEach((node) -> node.entries.clear());
			FixedLists lists = new FixedLists(3, List.copyOf(nodes));
			Map<String, Long> model = new TreeMap<>();
			for (int i = 0; i < 1500; i++) {
				acknowledge(random, lists, "k%05d".formatted(random.nextInt(700)), i + 1, model);
			}
			if (random.nextBoolean()) {
				this.lines.down.add(nodes.get(random.nextInt(4)).nodeId());
			}
			assertThat(millis(scan(MAJORITY, lists))).as("seed %d", seed).isEqualTo(model);
		}
	}

	/* An operation that two or three of the three replicas took. */
	private static void acknowledge(Random random, FixedLists lists, String name, int millis, Map<String, Long> model) {
		boolean isDeletion = random.nextInt(4) == 0;
		Entry entry = isDeletion ? new Entry.Tombstone(Timestamp.ofMillis(millis), 3) : live(millis);
		List<Replica> replicas = new ArrayList<>(lists.listOf(Key.of(name)));
		if (random.nextBoolean()) {
			replicas.remove(random.nextInt(3));
		}
		replicas.forEach((replica) -> ((MemoryReplica) replica).put(Key.of(name), entry));
		if (isDeletion) {
			model.remove(name);
		}
		else {
			model.put(name, (long) millis);
		}
	}

	@Test
	void keysLookedAtAndRecordsReturnedAreCounted() {
		hold(live(10), "k1", this.a, this.b, this.c);
		hold(live(10), "k2", this.a, this.b, this.c);
		hold(new Entry.Tombstone(Timestamp.ofMillis(20), 3), "k3", this.a, this.b, this.c);
		RequestTimeline timeline = new RequestTimeline(0);
		RangeScan scan = scan(lists(this.a, this.b, this.c),
				new ScanRequest(new ScanRequest.Wanted(ScanRange.ascending(Key.of("a"), null), false, Long.MAX_VALUE),
						MAJORITY, TIMEOUT, this.admission.admit(0), timeline));
		assertThat(this.meters.get("quorate.scans.open").gauge().value()).isOne();
		assertThat(millis(scan)).hasSize(2);
		scan.close();
		scan.close();
		assertThat(this.meters.get("quorate.scans.open").gauge().value()).isZero();
		assertThat(this.meters.get("quorate.scan.keys").tag("outcome", "examined").counter().count()).isEqualTo(3);
		assertThat(this.meters.get("quorate.scan.keys").tag("outcome", "returned").counter().count()).isEqualTo(2);
		assertThat(timeline.hops()).extracting(Hop::outcome).containsExactly("page", "page", "page");
		assertThat(timeline.nanos(Stage.REPLICAS)).isPositive();
	}

	@Test
	void scanForWhosePagesThereIsNoRoomIsShedBecauseOfBytes() {
		fill(10, this.a, this.b, this.c);
		try (Admission.Permit _ = this.admission.admit(1_000_000)) {
			StepVerifier.create(scan(MAJORITY, this.a, this.b, this.c).nextPage())
				.expectErrorSatisfies((error) -> assertThat(((RefusedException) error).why()).isEqualTo(Why.BYTES))
				.verify();
		}
		assertThat(this.meters.get("quorate.shed").tag("reason", "bytes").counter().count()).isOne();
		assertThat(this.meters.get("quorate.shed").tag("reason", "replicas").counter().count()).isZero();
	}

}
