package io.quorate.membership;

import java.util.concurrent.locks.LockSupport;
import io.quorate.membership.MemberDeparture.Pace;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.quorate.membership.ChangeRefusedException.Reason;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import io.quorate.storage.FormatLevel;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** The departure of n3, one of four members or more. */
@ExtendWith(OutputCaptureExtension.class)
class MemberDepartureTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	private final Layouts layouts = Layouts.of("n3", names(5), 3);

	private final Membership membership = new Membership(this.layouts);

	private final MemberReports reports = MemberReportsTests.reports(this.layouts, this.membership, FormatLevel.FIRST);

	private final Queue<ChangeRequest> proposed = new ConcurrentLinkedQueue<>();

	private final Queue<CompletableFuture<LayoutVersion>> outcomes = new ConcurrentLinkedQueue<>();

	/* Has this node adopt what it has proposed, before the test sees the proposal. */
	private volatile Runnable decided = () -> {
	};

	private final LayoutProposals proposals = (change, version, by) -> {
		assertThat(by).isEqualTo("the node itself");
		assertThat(version).isEqualTo(this.layouts.current().version());
		CompletableFuture<LayoutVersion> outcome = this.outcomes.poll();
		if (outcome == null) {
			this.decided.run();
			outcome = CompletableFuture.completedFuture(new LayoutVersion(version + 1, 5));
		}
		this.proposed.add(change);
		return outcome;
	};

	private final LayoutRecord record = LayoutFixture.stable(5, 3);

	private volatile @Nullable String reasonToStay;

	private final AtomicInteger questions = new AtomicInteger();

	private final AtomicInteger turns = new AtomicInteger();

	private final MemberDeparture departure = departure(Duration.ofMinutes(1));

	private MemberDeparture departure(Duration reasons) {
		return new MemberDeparture(this.layouts, this.membership, this.reports,
				new PlannedChanges(
						new ClusterChanges(this.layouts, ClusterChangesTests.conditions(this.layouts, this.membership),
								this.proposals, (_) -> new CompletableFuture<>()),
						this.proposals,
						new LayoutOverview(this.layouts, this.reports, () -> this.record, this.reports::facts),
						this.reports, () -> this.record),
				new Pace(reasons, (_) -> rest()));
	}

	private static List<String> names(int members) {
		return IntStream.range(0, members).mapToObj((number) -> "n%d@host%d:7100".formatted(number, number)).toList();
	}

	@BeforeEach
	void allAreUp() {
		for (String peer : List.of("n0", "n1", "n2", "n4")) {
			this.membership.stateChanged(peer, MemberState.UP);
		}
	}

	private Ring ring(String... members) {
		List<String> some = List.of(members);
		return Ring.of(
				this.layouts.configured().ring().members().stream().filter((each) -> some.contains(each.id())).toList(),
				3);
	}

	private void adopt(Ring before, Ring after) {
		this.layouts.adopt(new Layout(this.layouts.current().version() + 1, this.layouts.configured().endpoints(),
				new RingPair(before, after), Set.of()));
	}

	private void adopt(Ring stable) {
		adopt(stable, stable);
	}

	private void hear(long version, String... peers) {
		for (String peer : peers) {
			this.reports.heard(peer, new LayoutReport(version, 5));
		}
	}

	private CompletableFuture<Boolean> leave(Duration longest) {
		return leave(this.departure, longest);
	}

	private CompletableFuture<Boolean> leave(MemberDeparture leaving, Duration longest) {
		return CompletableFuture.supplyAsync(() -> leaving.leave(() -> {
			this.questions.incrementAndGet();
			return this.reasonToStay;
		}, longest), (task) -> Thread.ofVirtual().start(task));
	}

	private void awaitProposals(int times) {
		Awaitility.await().until(() -> this.proposed.size() >= times);
	}

	private void rest() {
		this.turns.incrementAndGet();
		LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
	}

	/* At least one whole turn, in which nothing is to happen. */
	private void turns() {
		int before = this.turns.get();
		Awaitility.await().until(() -> this.turns.get() > before + 2);
	}

	@Test
	void aMemberServesUntilItHasLeftAndTheOthersKnow() throws Exception {
		Ring stay = ring("n0", "n1", "n2", "n4");
		this.decided = () -> adopt(this.layouts.ring(), stay);
		CompletableFuture<Boolean> left = leave(LONG);
		awaitProposals(1);
		assertThat(this.proposed).containsExactly(new ChangeRequest.Remove("n3", false));
		hear(2, "n0", "n1", "n2", "n4");
		turns();
		assertThat(left).as("its keys are copied").isNotDone();
		assertThat(this.proposed).as("proposed once").hasSize(1);
		adopt(stay);
		hear(3, "n0", "n1", "n2");
		turns();
		assertThat(left).as("n4 does not know yet").isNotDone();
		hear(3, "n4");
		assertThat(left.get()).isTrue();
	}

	@Test
	void aMemberThatIsAwayIsNotWaitedForInTheEnd() throws Exception {
		this.decided = () -> adopt(ring("n0", "n1", "n2", "n4"));
		CompletableFuture<Boolean> left = leave(LONG);
		awaitProposals(1);
		hear(2, "n0", "n1", "n2");
		this.membership.stateChanged("n4", MemberState.DISCONNECTED);
		assertThat(left.get()).isTrue();
	}

	@Test
	void aMemberThatIsRefusedAsksAgainUntilItLeaves() throws Exception {
		this.outcomes.add(CompletableFuture.failedFuture(new ChangeRefusedException(Reason.BUSY, "busy", null)));
		this.outcomes.add(CompletableFuture.failedFuture(new IllegalStateException("it starts")));
		this.decided = () -> adopt(ring("n0", "n1", "n2", "n4"));
		CompletableFuture<Boolean> left = leave(LONG);
		awaitProposals(3);
		hear(2, "n0", "n1", "n2", "n4");
		assertThat(left.get()).isTrue();
	}

	@Test
	void theChangeOfAnotherMemberComesFirst() throws Exception {
		Ring four = ring("n0", "n1", "n2", "n3");
		this.decided = () -> adopt(ring("n0", "n1", "n2"));
		adopt(this.layouts.ring(), four);
		CompletableFuture<Boolean> left = leave(LONG);
		turns();
		assertThat(this.proposed).isEmpty();
		adopt(four);
		awaitProposals(1);
		hear(4, "n0", "n1", "n2");
		assertThat(left.get()).isTrue();
	}

	@Test
	void aMemberStaysWhenTooFewAreLeftMeanwhile() throws Exception {
		this.membership.stateChanged("n0", MemberState.DISCONNECTED);
		CompletableFuture<Boolean> left = leave(LONG);
		turns();
		assertThat(left).as("n0 is away").isNotDone();
		assertThat(this.proposed).isEmpty();
		adopt(ring("n0", "n1", "n3"));
		assertThat(left.get()).isFalse();
	}

	private void hearData(String peer, long bytes, long free) {
		this.reports.heard(peer,
				new LayoutReport(new LayoutVersion(1, 5), 0, new MemberData(1, bytes, free, false, Moved.NONE)));
	}

	/* The last of the reports on data counts: the one about the version has none. */
	@Test
	void aMemberWaitsUntilTheOthersAreWholeAndHaveRoom() throws Exception {
		this.membership.rebuildingChanged("n0", true);
		hearData("n0", 1_000_000_000, 1_000_000_000);
		hearData("n1", 1_000_000_000, 1000);
		this.decided = () -> adopt(ring("n0", "n1", "n2", "n4"));
		CompletableFuture<Boolean> left = leave(LONG);
		turns();
		assertThat(this.proposed).as("n0 is being rebuilt").isEmpty();
		this.membership.rebuildingChanged("n0", false);
		turns();
		assertThat(this.proposed).as("n1 has no room").isEmpty();
		hearData("n1", 1_000_000_000, 1_000_000_000);
		awaitProposals(1);
		hear(2, "n0", "n1", "n2", "n4");
		assertThat(left.get()).isTrue();
	}

	@Test
	void aMemberAsksForAReasonToStayBeforeItProposes(CapturedOutput output) throws Exception {
		this.reasonToStay = "there are to be 4 pods again";
		assertThat(leave(LONG).get()).isFalse();
		assertThat(this.proposed).isEmpty();
		assertThat(this.questions).hasValue(1);
		assertThat(output).contains("This node stops as a member: there are to be 4 pods again");
	}

	@Test
	void aMemberAsksForAReasonToStayWhileItWaits() throws Exception {
		this.membership.stateChanged("n0", MemberState.DISCONNECTED);
		CompletableFuture<Boolean> left = leave(departure(Duration.ofMillis(1)), LONG);
		Awaitility.await().until(() -> this.questions.get() >= 2);
		assertThat(left).isNotDone();
		this.reasonToStay = "there are to be no pods";
		assertThat(left.get()).isFalse();
		assertThat(this.proposed).isEmpty();
	}

	@Test
	void aMemberAsksForNoReasonOnceItsRemovalIsUnderWay() throws Exception {
		Ring stay = ring("n0", "n1", "n2", "n4");
		this.decided = () -> adopt(this.layouts.ring(), stay);
		CompletableFuture<Boolean> left = leave(departure(Duration.ofMillis(1)), LONG);
		awaitProposals(1);
		int before = this.questions.get();
		this.reasonToStay = "there are to be no pods";
		turns();
		assertThat(this.questions).hasValue(before);
		adopt(stay);
		hear(3, "n0", "n1", "n2", "n4");
		assertThat(left.get()).isTrue();
	}

	@Test
	void aRemovalThatAnOperatorGivesUpIsNotBegunAnew(CapturedOutput output) throws Exception {
		Ring all = this.layouts.ring();
		this.decided = () -> adopt(all, ring("n0", "n1", "n2", "n4"));
		CompletableFuture<Boolean> left = leave(LONG);
		awaitProposals(1);
		adopt(all);
		assertThat(left.get()).isFalse();
		assertThat(this.proposed).hasSize(1);
		assertThat(output).contains("This node stops as a member: its removal by version 2 of the layout was given up");
	}

	@Test
	void aMemberThatLearnsOfItsRemovalLaterProposesOnce() throws Exception {
		CompletableFuture<Boolean> left = leave(LONG);
		awaitProposals(1);
		turns();
		assertThat(this.proposed).as("decided, and not adopted here").hasSize(1);
		adopt(ring("n0", "n1", "n2", "n4"));
		hear(2, "n0", "n1", "n2", "n4");
		assertThat(left.get()).isTrue();
	}

	@Test
	void aMemberThatCannotLeaveStopsAtItsLimit() throws Exception {
		this.membership.stateChanged("n0", MemberState.DISCONNECTED);
		assertThat(leave(Duration.ofMillis(100)).get()).isFalse();
		assertThat(this.layouts.isMember()).isTrue();
	}

	@Test
	void fewerThanTheFactorCannotStay() {
		assertThat(this.departure.objection(3)).isNull();
		assertThat(this.departure.objection(2)).isEqualTo("2 members would be fewer than the replication factor, 3");
		adopt(ring("n0", "n1", "n3"));
		assertThat(this.departure.objection(3)).isEqualTo("there are 3 members, and the replication factor is 3");
		adopt(ring("n0", "n1", "n2"));
		assertThat(this.departure.objection(3)).isEqualTo("n3 is no member");
	}

}
