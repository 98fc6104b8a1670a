package io.quorate.replica;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.NoCeiling;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.replica.Failure.Reason;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.Promise;
import io.quorate.storage.StorageExpiredException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.StorageOverloadedException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

class LocalReplicaTests {

	private static final long NOW = 1_800_000_000_000L;

	private static final Duration MAX_SKEW = Duration.ofSeconds(60);

	private final AtomicLong own = new AtomicLong(NOW);

	private final SkewJudge judge = new SkewJudge(this.own::get, () -> 0, MAX_SKEW);

	private final KeptStore store = new KeptStore();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private ArrivalFilter arrivals = (_, _, _) -> null;

	private final HybridClock clock = new HybridClock(this.own::get, 1, new NoCeiling(), 0);

	private @Nullable Failure closed;

	private long endedRebuilds;

	private final ReadGate gate = new ReadGate() {

		@Override
		public @Nullable Failure closed() {
			return LocalReplicaTests.this.closed;
		}

		@Override
		public long endedRebuilds() {
			return LocalReplicaTests.this.endedRebuilds;
		}

	};

	private final LocalReplica replica = new LocalReplica("a", this.store, this.clock, () -> Runnable::run,
			new ReplicaGates(this.gate, (key, entry, origin) -> this.arrivals.refuses(key, entry, origin), this.judge),
			this.registry);

	@Test
	void anEntryFromTheFutureIsRefusedAndNotStored() {
		assertThat(apply(live(NOW + MAX_SKEW.toMillis() + 1))).satisfies(LocalReplicaTests::isRefused);
		assertThat(apply(new Entry.Tombstone(Timestamp.ofMillis(NOW * 2), 3))).satisfies(LocalReplicaTests::isRefused);
		assertThat(this.store.applied).isEmpty();
	}

	@Test
	void anEntryWithinTheGreatestSkewIsStored() {
		assertThat(apply(live(NOW + MAX_SKEW.toMillis()))).isEqualTo(WriteReply.Applied.COMPLETE);
		assertThat(apply(live(0))).isEqualTo(WriteReply.Applied.COMPLETE);
		assertThat(this.store.applied).hasSize(2);
	}

	@Test
	void aWriteThatTheArrivalFilterRefusesIsNotStored() {
		Failure fenced = new Failure(Failure.Reason.FENCED, "older than the horizon");
		this.arrivals = (_, entry, origin) -> (origin instanceof Origin.Hint && entry.timestamp().millis() < NOW)
				? fenced : null;
		Deadline soon = Deadline.after(Duration.ofMinutes(1));
		assertThat(this.replica.apply(Key.of("key"), live(NOW - 1), Origin.HINT, soon).block())
			.isEqualTo(new WriteReply.Failed(fenced));
		assertThat(this.store.applied).isEmpty();
		assertThat(this.replica.apply(Key.of("key"), live(NOW), Origin.HINT, soon).block())
			.isEqualTo(WriteReply.Applied.COMPLETE);
		assertThat(apply(live(NOW - 1))).isEqualTo(WriteReply.Applied.COMPLETE);
		assertThat(this.store.applied).hasSize(2);
	}

	@Test
	void aWritePastItsDeadlineIsNotStored() {
		Deadline passed = Deadline.after(Duration.ofNanos(-1));
		for (Origin origin : List.of(Origin.CLIENT, Origin.HINT, new Origin.Stream(7))) {
			assertThat(this.replica.apply(Key.of("key"), live(NOW), origin, passed).block()).as("%s", origin)
				.isInstanceOfSatisfying(WriteReply.Failed.class,
						(failed) -> assertThat(failed.failure().reason()).isEqualTo(Reason.TIMEOUT));
		}
		assertThat(this.store.applied).isEmpty();
		assertThat(apply(live(NOW))).as("when it is sent again").isEqualTo(WriteReply.Applied.COMPLETE);
	}

	@Test
	void aReadPastItsDeadlineIsNotDone() {
		ReadReply reply = this.replica.read(Key.of("key"), Deadline.after(Duration.ofNanos(-1))).block();
		assertThat(reply).isInstanceOf(ReadReply.Failed.class);
		assertThat(page(Duration.ofNanos(-1))).isInstanceOf(PageReply.Failed.class);
	}

	@Test
	void theMedianOfTheMembersDecidesAndNotTheOwnClock() {
		this.own.set(NOW + 3_600_000);
		this.judge.heard("b", NOW);
		this.judge.heard("c", NOW);
		assertThat(apply(live(NOW + 3_600_000))).satisfies(LocalReplicaTests::isRefused);
		assertThat(apply(live(NOW))).isEqualTo(WriteReply.Applied.COMPLETE);
	}

	@Test
	void everyRequestIsTimedByItsOutcome() {
		this.store.answer = new ApplyResult.Superseded(Timestamp.ofMillis(7), true);
		apply(live(NOW));
		assertThat(timed("apply", "superseded")).isEqualTo(1);
		this.store.answer = new ApplyResult.Applied(1);
		apply(live(NOW));
		apply(live(NOW));
		assertThat(timed("apply", "success")).isEqualTo(2);
		this.store.failure = new StorageOverloadedException(Bound.WRITES, 1);
		apply(live(NOW));
		assertThat(timed("apply", "overloaded")).isEqualTo(1);
		assertThat(read()).isInstanceOf(ReadReply.Failed.class);
		assertThat(timed("read", "overloaded")).isEqualTo(1);
		this.store.failure = new DiskFullException(Path.of("data"), 1, 2);
		apply(live(NOW));
		assertThat(timed("apply", "failed")).isEqualTo(1);
		apply(live(NOW * 2));
		assertThat(timed("apply", "failed")).as("from the future").isEqualTo(2);
		this.store.failure = null;
		assertThat(read()).isInstanceOf(ReadReply.Absent.class);
		assertThat(timed("read", "success")).isEqualTo(1);
		assertThat(page(Duration.ofSeconds(10))).isInstanceOf(PageReply.Page.class);
		assertThat(timed("page", "success")).isEqualTo(1);
		assertThat(page(Duration.ofNanos(-1))).isInstanceOf(PageReply.Failed.class);
		assertThat(timed("page", "failed")).isEqualTo(1);
		assertThat(timed()).isEqualTo(10);
	}

	@Test
	void pageOfHeadersReadsNoEntries() {
		ScanRange range = ScanRange.descending(Key.of("a"), null);
		PageRequest request = new PageRequest(range, new PageLimit(1, 1, 1), true);
		assertThat(this.replica.page(request, Deadline.after(Duration.ofMinutes(1))).block())
			.isEqualTo(new PageReply.Headers(new HeaderPage(List.of(), null)));
		assertThat(this.store.pages).containsExactly("headers of " + range);
		assertThat(timed("page", "success")).isEqualTo(1);
	}

	@Test
	void aReadThatExpiredInTheQueueOfTheStoreHasTimedOut() {
		this.store.failure = new StorageExpiredException();
		assertThat(read()).isInstanceOfSatisfying(ReadReply.Failed.class,
				(failed) -> assertThat(failed.failure().reason()).isEqualTo(Failure.Reason.TIMEOUT));
	}

	@Test
	void requestThatNobodyListensToIsTimedWhenItIsDone() {
		this.store.later = new CompletableFuture<>();
		Mono<WriteReply> reply = this.replica.apply(Key.of("key"), live(NOW), Deadline.after(Duration.ofMinutes(1)));
		reply.subscribe().dispose();
		assertThat(timed()).isZero();
		this.store.later.complete(new ApplyResult.Applied(1));
		assertThat(timed("apply", "success")).isEqualTo(1);
	}

	@Test
	void requestTakesAsLongAsTheStoreDoes() {
		this.store.later = new CompletableFuture<>();
		Mono<WriteReply> reply = this.replica.apply(Key.of("key"), live(NOW), Deadline.after(Duration.ofMinutes(1)));
		long begun = System.nanoTime();
		Awaitility.await().pollInterval(Duration.ofMillis(20)).until(() -> System.nanoTime() - begun > 50_000_000);
		this.store.later.complete(new ApplyResult.Applied(1));
		assertThat(reply.block()).isEqualTo(WriteReply.Applied.COMPLETE);
		assertThat(timer("apply", "success").totalTime(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(50);
	}

	private ReadReply read() {
		return Objects.requireNonNull(this.replica.read(Key.of("key"), Deadline.after(Duration.ofMinutes(1))).block());
	}

	private PageReply page(Duration left) {
		return Objects.requireNonNull(
				this.replica.page(Key.of("key"), null, new PageLimit(1, 1, 1), Deadline.after(left)).block());
	}

	private Timer timer(String operation, String outcome) {
		return this.registry.get(ReplicaMeters.LOCAL.getName())
			.tag("operation", operation)
			.tag("outcome", outcome)
			.timer();
	}

	private long timed(String operation, String outcome) {
		return timer(operation, outcome).count();
	}

	private long timed() {
		return this.registry.get(ReplicaMeters.LOCAL.getName()).timers().stream().mapToLong(Timer::count).sum();
	}

	private static void isRefused(WriteReply reply) {
		assertThat(reply).isInstanceOfSatisfying(WriteReply.Failed.class, (failed) -> {
			assertThat(failed.failure().reason()).isEqualTo(Reason.CLOCK_SKEW);
			assertThat(failed.failure().reason().isRefusal()).isTrue();
			assertThat(failed.failure().detail()).contains(Long.toString(NOW));
		});
	}

	private WriteReply apply(Entry entry) {
		return Objects
			.requireNonNull(this.replica.apply(Key.of("key"), entry, Deadline.after(Duration.ofMinutes(1))).block());
	}

	private static Entry live(long millis) {
		return new Entry.Live(Timestamp.ofMillis(millis), 3, Entry.NEVER, Value.copyOf(new byte[1]));
	}

	private static ApplyResult superseded(boolean isCertain) {
		return new ApplyResult.Superseded(Timestamp.ofMillis(NOW + 7), isCertain);
	}

	/** What was never held here, and what may have been. */
	@Test
	void anEntryFromARepairHintOrStreamMayHaveBeenHeld() {
		this.store.answer = superseded(true);
		assertThat(wasNeverHeld(NOW, Origin.CLIENT)).isTrue();
		for (Origin origin : List.of(Origin.REPAIR, Origin.HINT, new Origin.Stream(1))) {
			this.store.answer = superseded(false);
			assertThat(wasNeverHeld(NOW + 1, origin)).isFalse();
			this.store.answer = superseded(true);
			assertThat(wasNeverHeld(NOW + 1, Origin.CLIENT)).as("after " + origin).isFalse();
			assertThat(wasNeverHeld(NOW + 2, Origin.CLIENT)).isTrue();
		}
		this.store.answer = superseded(false);
		assertThat(wasNeverHeld(NOW + 2, Origin.CLIENT)).as("what a filter errs about").isFalse();
	}

	/** Its coordinator's message comes after that of a newer write. */
	@Test
	void aWriteThatARepairHasBroughtEarlierIsAcknowledged() {
		for (Origin origin : List.of(Origin.REPAIR, Origin.HINT, new Origin.Stream(1))) {
			this.store.answer = new ApplyResult.Applied(1);
			assertThat(apply(NOW, origin, 7)).isEqualTo(WriteReply.Applied.COMPLETE);
			this.store.answer = new ApplyResult.Superseded(Timestamp.ofMillis(NOW + 7), true);
			assertThat(apply(NOW, Origin.CLIENT, 7)).as("after %s", origin).isEqualTo(WriteReply.Applied.COMPLETE);
			assertThat(apply(NOW, origin, 7)).as("another repair").isInstanceOf(WriteReply.Superseded.class);
			assertThat(apply(NOW, Origin.CLIENT, 8)).as("by the next layout")
				.isEqualTo(new WriteReply.Superseded(Timestamp.ofMillis(NOW + 7), false));
			assertThat(apply(NOW, Origin.CLIENT, Replica.UNPLANNED)).isInstanceOf(WriteReply.Superseded.class);
		}
	}

	@Test
	void anEntryWhoseRepairWasSupersededForCertainWasNeverHeld() {
		this.store.answer = superseded(true);
		assertThat(wasNeverHeld(NOW, Origin.REPAIR)).as("of a repair nobody asks").isFalse();
		assertThat(apply(NOW, Origin.CLIENT, 7))
			.isEqualTo(new WriteReply.Superseded(Timestamp.ofMillis(NOW + 7), true));
		this.store.failure = new StorageOverloadedException(Bound.WRITES, 1);
		assertThat(apply(NOW + 1, Origin.REPAIR, 7)).isInstanceOf(WriteReply.Failed.class);
		this.store.failure = null;
		assertThat(wasNeverHeld(NOW + 1, Origin.CLIENT)).as("of a repair without an outcome").isFalse();
	}

	@Test
	void aRefusalByAPromiseTellsWhatARepairHasBrought() {
		ApplyResult refused = new ApplyResult.Promised(Timestamp.ofMillis(NOW + 7));
		this.store.answer = refused;
		assertThat(apply(NOW, Origin.CLIENT, 7)).isEqualTo(new WriteReply.Promised(Timestamp.ofMillis(NOW + 7)));
		assertThat(apply(NOW, Origin.REPAIR, 7)).isEqualTo(new WriteReply.Promised(Timestamp.ofMillis(NOW + 7)));
		this.store.answer = new ApplyResult.Applied(1);
		assertThat(apply(NOW, Origin.REPAIR, 7)).isEqualTo(WriteReply.Applied.COMPLETE);
		this.store.answer = refused;
		assertThat(apply(NOW, Origin.CLIENT, 7)).as("held before").isEqualTo(WriteReply.Applied.COMPLETE);
		this.store.answer = superseded(false);
		assertThat(apply(NOW + 1, Origin.REPAIR, 7)).isInstanceOf(WriteReply.Superseded.class);
		this.store.answer = refused;
		assertThat(apply(NOW + 1, Origin.CLIENT, 7)).as("maybe held before")
			.isEqualTo(new WriteReply.Promised(Timestamp.ofMillis(NOW + 7)));
	}

	/** Both may be in one group commit. */
	@Test
	void aWriteWaitsForTheOutcomeOfARepairThatHasBroughtIt() {
		CompletableFuture<ApplyResult> repaired = new CompletableFuture<>();
		this.store.later = repaired;
		this.replica.apply(Key.of("key"), live(NOW), Origin.REPAIR, 7, soon()).subscribe();
		this.store.later = null;
		this.store.answer = superseded(true);
		CompletableFuture<@Nullable WriteReply> reply = this.replica
			.apply(Key.of("key"), live(NOW), Origin.CLIENT, 7, soon())
			.toFuture();
		assertThat(reply).isNotDone();
		assertThat(wasNeverHeld(NOW + 1, Origin.CLIENT)).as("another write").isTrue();
		repaired.complete(new ApplyResult.Applied(1));
		assertThat(reply).isCompletedWithValue(WriteReply.Applied.COMPLETE);
	}

	@Test
	void theRepairOfAnotherKeyIsNoAck() {
		assertThat(this.replica.apply(Key.of("other"), live(NOW), Origin.REPAIR, 7, soon()).block())
			.isEqualTo(WriteReply.Applied.COMPLETE);
		this.store.answer = superseded(true);
		assertThat(apply(NOW, Origin.CLIENT, 7))
			.isEqualTo(new WriteReply.Superseded(Timestamp.ofMillis(NOW + 7), false));
	}

	private static Deadline soon() {
		return Deadline.after(Duration.ofMinutes(1));
	}

	@Test
	void aReplicaThatHasLostEntriesAcknowledgesARepairIncompletely() {
		this.closed = new Failure(Reason.REBUILDING, "is being rebuilt");
		assertThat(apply(NOW, Origin.REPAIR, 7)).isEqualTo(WriteReply.Applied.INCOMPLETE);
		this.closed = null;
		assertThat(apply(NOW + 1, Origin.REPAIR, 7)).isEqualTo(WriteReply.Applied.COMPLETE);
		this.store.answer = new ApplyResult.Superseded(Timestamp.ofMillis(NOW + 7), true);
		assertThat(apply(NOW + 1, Origin.CLIENT, 7)).isEqualTo(WriteReply.Applied.COMPLETE);
		this.closed = new Failure(Reason.REBUILDING, "is rebuilt again");
		assertThat(apply(NOW + 1, Origin.CLIENT, 7)).isEqualTo(WriteReply.Applied.INCOMPLETE);
	}

	private WriteReply apply(long millis, Origin origin, long layout) {
		return Objects.requireNonNull(
				this.replica.apply(Key.of("key"), live(millis), origin, layout, Deadline.after(Duration.ofMinutes(1)))
					.block());
	}

	@Test
	void anEntryOlderThanTheRememberedRepairsMayHaveBeenHeld() {
		for (int i = 1; i <= 10_001; i++) {
			apply(NOW + 2L * i, Origin.REPAIR, 7);
		}
		this.store.answer = new ApplyResult.Superseded(Timestamp.ofMillis(NOW + 30_000), true);
		assertThat(wasNeverHeld(NOW + 1, Origin.CLIENT)).isFalse();
		assertThat(wasNeverHeld(NOW + 3, Origin.CLIENT)).isTrue();
		assertThat(wasNeverHeld(NOW + 4, Origin.CLIENT)).isFalse();
	}

	@Test
	void anEntryOlderThanTheStartOrTheRebuildMayHaveBeenHeld() {
		this.store.answer = new ApplyResult.Superseded(Timestamp.ofMillis(NOW + 7), true);
		HybridClock restarted = new HybridClock(this.own::get, 1, new NoCeiling(),
				Timestamp.ofMillis(NOW + 3).hybrid());
		LocalReplica after = new LocalReplica("a", this.store, restarted, () -> Runnable::run,
				new ReplicaGates(() -> this.closed, (_, _, _) -> null, this.judge), this.registry);
		assertThat(wasNeverHeld(after, NOW + 3, Origin.CLIENT)).isFalse();
		assertThat(wasNeverHeld(after, NOW + 4, Origin.CLIENT)).isTrue();
		this.closed = new Failure(Reason.REBUILDING, "is being rebuilt");
		assertThat(wasNeverHeld(after, NOW + 5, Origin.CLIENT)).isFalse();
		restarted.observe(Timestamp.ofMillis(NOW + 5));
		this.closed = null;
		assertThat(wasNeverHeld(after, NOW + 5, Origin.CLIENT)).as("copied meanwhile").isFalse();
		assertThat(wasNeverHeld(after, NOW + 6, Origin.CLIENT)).isTrue();
	}

	/* No write came while the gate was closed. */
	@Test
	void anEntryOlderThanARebuildThatHasPassedMayHaveBeenHeld() {
		this.store.answer = superseded(true);
		assertThat(wasNeverHeld(NOW + 1, Origin.CLIENT)).isTrue();
		this.clock.observe(Timestamp.ofMillis(NOW + 5));
		this.endedRebuilds++;
		assertThat(wasNeverHeld(NOW + 5, Origin.CLIENT)).as("copied meanwhile").isFalse();
		assertThat(wasNeverHeld(NOW + 6, Origin.CLIENT)).isTrue();
		this.closed = new Failure(Reason.REBUILDING, "is rebuilt again");
		assertThat(wasNeverHeld(NOW + 9, Origin.CLIENT)).isFalse();
		this.clock.observe(Timestamp.ofMillis(NOW + 8));
		this.endedRebuilds++;
		this.closed = null;
		assertThat(wasNeverHeld(NOW + 8, Origin.CLIENT)).isFalse();
		assertThat(wasNeverHeld(NOW + 9, Origin.CLIENT)).isTrue();
	}

	@Test
	void aWriteDuringARebuildIsDurableButIncomplete() {
		this.closed = new Failure(Reason.REBUILDING, "is being rebuilt");
		assertThat(apply(live(NOW))).isEqualTo(WriteReply.Applied.INCOMPLETE);
		this.closed = null;
		assertThat(apply(live(NOW + 1))).isEqualTo(WriteReply.Applied.COMPLETE);
	}

	@Test
	void aWriteWhileARebuildBeginsIsDurableButIncomplete() {
		this.store.onApply = () -> this.closed = new Failure(Reason.REBUILDING, "is being rebuilt");
		assertThat(apply(live(NOW))).isEqualTo(WriteReply.Applied.INCOMPLETE);
	}

	@Test
	void aWriteWhoseStoreThrowsAnErrorHasAnOutcome() {
		this.store.onApply = () -> {
			throw new NoClassDefFoundError("a class that does not load");
		};
		assertThat(apply(live(NOW))).isInstanceOfSatisfying(WriteReply.Failed.class,
				(failed) -> assertThat(failed.failure().reason()).isEqualTo(Reason.FAILED));
		assertThat(this.replica.underWay().barrier().isPassed()).as("a change of members waits for it").isTrue();
	}

	/* A coordinator may say that it has not happened, and the client writes elsewhere. */
	@Test
	void aWriteThatComesAfterTheLogHasFailedIsRefused() {
		this.store.failure = new StorageFailedException("the log has failed", null);
		assertThat(apply(live(NOW))).isInstanceOfSatisfying(WriteReply.Failed.class,
				(failed) -> assertThat(failed.failure().reason().isRefusal()).as("it was under way").isFalse());
		this.store.failure = new StorageFailedException("the log has failed", null).refusing();
		assertThat(apply(live(NOW))).isInstanceOfSatisfying(WriteReply.Failed.class, (failed) -> {
			assertThat(failed.failure()).isEqualTo(new Failure(Reason.BROKEN, "the log has failed"));
			assertThat(failed.failure().reason().isRefusal()).isTrue();
		});
	}

	private PrepareReply prepare() {
		Timestamp ballot = Timestamp.ofMillis(NOW);
		return Objects.requireNonNull(
				this.replica.prepare(Key.of("key"), new Proposal(ballot, ballot, Condition.NONE, NOW), soon()).block());
	}

	@Test
	void aPromiseThatItsCoordinatorIsToldOfStands() {
		assertThat(prepare()).isEqualTo(new PrepareReply.Promised(null));
		assertThat(this.store.promises).hasSize(1);
		assertThat(this.store.released).isEmpty();
	}

	/** Else nothing would end it before its deadline. */
	@Test
	void aPromiseThatItsCoordinatorIsNotToldOfIsReleased() {
		this.store.onPromise = () -> this.closed = new Failure(Reason.REBUILDING, "is being rebuilt");
		requireReleased(PrepareReply.Failed.class);
		this.closed = null;
		this.store.onPromise = () -> this.store.failure = new StorageExpiredException();
		requireReleased(PrepareReply.Failed.class);
		this.store.failure = null;
		this.store.onPromise = () -> this.store.onRead = () -> {
			throw new NoClassDefFoundError("a class that does not load");
		};
		requireReleased(PrepareReply.Failed.class);
		this.store.onRead = () -> {
		};
		this.store.onPromise = () -> this.store.held = live(NOW + 1);
		requireReleased(PrepareReply.Superseded.class);
	}

	private void requireReleased(Class<? extends PrepareReply> reply) {
		this.store.released.clear();
		assertThat(prepare()).isInstanceOf(reply);
		assertThat(this.store.released).containsExactly(Timestamp.ofMillis(NOW));
		assertThat(this.store.promises).isEmpty();
	}

	@Test
	void aPromiseThatWasNotMadeIsNotReleased() {
		this.store.onRead = () -> this.store.promises.put(Key.of("key"),
				new Promise(Key.of("key"), Timestamp.ofMillis(NOW + 1), 0, 0));
		assertThat(prepare()).isEqualTo(new PrepareReply.Superseded(Timestamp.ofMillis(NOW + 1)));
		assertThat(this.store.released).isEmpty();
	}

	private boolean wasNeverHeld(long millis, Origin origin) {
		return wasNeverHeld(this.replica, millis, origin);
	}

	private static boolean wasNeverHeld(LocalReplica replica, long millis, Origin origin) {
		WriteReply reply = replica.apply(Key.of("key"), live(millis), origin, Deadline.after(Duration.ofMinutes(1)))
			.block();
		return reply instanceof WriteReply.Superseded beyond && beyond.wasNeverHeld();
	}

}
