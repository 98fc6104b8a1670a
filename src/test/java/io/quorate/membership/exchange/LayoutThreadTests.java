package io.quorate.membership.exchange;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.consensus.Answer;
import io.quorate.consensus.Ballot;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Request;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.internode.peer.Peers;
import io.quorate.membership.agreement.DrivenMember;
import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.agreement.LayoutPeers;
import io.quorate.membership.agreement.MemoryLedger;
import io.quorate.membership.layout.GrownCluster;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.layout.MemberData;
import io.quorate.membership.layout.Moved;
import io.quorate.membership.members.Layouts;
import io.quorate.replica.Failure;
import io.quorate.replica.FencedReplica;
import io.quorate.replica.Origin;
import io.quorate.replica.Replica;
import io.quorate.replica.WritesUnderWay;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.simulation.SimulatedThread;
import io.quorate.simulation.SimulatedTime;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import io.quorate.storage.StoreStatus;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The thread of the layout in time that passes when a test lets it. */
class LayoutThreadTests {

	/* Of what waits for nothing. */
	private static final Duration AT_ONCE = Duration.ofMillis(1);

	/* In which a node looks once after what comes next. */
	private static final Duration PERIOD = Duration.ofSeconds(1);

	private final SimulatedTime time = new SimulatedTime();

	private RecordedIdentity directory = new RecordedIdentity(new UUID(0, 7), FormatLevel.FIRST);

	private final OwnWrites writes = new OwnWrites();

	private final Node node = new Node(layouts(Ring.of(Stream.of("n0", "n1").map(Member::of).toList(), 2)));

	@BeforeEach
	void meetTheCluster() {
		this.directory.settle();
	}

	private static Layouts layouts(Ring ring) {
		return new Layouts("n0", new Layout(Layout.FIRST, List.of(), ring));
	}

	private Node alone() {
		return new Node(layouts(Ring.of(List.of(Member.of("n0")), 1)));
	}

	private static Request prepare(Node its, long round) {
		return new Request.Prepare(its.ledger.recovered().decisions().latest(), new Ballot(round, new UUID(1, 1)));
	}

	@Test
	void theCallerDoesNotWaitForTheDisk() {
		CompletableFuture<Optional<Answer>> answer = this.node.thread.answer(prepare(this.node, 1));
		assertThat(answer).isNotDone();
		assertThat(this.node.ledger.writes()).isZero();
		this.time.run(AT_ONCE);
		assertThat(answer.join()).containsInstanceOf(Answer.Promise.class);
	}

	@Test
	void requestsThatWaitAreBounded() {
		List<CompletableFuture<Optional<Answer>>> answers = new ArrayList<>();
		for (int i = 1; i <= 65; i++) {
			answers.add(this.node.thread.answer(prepare(this.node, i)));
		}
		assertThat(answers.removeLast().exceptionNow()).isInstanceOf(RejectedExecutionException.class);
		this.time.run(AT_ONCE);
		assertThat(answers).hasSize(64).allSatisfy((each) -> assertThat(each.join()).isPresent());
		CompletableFuture<Optional<Answer>> later = this.node.thread.answer(prepare(this.node, 66));
		this.time.run(AT_ONCE);
		assertThat(later.join()).isPresent();
	}

	@Test
	void theThreadAnswersAtItsStopWhatWaits() {
		LayoutThread own = new LayoutThread(this.node.layouts, this.node.agreement, this.node.member.reports(),
				new AdoptedLayoutFence(this.node.layouts, this.node.member.reports()), this.writes);
		Request first = prepare(this.node, 1);
		List<CompletableFuture<Optional<Answer>>> answers = Stream.generate(() -> own.answer(first)).limit(50).toList();
		own.stop();
		assertThat(answers).allSatisfy((each) -> assertThat(each.orTimeout(1, TimeUnit.MINUTES).join()).isPresent());
		assertThat(own.answer(first)).isCompletedExceptionally();
	}

	@Test
	void aLedgerThatFailsFailsTheRequest() {
		this.node.ledger.failWith(new IOException("no space"));
		CompletableFuture<Optional<Answer>> answer = this.node.thread.answer(prepare(this.node, 1));
		this.time.run(AT_ONCE);
		assertThat(answer.exceptionNow()).hasMessage("no space");
	}

	@Test
	void aNodeReportsItsDataAndItsProgress() {
		LayoutThread its = this.node.thread;
		assertThat(its.own()).isNotNull()
			.extracting(LayoutReport::data)
			.isEqualTo(new MemberData(7, 900, 5_000, false, Moved.NONE));
		its.moved(new Moved(3, 20, 50, 0));
		assertThat(its.own()).isNotNull()
			.extracting(LayoutReport::data)
			.isEqualTo(new MemberData(7, 900, 5_000, false, new Moved(3, 20, 50, 0)));
	}

	@Test
	void aNodeWithoutALevelReportsNoLayout() {
		assertThat(this.node.thread.own()).isNotNull();
		this.directory = new RecordedIdentity(new UUID(0, 8), FormatLevel.UNDECIDED);
		assertThat(new Node(this.node.layouts).thread.own()).isNull();
	}

	@Test
	void aNodeAloneActivatesItsLayout() {
		Node alone = alone();
		alone.startWithoutPeers();
		this.time.run(PERIOD.plus(AT_ONCE));
		assertThat(alone.layouts.current().version()).isEqualTo(2);
	}

	@Test
	void aLayoutIsReportedWhenTheWritesOfBeforeAreOnTheDisk() {
		this.writes.disk = new CompletableFuture<>();
		Node alone = alone();
		letIn(() -> {
			alone.startWithoutPeers();
			this.time.run(PERIOD.multipliedBy(3));
			assertThat(alone.layouts.current().version()).isEqualTo(2);
			assertThat(this.writes.asksForDisk).as("a write is let in").isZero();
		});
		this.time.run(PERIOD);
		assertThat(this.writes.asksForDisk).isOne();
		assertThat(alone.reported()).as("and not on the disk").isEqualTo(1);
		this.writes.disk.complete(null);
		this.time.run(AT_ONCE);
		assertThat(alone.reported()).isEqualTo(2);
	}

	private void letIn(Runnable meanwhile) {
		Replica none = (Replica) Proxy.newProxyInstance(Replica.class.getClassLoader(),
				new Class<?>[] { Replica.class }, (_, method, _) -> {
					throw new AssertionError(method);
				});
		new FencedReplica(none, (_, _) -> {
			meanwhile.run();
			return new Failure(Failure.Reason.STALE_LAYOUT, "late");
		}, this.writes.underWay).planned(1)
			.apply(Key.of("k"), new Entry.Tombstone(Timestamp.ofMillis(1), 1), Origin.CLIENT, Deadline.none())
			.block();
	}

	@Test
	void aBarrierThatCouldNotBeBegunIsBegunAgain() {
		Node alone = alone();
		this.writes.barriersThatFail = 2;
		alone.startWithoutPeers();
		this.time.run(PERIOD.multipliedBy(4));
		assertThat(this.writes.barriersThatFail).isZero();
		assertThat(alone.reported()).isEqualTo(2);
	}

	@Test
	void writesThatDidNotReachTheDiskAreAwaitedAgain() {
		Node alone = alone();
		this.writes.disk = CompletableFuture.failedFuture(new IOException("no space"));
		alone.startWithoutPeers();
		this.time.run(PERIOD.plus(AT_ONCE));
		assertThat(this.writes.asksForDisk).isOne();
		assertThat(alone.reported()).isEqualTo(1);
		this.writes.disk = CompletableFuture.completedFuture(null);
		this.time.run(PERIOD.multipliedBy(2));
		assertThat(alone.reported()).isEqualTo(2);
	}

	@Test
	void workThatWasNotTakenHoldsNoneOfItsKindBack() {
		Node first = new Node(GrownCluster.of());
		Decisions joint = Decisions.of(GrownCluster.known(first.layouts, 3));
		first.turns.refusals = 1;
		assertThatIllegalStateException().isThrownBy(() -> first.thread.excludedBy("n2", joint));
		first.thread.excludedBy("n2", joint);
		this.time.run(AT_ONCE);
		assertThat(first.layouts.current().version()).isEqualTo(3);
	}

	@Test
	void requestsThatWereNotTakenHoldNoPlace() {
		// As many as may wait, and one more.
		int requests = 65;
		this.node.turns.refusals = requests;
		for (int i = 0; i < requests; i++) {
			assertThat(this.node.thread.answer(new Request.Get(2)).exceptionNow()).hasMessage("not taken");
		}
		CompletableFuture<Optional<Answer>> answer = this.node.thread.answer(new Request.Get(2));
		this.time.run(AT_ONCE);
		assertThat(answer).isCompleted();
	}

	/* A decision by which a node is no member. */
	private static Decision without() {
		Layouts others = new Layouts("n1", new Layout(Layout.FIRST, List.of(), Ring.of(List.of(Member.of("n1")), 1)));
		return new Decision(5, LayoutAgreement.first(others).decisions().latest().decree());
	}

	@Test
	void aNodeThatPeersRefuseAdoptsTheLayoutTheyShow() {
		Decision without = without();
		LayoutThread its = this.node.thread;
		its.excludedBy("n1", Decisions.of(without));
		this.node.awaitLearned();
		assertThat(this.node.layouts.isMember()).as("at once, not some time later").isFalse();
		assertThat(this.node.layouts.current().version()).isEqualTo(5);
		assertThat(its.later(new LayoutVersion(Layout.FIRST, 1))).as("for another node that was away")
			.isEqualTo(Decisions.of(without));
		assertThat(its.later(new LayoutVersion(5, 1))).as("of another history").isNull();
		assertThat(its.laterThanFirst("n0")).as("for a node of the configuration").isEqualTo(Decisions.of(without));
		assertThat(its.laterThanFirst("n7")).as("for a stranger").isNull();
	}

	@Test
	void aLayoutThatAMemberReportsIsAdoptedBeforeClientsAreServed() {
		Decisions known = Decisions.of(without());
		this.node.thread.ask((LayoutPeers) (_, _, _, outcome) -> this.time.in(Duration.ofMillis(100),
				() -> outcome.accept(new LayoutPeers.Outcome.Answered(new Answer.Later(known)))));
		this.node.thread.heard("n1", new LayoutReport(new LayoutVersion(5, 1), 0));
		this.node.awaitLearned();
		assertThat(this.node.layouts.current().version()).isEqualTo(5);
	}

	@Test
	void aPeerThatIsReachedEndsTheWaitAtOnce() {
		Node first = new Node(GrownCluster.of());
		first.startWithoutPeers();
		Decision joint = GrownCluster.known(first.layouts, 3);
		first.thread.excludedBy("n2", Decisions.of(joint));
		CompletableFuture<Optional<Answer>> answer = first.thread.answer(new Request.Get(2));
		this.time.run(AT_ONCE);
		assertThat(first.member.membership().states()).as("it is connected to").containsKeys("n2");
		assertThat(first.layouts.current().version()).as("and awaited").isEqualTo(Layout.FIRST);
		assertThat(answer.join()).as("peers are answered").contains(new Answer.Later(Decisions.of(joint)));
		first.member.membership().reached("n2");
		this.time.run(AT_ONCE);
		assertThat(first.layouts.current().version()).isEqualTo(3);
	}

	@Test
	void aPeerThatIsNotReachedIsAwaitedForABoundedTime() {
		Node first = new Node(GrownCluster.of());
		first.startWithoutPeers();
		first.thread.excludedBy("n2", Decisions.of(GrownCluster.known(first.layouts, 3)));
		this.time.run(Duration.ofMillis(499));
		assertThat(first.layouts.current().version()).isEqualTo(Layout.FIRST);
		this.time.run(Duration.ofMillis(3));
		assertThat(first.layouts.current().version()).isEqualTo(3);
	}

	@Test
	void aNodeThatIsNotStartedAwaitsNoPeer() {
		Node first = new Node(GrownCluster.of());
		first.thread.excludedBy("n2", Decisions.of(GrownCluster.known(first.layouts, 3)));
		first.awaitLearned();
		assertThat(first.layouts.current().version()).isEqualTo(3);
	}

	@Test
	void aNodeAloneStopsServingWhenAStrangerKnowsMore() {
		Node alone = alone();
		alone.thread.refused("n1", new LayoutVersion(Layout.FIRST, 7));
		alone.thread.refused("n1", new LayoutVersion(6, 7));
		this.time.run(AT_ONCE);
		assertThat(alone.layouts.isOvertaken()).isTrue();
		assertThat(alone.layouts.fence()).isEqualTo(6);
		assertThat(alone.thread.refuses(Layout.FIRST, null)).isNotNull();
	}

	@Test
	void aNodeWithFirstMembersIsNotStoppedByAStranger() {
		this.node.thread.refused("n9", new LayoutVersion(6, 7));
		this.time.run(PERIOD);
		assertThat(this.node.layouts.isOvertaken()).isFalse();
	}

	/** A node whose thread is not started. */
	private final class Node {

		private final Layouts layouts;

		private final MemoryLedger ledger;

		private final DrivenMember member;

		private final LayoutAgreement agreement;

		private final Turns turns = new Turns(LayoutThreadTests.this.time);

		private final LayoutThread thread;

		private Node(Layouts layouts) {
			this.layouts = layouts;
			this.ledger = new MemoryLedger(LayoutAgreement.first(layouts));
			this.member = new DrivenMember(layouts, LayoutThreadTests.this.directory,
					LayoutThreadTests.this.time::nanos);
			this.agreement = this.member.agreement(this.ledger, (_) -> {
			}, false);
			this.thread = new LayoutThread(layouts, this.agreement, this.member.reports(),
					new AdoptedLayoutFence(layouts, this.member.reports()), LayoutThreadTests.this.writes, this.turns);
		}

		private void startWithoutPeers() {
			this.thread.ask(new Peers((peer) -> {
				throw new AssertionError(peer);
			}));
			this.thread.start();
		}

		private long reported() {
			return Objects.requireNonNull(this.thread.own()).adopted().version();
		}

		private void awaitLearned() {
			this.turns.isAwaited = true;
			this.thread.awaitLearned();
		}

	}

	/** The store of a node, and its writes. */
	private static final class OwnWrites implements LayoutThread.OwnStore {

		private final WritesUnderWay underWay = new WritesUnderWay();

		private CompletableFuture<Void> disk = CompletableFuture.completedFuture(null);

		private int asksForDisk;

		private int barriersThatFail;

		@Override
		public WritesUnderWay.Barrier barrier() {
			if (this.barriersThatFail > 0) {
				this.barriersThatFail--;
				throw new IllegalStateException("no barrier now");
			}
			return this.underWay.barrier();
		}

		@Override
		public CompletableFuture<Void> onDisk() {
			this.asksForDisk++;
			return this.disk;
		}

		@Override
		public StoreStatus status() {
			return new StoreStatus(new StoreStatus.Disk(5_000, 0), 0, new StoreStatus.Tables(0, 0, 0, 0),
					new StoreStatus.Held(7, 900));
		}

	}

	/** A thread which may not take its tasks, as if there were no memory for them. */
	private static final class Turns extends SimulatedThread {

		private final SimulatedTime time;

		private int refusals;

		private int waiting;

		/*
		 * Whether the caller waits for the next task. The time then passes as long as
		 * there are tasks of this thread: a wait that has ended leaves none.
		 */
		private boolean isAwaited;

		private Turns(SimulatedTime time) {
			super(time);
			this.time = time;
		}

		@Override
		public void execute(Runnable task) {
			if (this.refusals > 0) {
				this.refusals--;
				throw new IllegalStateException("not taken");
			}
			super.execute(counted(task));
			boolean isToPass = this.isAwaited;
			this.isAwaited = false;
			for (int i = 0; isToPass && this.waiting > 0 && i < PERIOD.toMillis(); i++) {
				this.time.run(AT_ONCE);
			}
		}

		private Runnable counted(Runnable task) {
			this.waiting++;
			return () -> {
				this.waiting--;
				task.run();
			};
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
			return super.schedule(counted(task), delay, unit);
		}

	}

}
