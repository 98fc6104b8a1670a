package io.quorate.repair.rebuild;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.Position;
import io.quorate.repair.purge.PurgeFixture;
import io.quorate.repair.record.CoveredLosses;
import io.quorate.repair.record.Horizon;
import io.quorate.repair.record.RebuildRecord.Step;
import io.quorate.repair.record.RebuildRecord;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.security.LoggedKey;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageOverloadedException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.quorate.repair.rebuild.ScriptedSources.live;
import static io.quorate.repair.rebuild.ScriptedSources.tombstone;
import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class RebuildTests extends DrivenRebuild {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final Duration A_WHILE = Duration.ofSeconds(10);

	/* A start knows the configuration only, which may not name this node. */
	@Test
	void aRebuildWaitsForTheLayoutThatNamesItsSources() throws Exception {
		apply("own", live(60, "x"));
		this.peers.areKnown = false;
		this.peers.ids = Set.of();
		this.state.begin("a test", OURS, Position.ofSequence(5));
		rebuildFor(A_WHILE);
		assertThat(held("own")).as("nothing is set aside yet").isInstanceOf(ReadResult.Found.class);
		this.peers.hold("n2", "a", live(10, "a"));
		this.peers.ids = Set.of("n2", "n3");
		this.peers.areKnown = true;
		awaitRebuilt(0, 0);
		assertThat(held("a")).isInstanceOf(ReadResult.Found.class);
	}

	@Test
	void theNewestEntryOfAnyPeerIsCopied() throws Exception {
		this.peers.hold("n2", "a", live(10, "old"));
		this.peers.hold("n3", "a", live(20, "new"));
		this.peers.hold("n3", "b", tombstone(30));
		String notOurs = OwnedKeysTests.keyWith(1).toString();
		this.peers.hold("n2", notOurs, live(40, 1, "x"));
		this.state.begin("a test", OURS, Position.ofSequence(5));
		assertThat(this.membership.isRebuilding()).isTrue();
		awaitRebuilt(0, 0);
		assertThat(held("a")).isEqualTo(new ReadResult.Found(live(20, "new")));
		assertThat(held("b")).isEqualTo(new ReadResult.Found(tombstone(30)));
		assertThat(held(notOurs)).isEqualTo(ReadResult.Absent.INSTANCE);
		assertThat(this.membership.isRebuilding()).isFalse();
	}

	/* rebuildFrom1: the one that answers may have missed what the other holds. */
	@Test
	void itIsNotRebuiltBeforeAllHaveBeenCopied() throws Exception {
		this.peers.hold("n3", "a", live(20, "new"));
		this.peers.silent.add("n3");
		this.peers.hold("n2", "b", live(20, "b"));
		this.state.begin("a test", OURS, Position.ofSequence(5));
		rebuildFor(A_WHILE);
		assertThat(held("b")).isInstanceOf(ReadResult.Found.class);
		assertThat(this.membership.emptiedFor()).as("since it was set aside").isPositive();
		stop();
		start(Duration.ZERO);
		assertThat(this.membership.emptiedFor()).as("as it was before the start").isPositive();
		this.peers.silent.clear();
		awaitRebuilt(0, 0);
		assertThat(this.membership.emptiedFor()).isZero();
		assertThat(held("a")).isEqualTo(new ReadResult.Found(live(20, "new")));
	}

	@Test
	void eachReasonThatHoldsItUpIsLogged(CapturedOutput log) throws Exception {
		this.peers.silent.add("n3");
		this.state.begin("a test", OURS, Position.ofSequence(5));
		for (String reason : List.of("no connection", "overloaded")) {
			this.peers.reason = reason;
			rebuildFor(A_WHILE);
			assertThat(log).contains("The rebuild is held up: n3 cannot be copied now: " + reason);
		}
	}

	/* mergeAll: an older directory holds what was deleted and purged meanwhile. */
	@Test
	void anOwnEntryIsRestoredOnlyIfNewerThanAllPurgeHorizons() throws Exception {
		apply("purged", live(40, "deleted at 50"));
		apply("only-here", live(60, "acknowledged by this node alone"));
		hear(10, 10);
		this.state.begin("a test", OURS, Position.ofSequence(5));
		awaitRebuilt(50, 10);
		assertThat(held("purged")).isEqualTo(ReadResult.Absent.INSTANCE);
		assertThat(held("only-here")).isInstanceOf(ReadResult.Found.class);
		assertThat(this.node.horizon.overall()).as("copied").isEqualTo(50);
		assertThat(this.state.coveredLosses().horizon()).isEqualTo(50);
		assertThat(this.store.aside()).as("discarded").isEmpty();
	}

	@Test
	void anEntryThatNoOtherNodeCanHoldIsRestoredHoweverOldItIs() throws Exception {
		String first = OwnedKeysTests.keyWith(0).toString();
		String second = OwnedKeysTests.keyWith(1).toString();
		apply(first, live(40, 1, "only here"));
		apply(second, live(40, 1, "of another"));
		apply("of-all", live(40, 3, "deleted at 45"));
		this.state.begin("a test", OURS, Position.ofSequence(5));
		awaitRebuilt(50, 10);
		assertThat(held(first)).isInstanceOf(ReadResult.Found.class);
		assertThat(held(second)).isEqualTo(ReadResult.Absent.INSTANCE);
		assertThat(held("of-all")).isEqualTo(ReadResult.Absent.INSTANCE);
	}

	@Test
	void withoutReplicasAllOfItsOwnComesBack() throws Exception {
		stop();
		this.ring = Ring.of(Stream.of("n1", "n2", "n3").map(Member::of).toList(), 1);
		this.peers.ids = Set.of();
		start(Duration.ZERO);
		String ours = OwnedKeysTests.keyWith(0).toString();
		apply(ours, live(40, 3, "value"));
		this.node.horizon.raise(new Horizon.Levels(50, Map.of()));
		this.state.begin("a test", OURS, Position.ofSequence(5));
		awaitRebuilt(0, 0);
		assertThat(held(ours)).isInstanceOf(ReadResult.Found.class);
	}

	@Test
	void anOperatorEndsItWithAllThatThereIs() throws Exception {
		apply("purged", live(40, "deleted at 50"));
		this.peers.silent.addAll(this.peers.ids());
		this.state.begin("a test", OURS, Position.ofSequence(5));
		rebuildFor(A_WHILE);
		this.state.abandon();
		rebuildUntil(() -> !this.state.isRebuilding());
		assertThat(held("purged")).isInstanceOf(ReadResult.Found.class);
	}

	/* oldAcks: what was acknowledged with the lost disk may still be awaited. */
	@Test
	void nothingIsCopiedBeforeTheLongestDeadlineHasPassed() throws Exception {
		stop();
		start(Duration.ofMinutes(5));
		this.peers.hold("n2", "a", live(10, "a"));
		this.state.begin("a test", OURS, Position.ofSequence(5));
		rebuildFor(Duration.ofSeconds(299));
		assertThat(this.peers.asked).isEmpty();
		assertThat(this.state.state().step()).isEqualTo(Step.BEGUN);
		assertThat(this.membership.emptiedFor()).as("nothing is set aside yet").isZero();
		awaitRebuilt(0, 0);
		assertThat(held("a")).isInstanceOf(ReadResult.Found.class);
	}

	@Test
	void aStoreWithoutRoomHasNothingCopiedTwice() throws Exception {
		AtomicInteger writes = new AtomicInteger();
		this.failure = () -> (writes.incrementAndGet() % 3 != 0)
				? new StorageOverloadedException(StorageOverloadedException.Bound.TABLES, 1) : null;
		for (int i = 0; i < 5; i++) {
			this.peers.hold("n2", "k" + i, live(10 + i, "x"));
		}
		apply("only-here", live(60, "x"));
		this.state.begin("a test", OURS, Position.ofSequence(5));
		awaitRebuilt(50, 0);
		assertThat(this.peers.asked).doesNotHaveDuplicates();
		assertThat(this.unsteady.pagesOfAside).hasSize(1);
		for (int i = 0; i < 5; i++) {
			assertThat(held("k" + i)).isInstanceOf(ReadResult.Found.class);
		}
		assertThat(held("only-here")).isInstanceOf(ReadResult.Found.class);
	}

	@Test
	void anEntryThatAPromiseRefusesIsCopiedOnceThatHasEnded() throws Exception {
		this.unsteady.promised.set(7);
		for (int i = 0; i < 5; i++) {
			this.peers.hold("n2", "k" + i, live(10 + i, "x"));
		}
		this.state.begin("a test", OURS, Position.ofSequence(5));
		awaitRebuilt(50, 0);
		assertThat(this.peers.asked).doesNotHaveDuplicates();
		for (int i = 0; i < 5; i++) {
			assertThat(held("k" + i)).isInstanceOf(ReadResult.Found.class);
		}
		assertThat(this.unsteady.promised).hasValue(0);
	}

	@Test
	void aPromiseThatStandsIsReportedAndHoldsNoEndedRebuildUp(CapturedOutput log) throws Exception {
		this.unsteady.promised.set(Integer.MAX_VALUE);
		this.peers.hold("n2", "a", live(10, "x"));
		this.state.begin("a test", OURS, Position.ofSequence(5));
		String report = "The rebuild is held up: the store refuses the entry of %s (1 in all): the promise %s stands"
			.formatted(LoggedKey.of(Key.of("a")), Timestamp.ofMillis(1));
		rebuildFor(Duration.ofSeconds(9));
		assertThat(log).doesNotContain("held up");
		long since = this.time.nanos();
		rebuildUntil(() -> {
			hear(0, 0);
			if (this.time.nanos() - since > TimeUnit.MINUTES.toNanos(1)) {
				this.state.abandon();
			}
			return !this.state.isRebuilding();
		});
		assertThat(log.getOut().split(Pattern.quote(report), -1)).as("once").hasSize(2);
	}

	@Test
	void aMergeThatAPromiseRefusesGivesWayToAnotherRebuild() throws Exception {
		apply("only-here", live(60, "x"));
		this.peers.silent.addAll(this.peers.ids());
		this.unsteady.promised.set(Integer.MAX_VALUE);
		this.state.begin("a test", OURS, Position.ofSequence(5));
		this.state.abandon();
		rebuildUntil(() -> this.time.nanos() > TimeUnit.MINUTES.toNanos(1));
		assertThat(this.state.isRebuilding()).as("what is merged is nowhere else").isTrue();
		rebuildUntil(() -> {
			this.state.begin("another loss", OURS, Position.ofSequence(6));
			return this.state.isUnderWay();
		});
		this.unsteady.promised.set(0);
		this.peers.silent.clear();
		awaitRebuilt(50, 0);
		assertThat(held("only-here")).isInstanceOf(ReadResult.Found.class);
	}

	@Test
	void anInterruptedRebuildContinuesFromTheSamePage() throws Exception {
		for (int i = 0; i < 5; i++) {
			this.peers.hold("n2", "k" + i, live(10 + i, "x"));
			this.peers.hold("n3", "k" + i, live(10 + i, "x"));
		}
		applyMany(3000, 60);
		AtomicInteger writes = new AtomicInteger();
		this.failure = () -> switch (writes.incrementAndGet()) {
			case 3, 2000 -> new DiskFullException(this.directory, 1, 2);
			default -> null;
		};
		this.state.begin("a test", OURS, Position.ofSequence(5));
		rebuildUntil(() -> writes.get() >= 3);
		this.peers.silent.add("n3");
		rebuildFor(A_WHILE);
		assertThat(this.peers.asked).contains("n2 k4");
		this.peers.silent.clear();
		awaitRebuilt(50, 0);
		assertThat(Set.copyOf(this.peers.asked)).as("but for one page all are asked for once")
			.hasSizeGreaterThanOrEqualTo(this.peers.asked.size() - 1);
		List<Key> pages = this.unsteady.pagesOfAside;
		assertThat(pages).hasSize(Set.copyOf(pages).size() + 1);
		assertThat(pages.stream().filter(pages.getFirst()::equals)).as("the first page, read and merged").hasSize(1);
		for (int i = 0; i < 3000; i += 100) {
			assertThat(held("own-" + i)).isInstanceOf(ReadResult.Found.class);
		}
	}

	/* What was left out because members bring it is not to be lost with them. */
	@Test
	void aMergeThatIsEndedByAnOperatorBeginsAnew() throws Exception {
		applyMany(2000, 40);
		apply("the-last", live(60, "newer"));
		AtomicBoolean full = new AtomicBoolean(true);
		AtomicInteger refused = new AtomicInteger();
		this.failure = () -> (full.get() && refused.incrementAndGet() > 0) ? new DiskFullException(this.directory, 1, 2)
				: null;
		this.state.begin("a test", OURS, Position.ofSequence(5));
		rebuildUntil(() -> {
			hear(50, 10);
			return refused.get() > 0;
		});
		this.state.abandon();
		full.set(false);
		awaitRebuilt(50, 10);
		for (String key : List.of("own-0", "own-1999", "the-last")) {
			assertThat(held(key)).isInstanceOf(ReadResult.Found.class);
		}
	}

	@Test
	void aDamagedTableDoesNotHoldItUp() throws Exception {
		applyMany(2000, 60);
		stop();
		Path damaged = onlyTable();
		byte[] bytes = Files.readAllBytes(damaged);
		bytes[bytes.length - 40] ^= 1;
		Files.write(damaged, bytes);
		start(Duration.ZERO);
		apply("whole", live(60, "in another table"));
		this.peers.hold("n2", "own-7", live(60, "x"));
		this.state.begin("a test", OURS, Position.ofSequence(5));
		awaitRebuilt(50, 0);
		assertThat(held("own-7")).as("of a peer").isInstanceOf(ReadResult.Found.class);
		assertThat(held("whole")).isInstanceOf(ReadResult.Found.class);
		assertThat(held("own-8")).as("what the table held is nowhere").isEqualTo(ReadResult.Absent.INSTANCE);
		try (Stream<Path> kept = Files.walk(this.directory.resolve("store/aside"))) {
			assertThat(kept).as("for the operator").anyMatch((file) -> file.endsWith(damaged.getFileName()));
		}
	}

	private Path onlyTable() throws IOException {
		try (Stream<Path> tables = Files.list(this.directory.resolve("store/tables"))) {
			List<Path> all = tables.toList();
			assertThat(all).hasSize(1);
			return all.getFirst();
		}
	}

	/* Such is the store of a good peer to a node whose clock is behind. */
	@Test
	void anEntryRefusedForItsTimestampKeepsTheNodeRebuilding() throws Exception {
		long future = Timestamp.hybridOfMillis(System.currentTimeMillis() + 600_000);
		this.peers.hold("n2", "a", live(10, "x"));
		this.peers.hold("n2", "b", live(future, "x"));
		this.state.begin("a test", OURS, Position.ofSequence(5));
		rebuildFor(A_WHILE);
		assertThat(this.peers.asked.stream().filter("n2 b"::equals)).hasSizeGreaterThan(1);
		this.peers.hold("n2", "b", live(20, "x"));
		awaitRebuilt(0, 0);
		assertThat(held("b")).isInstanceOf(ReadResult.Found.class);
	}

	@Test
	void aLossRightAfterwardsIsNoticed() throws Exception {
		apply("a", live(60, "x"));
		this.state.begin("a test", OURS, Position.ofSequence(500));
		awaitRebuilt(0, 0);
		assertThat(this.store.durableSequence()).as("passes what peers remember").isGreaterThanOrEqualTo(500);
		apply("b", live(70, "x"));
		Position seen = this.tracker.position("n2");
		DataLossDetector older = new DataLossDetector(PurgeFixture.lineage(this.directory, OURS, 500), 0,
				this.state.coveredLosses());
		assertThat(older.symptom("n2", new LastKnownStatus(OURS, Position.ofSequence(seen.sequence()), 0, false, 0)))
			.contains("are there");
		assertThat(older.symptom("n2", new LastKnownStatus(OURS, seen, 0, false, 0))).contains("of which 500");
	}

	@Test
	void itIsNotOverWhileAPeerRemembersMore() throws Exception {
		CoveredLosses early = this.state.coveredLosses().with(OURS, Position.ofSequence(5));
		this.state.begin("a test", OURS, Position.ofSequence(7));
		rebuildUntil(() -> this.state.state().step() == Step.ASIDE);
		assertThat(this.state.finish(early, 0, true)).isFalse();
		assertThat(this.state.isRebuilding()).isTrue();
		awaitRebuilt(0, 0);
		assertThat(this.store.durableSequence()).isGreaterThanOrEqualTo(7);
	}

	/*
	 * An operator has ended it, or another incarnation has begun: all of its own is
	 * merged already.
	 */
	@Test
	void anotherLossThanTheOneForWhichItWasAbandonedIsRepaired() throws Exception {
		applyMany(2000, 40);
		this.peers.hold("n3", "a", live(20, "x"));
		this.peers.silent.addAll(this.peers.ids());
		AtomicInteger merged = new AtomicInteger();
		this.failure = () -> (merged.incrementAndGet() > 1500) ? new DiskFullException(this.directory, 1, 2) : null;
		this.state.begin("a test", OURS, Position.ofSequence(5));
		this.state.abandon();
		rebuildUntil(() -> merged.get() > 1500);
		this.state.begin("the same loss again", OURS, Position.ofSequence(5));
		assertThat(this.state.isAbandoned()).isTrue();
		this.state.begin("another loss", OURS, Position.ofSequence(6));
		assertThat(this.state.isAbandoned()).isFalse();
		this.failure = () -> null;
		this.peers.silent.clear();
		awaitRebuilt(50, 0);
		assertThat(held("a")).isInstanceOf(ReadResult.Found.class);
		for (int i = 0; i < 2000; i += 100) {
			assertThat(held("own-" + i)).as("it was purged by n2").isEqualTo(ReadResult.Absent.INSTANCE);
		}
		assertThat(this.store.aside()).isEmpty();
	}

	@Test
	void aStoreWithDataSetAsideIsRebuiltWhateverItsRecordSays() throws Exception {
		apply("only-here", live(60, "x"));
		this.store.setAside().get(1, TimeUnit.MINUTES);
		assertThat(this.state.isRebuilding()).isFalse();
		stop();
		start(Duration.ZERO);
		assertThat(this.state.isRebuilding()).isTrue();
		assertThat(this.membership.isRebuilding()).isTrue();
		awaitRebuilt(50, 0);
		assertThat(held("only-here")).isInstanceOf(ReadResult.Found.class);
		assertThat(this.store.aside()).isEmpty();
	}

	@Test
	void aRestartGoesOnEndingItWithoutItsSources() throws Exception {
		apply("purged", live(40, "deleted at 50"));
		this.peers.silent.addAll(this.peers.ids());
		this.state.begin("a test", OURS, Position.ofSequence(5));
		rebuildUntil(() -> this.state.state().step() == Step.ASIDE);
		RecordWriter recordWriter = new RecordWriter(this.node.records, this.lineage, this.node.purgePermission,
				this.state, PurgeFixture.GRACE);
		recordWriter.start();
		this.state.abandon();
		Awaitility.await().atMost(PATIENCE).until(() -> RebuildRecord.open(this.directory).state().ended());
		recordWriter.stop();
		stop();
		start(Duration.ZERO);
		rebuildUntil(() -> !this.state.isRebuilding());
		assertThat(held("purged")).isInstanceOf(ReadResult.Found.class);
		assertThat(RebuildRecord.open(this.directory).state().ended()).as("the next rebuild").isFalse();
	}

	@Test
	void itGoesOnAfterARestart() throws Exception {
		apply("only-here", live(60, "x"));
		this.peers.silent.add("n3");
		this.state.begin("a test", OURS, Position.ofSequence(5));
		rebuildUntil(() -> this.state.state().step() == Step.ASIDE);
		stop();
		start(Duration.ZERO);
		assertThat(this.membership.isRebuilding()).isTrue();
		assertThat(held("only-here")).as("still aside").isEqualTo(ReadResult.Absent.INSTANCE);
		this.peers.silent.clear();
		awaitRebuilt(0, 0);
		assertThat(held("only-here")).isInstanceOf(ReadResult.Found.class);
	}

	@Test
	void itsThreadIsWokenAsItBeginsAndInterruptedAtTheStop() {
		List<Thread> resting = new CopyOnWriteArrayList<>();
		Rebuild threaded = rebuild((_) -> {
			resting.add(Thread.currentThread());
			LockSupport.park();
		});
		this.peers.ids = Set.of();
		threaded.start();
		Awaitility.await().atMost(PATIENCE).until(() -> !resting.isEmpty());
		this.state.begin("a test", OURS, Position.ofSequence(5));
		Awaitility.await().atMost(PATIENCE).until(() -> !this.state.isRebuilding());
		threaded.stop();
		Awaitility.await().atMost(PATIENCE).until(() -> !resting.getFirst().isAlive());
	}

}
