package io.quorate.internode.wiring;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.consensus.Answer;
import io.quorate.consensus.Ballot;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Ledger;
import io.quorate.consensus.Request;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.internode.peer.Peers;
import io.quorate.membership.GrownCluster;
import io.quorate.membership.Layout;
import io.quorate.membership.LayoutAgreement;
import io.quorate.membership.LayoutPeers;
import io.quorate.membership.LayoutReport;
import io.quorate.membership.LayoutVersion;
import io.quorate.membership.Layouts;
import io.quorate.membership.MemberData;
import io.quorate.membership.MemberReports;
import io.quorate.membership.Membership;
import io.quorate.membership.Moved;
import io.quorate.membership.Program;
import io.quorate.membership.Upgrade;
import io.quorate.replica.Failure;
import io.quorate.replica.FencedReplica;
import io.quorate.replica.Origin;
import io.quorate.replica.Replica;
import io.quorate.replica.WritesUnderWay;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import io.quorate.storage.StoreStatus;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LayoutThreadTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final Layouts layouts = new Layouts("n0",
			new Layout(Layout.FIRST, List.of(), Ring.of(Stream.of("n0", "n1").map(Member::of).toList(), 2)));

	private final SlowLedger ledger = new SlowLedger(LayoutAgreement.first(this.layouts));

	private final RecordedIdentity directory = new RecordedIdentity(new UUID(0, 7), FormatLevel.LAYOUTS);

	private final WritesUnderWay writes = new WritesUnderWay();

	private final AtomicInteger asksForDisk = new AtomicInteger();

	private volatile CompletableFuture<Void> disk = CompletableFuture.completedFuture(null);

	private final AtomicInteger barriersThatFail = new AtomicInteger();

	private LayoutThread thread = thread(this.layouts, this.ledger);

	private LayoutThread thread(Layouts its, Ledger kept) {
		return thread(its, kept, new Membership(its), new ScheduledThreadPoolExecutor(1));
	}

	private LayoutThread thread(Layouts its, Ledger kept, Membership membership, ScheduledExecutorService executor) {
		Upgrade upgrade = new Upgrade(its, membership, this.directory,
				new Program("2", this.directory.formatLevel(), FormatLevel.LAYOUTS), Runnable::run);
		MemberReports reports = new MemberReports(its, membership, upgrade, this.directory);
		return new LayoutThread(its, new LayoutAgreement(its, this.directory.storageId(), kept, reports, (_) -> {
		}), reports, new AdoptedLayoutFence(its, reports), new LayoutThread.OwnStore() {

			@Override
			public WritesUnderWay.Barrier barrier() {
				if (LayoutThreadTests.this.barriersThatFail.getAndDecrement() > 0) {
					throw new IllegalStateException("no barrier now");
				}
				return LayoutThreadTests.this.writes.barrier();
			}

			@Override
			public CompletableFuture<Void> onDisk() {
				LayoutThreadTests.this.asksForDisk.incrementAndGet();
				return LayoutThreadTests.this.disk;
			}

			@Override
			public StoreStatus status() {
				return new StoreStatus(5_000, 0, 0, 0, 0, 0, 0, 7, 900);
			}

		}, executor);
	}

	@BeforeEach
	void meetTheCluster() {
		this.directory.settle();
	}

	@AfterEach
	void stop() {
		this.ledger.slow.countDown();
		this.thread.stop();
	}

	private CompletableFuture<Optional<Answer>> prepare(long round) {
		Decision first = this.ledger.recovered().decisions().latest();
		return this.thread.answer(new Request.Prepare(first, new Ballot(round, new UUID(1, 1))));
	}

	@Test
	void theCallerDoesNotWaitForTheDisk() throws Exception {
		CompletableFuture<Optional<Answer>> answer = prepare(1);
		assertThat(answer).isNotDone();
		this.ledger.slow.countDown();
		assertThat(answer.get(10, TimeUnit.SECONDS))
			.hasValueSatisfying((said) -> assertThat(said).isInstanceOf(Answer.Promise.class));
	}

	@Test
	void requestsThatWaitAreBounded() throws Exception {
		List<CompletableFuture<Optional<Answer>>> answers = new ArrayList<>();
		answers.add(prepare(1));
		Awaitility.await().atMost(PATIENCE).until(() -> this.ledger.isWriting);
		for (int i = 2; i <= 66; i++) {
			answers.add(prepare(i));
		}
		assertThat(answers.getLast()).isCompletedExceptionally();
		assertThat(answers.getLast().exceptionNow()).isInstanceOf(RejectedExecutionException.class);
		this.ledger.slow.countDown();
		for (CompletableFuture<Optional<Answer>> each : answers.subList(0, 65)) {
			assertThat(each.get(10, TimeUnit.SECONDS)).isPresent();
		}
		assertThat(prepare(67).get(10, TimeUnit.SECONDS)).isPresent();
	}

	@Test
	void afterTheStopEachRequestFails() {
		this.ledger.slow.countDown();
		this.thread.stop();
		assertThat(prepare(1)).isCompletedExceptionally();
	}

	@Test
	void aLedgerThatFailsFailsTheRequest() {
		this.ledger.failure = new IOException("no space");
		this.ledger.slow.countDown();
		assertThat(prepare(1)).failsWithin(PATIENCE)
			.withThrowableOfType(ExecutionException.class)
			.withMessageContaining("no space");
	}

	@Test
	void aNodeReportsItsDataAndItsProgress() {
		assertThat(this.thread.own()).isNotNull()
			.extracting(LayoutReport::data)
			.isEqualTo(new MemberData(7, 900, 5_000, false, Moved.NONE));
		this.thread.moved(new Moved(3, 20, 50, 0));
		assertThat(this.thread.own()).isNotNull()
			.extracting(LayoutReport::data)
			.isEqualTo(new MemberData(7, 900, 5_000, false, new Moved(3, 20, 50, 0)));
	}

	@Test
	void belowTheLevelThisNodeReportsNoLayout() {
		assertThat(this.thread.own()).isNotNull();
		this.directory.begin(FormatLevel.LAYOUTS - 1);
		LayoutThread older = thread(this.layouts, this.ledger);
		assertThat(older.own()).isNull();
		older.stop();
	}

	@Test
	void aNodeAloneActivatesItsLayout() {
		this.ledger.slow.countDown();
		Layouts alone = alone();
		LayoutThread only = thread(alone, new SlowLedger(LayoutAgreement.first(alone)).quick());
		try {
			startWithoutPeers(only);
			Awaitility.await().atMost(PATIENCE).until(() -> alone.current().version() == 2);
		}
		finally {
			only.stop();
		}
	}

	@Test
	void aLayoutIsReportedWhenTheWritesOfBeforeAreOnTheDisk() throws Exception {
		this.ledger.slow.countDown();
		this.disk = new CompletableFuture<>();
		CountDownLatch checks = new CountDownLatch(1);
		Thread writer = Thread.ofPlatform().start(() -> letIn(checks));
		Awaitility.await().atMost(PATIENCE).until(() -> writer.getState() == Thread.State.WAITING);
		Layouts alone = alone();
		LayoutThread only = thread(alone, new SlowLedger(LayoutAgreement.first(alone)).quick());
		try {
			startWithoutPeers(only);
			Awaitility.await().atMost(PATIENCE).until(() -> alone.current().version() == 2);
			assertThat(this.asksForDisk).as("a write is let in").hasValue(0);
			checks.countDown();
			writer.join();
			Awaitility.await().atMost(PATIENCE).until(() -> this.asksForDisk.get() == 1);
			assertThat(version(only)).as("and not on the disk").isEqualTo(1);
			this.disk.complete(null);
			Awaitility.await().atMost(PATIENCE).until(() -> version(only) == 2);
		}
		finally {
			only.stop();
		}
	}

	@Test
	void aBarrierThatCouldNotBeBegunIsBegunAgain() {
		Layouts alone = alone();
		LayoutThread only = thread(alone, new SlowLedger(LayoutAgreement.first(alone)).quick());
		this.barriersThatFail.set(2);
		try {
			startWithoutPeers(only);
			Awaitility.await().atMost(PATIENCE).until(() -> version(only) == 2);
			assertThat(this.barriersThatFail).hasValueLessThan(0);
		}
		finally {
			only.stop();
		}
	}

	@Test
	void writesThatDidNotReachTheDiskAreAwaitedAgain() {
		Layouts alone = alone();
		LayoutThread only = thread(alone, new SlowLedger(LayoutAgreement.first(alone)).quick());
		this.disk = CompletableFuture.failedFuture(new IOException("no space"));
		try {
			startWithoutPeers(only);
			Awaitility.await().atMost(PATIENCE).until(() -> this.asksForDisk.get() >= 1);
			assertThat(version(only)).isEqualTo(1);
			this.disk = CompletableFuture.completedFuture(null);
			Awaitility.await().atMost(PATIENCE).until(() -> version(only) == 2);
		}
		finally {
			only.stop();
		}
	}

	@Test
	void workThatWasNotTakenHoldsNoneOfItsKindBack() {
		Timer refusing = new Timer(false);
		Layouts one = GrownCluster.of();
		LayoutThread its = thread(one, new SlowLedger(LayoutAgreement.first(one)).quick(), new Membership(one),
				refusing);
		Decisions joint = Decisions.of(GrownCluster.known(one, 3));
		refusing.refusals.set(1);
		assertThatIllegalStateException().isThrownBy(() -> its.excludedBy("n2", joint));
		its.excludedBy("n2", joint);
		its.awaitLearned();
		assertThat(one.current().version()).isEqualTo(3);
		its.stop();
	}

	@Test
	void requestsThatWereNotTakenHoldNoPlace() {
		Timer refusing = new Timer(false);
		Layouts one = alone();
		LayoutThread its = thread(one, new SlowLedger(LayoutAgreement.first(one)).quick(), new Membership(one),
				refusing);
		// As many as may wait, and one more.
		int requests = 65;
		refusing.refusals.set(requests);
		for (int i = 0; i < requests; i++) {
			assertThat(its.answer(new Request.Get(2))).failsWithin(PATIENCE)
				.withThrowableOfType(ExecutionException.class)
				.withMessageContaining("not taken");
		}
		assertThat(its.answer(new Request.Get(2))).succeedsWithin(PATIENCE);
		its.stop();
	}

	@Test
	void aNodeThatPeersRefuseAdoptsTheLayoutTheyShow() {
		this.ledger.slow.countDown();
		Layouts others = new Layouts("n1", new Layout(Layout.FIRST, List.of(), Ring.of(List.of(Member.of("n1")), 1)));
		Decision without = new Decision(5, LayoutAgreement.first(others).decisions().latest().decree());
		this.thread.excludedBy("n1", Decisions.of(without));
		this.thread.awaitLearned();
		assertThat(this.layouts.isMember()).as("at once, not some time later").isFalse();
		assertThat(this.layouts.current().version()).isEqualTo(5);
		assertThat(this.thread.later(new LayoutVersion(Layout.FIRST, 1))).as("for another node that was away")
			.isEqualTo(Decisions.of(without));
		assertThat(this.thread.later(new LayoutVersion(5, 1))).as("of another history").isNull();
		assertThat(this.thread.laterThanFirst("n0")).as("for a node of the configuration")
			.isEqualTo(Decisions.of(without));
		assertThat(this.thread.laterThanFirst("n7")).as("for a stranger").isNull();
	}

	@Test
	void aLayoutThatAMemberReportsIsAdoptedBeforeClientsAreServed() {
		this.ledger.slow.countDown();
		Layouts others = new Layouts("n1", new Layout(Layout.FIRST, List.of(), Ring.of(List.of(Member.of("n1")), 1)));
		Decision without = new Decision(5, LayoutAgreement.first(others).decisions().latest().decree());
		Executor network = CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS);
		this.thread.ask((LayoutPeers) (_, _, _, outcome) -> network
			.execute(() -> outcome.accept(new LayoutPeers.Outcome.Answered(new Answer.Later(Decisions.of(without))))));
		this.thread.heard("n1", new LayoutReport(new LayoutVersion(5, 1), 0));
		this.thread.awaitLearned();
		assertThat(this.layouts.current().version()).isEqualTo(5);
	}

	@Test
	void aPeerThatIsReachedEndsTheWaitAtOnce() throws Exception {
		Layouts one = GrownCluster.of();
		Membership membership = new Membership(one);
		LayoutThread its = thread(one, new SlowLedger(LayoutAgreement.first(one)).quick(), membership,
				new Timer(false));
		startWithoutPeers(its);
		Decision joint = GrownCluster.known(one, 3);
		its.excludedBy("n2", Decisions.of(joint));
		its.awaitLearned();
		assertThat(membership.states()).as("it is connected to").containsKeys("n2");
		assertThat(one.current().version()).as("and awaited").isEqualTo(Layout.FIRST);
		assertThat(its.answer(new Request.Get(2)).get(10, TimeUnit.SECONDS)).as("peers are answered")
			.contains(new Answer.Later(Decisions.of(joint)));
		membership.reached("n2");
		its.awaitLearned();
		assertThat(one.current().version()).isEqualTo(3);
		its.stop();
	}

	@Test
	void aPeerThatIsNotReachedIsAwaitedForABoundedTime() {
		Layouts one = GrownCluster.of();
		LayoutThread its = thread(one, new SlowLedger(LayoutAgreement.first(one)).quick(), new Membership(one),
				new Timer(true));
		startWithoutPeers(its);
		its.excludedBy("n2", Decisions.of(GrownCluster.known(one, 3)));
		its.awaitLearned();
		Awaitility.await().atMost(PATIENCE).until(() -> one.current().version() == 3);
		its.stop();
	}

	@Test
	void aNodeThatIsNotStartedAwaitsNoPeer() {
		Layouts one = GrownCluster.of();
		LayoutThread its = thread(one, new SlowLedger(LayoutAgreement.first(one)).quick(), new Membership(one),
				new Timer(false));
		its.excludedBy("n2", Decisions.of(GrownCluster.known(one, 3)));
		its.awaitLearned();
		assertThat(one.current().version()).isEqualTo(3);
		its.stop();
	}

	private static Layouts alone() {
		return new Layouts("n0", new Layout(Layout.FIRST, List.of(), Ring.of(List.of(Member.of("n0")), 1)));
	}

	private static void startWithoutPeers(LayoutThread its) {
		its.ask(new Peers((peer) -> {
			throw new AssertionError(peer);
		}));
		its.start();
	}

	private static long version(LayoutThread thread) {
		return Objects.requireNonNull(thread.own()).adopted().version();
	}

	private static void awaitUninterruptibly(CountDownLatch checks) {
		try {
			checks.await();
		}
		catch (InterruptedException stopped) {
			throw new AssertionError(stopped);
		}
	}

	@Test
	void aNodeAloneStopsServingWhenAStrangerKnowsMore() {
		Layouts alone = alone();
		LayoutThread its = thread(alone, new SlowLedger(LayoutAgreement.first(alone)).quick());
		its.refused("n1", new LayoutVersion(Layout.FIRST, 7));
		its.refused("n1", new LayoutVersion(6, 7));
		Awaitility.await().atMost(PATIENCE).until(alone::isOvertaken);
		assertThat(alone.fence()).isEqualTo(6);
		assertThat(its.refuses(Layout.FIRST, null)).isNotNull();
		its.stop();
	}

	@Test
	void aNodeWithFirstMembersIsNotStoppedByAStranger() {
		this.ledger.slow.countDown();
		this.thread.refused("n9", new LayoutVersion(6, 7));
		this.thread.stop();
		assertThat(this.layouts.isOvertaken()).isFalse();
	}

	private void letIn(CountDownLatch checks) {
		Replica none = (Replica) Proxy.newProxyInstance(Replica.class.getClassLoader(),
				new Class<?>[] { Replica.class }, (_, method, _) -> {
					throw new AssertionError(method);
				});
		new FencedReplica(none, (_, _) -> {
			awaitUninterruptibly(checks);
			return new Failure(Failure.Reason.STALE_LAYOUT, "late");
		}, this.writes).planned(1)
			.apply(Key.of("k"), new Entry.Tombstone(Timestamp.ofMillis(1), 1), Origin.CLIENT, Deadline.none())
			.block();
	}

	/** An executor that does nothing each second, and maybe nothing later at all. */
	private static final class Timer extends ScheduledThreadPoolExecutor {

		private final boolean isRunning;

		/* Tasks that it does not take, as if there were no memory for them. */
		private final AtomicInteger refusals = new AtomicInteger();

		private Timer(boolean isRunning) {
			super(1);
			this.isRunning = isRunning;
		}

		@Override
		public ScheduledFuture<?> scheduleWithFixedDelay(Runnable work, long first, long delay, TimeUnit unit) {
			return super.schedule(() -> {
			}, 0, unit);
		}

		@Override
		public void execute(Runnable work) {
			if (this.refusals.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
				throw new IllegalStateException("not taken");
			}
			super.execute(work);
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable work, long delay, TimeUnit unit) {
			return super.schedule((this.isRunning || delay == 0) ? work : () -> {
			}, delay, unit);
		}

	}

}
