package io.quorate.membership.change;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import io.quorate.membership.agreement.LayoutProposals;
import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.layout.MemberData;
import io.quorate.membership.layout.Moved;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import io.quorate.membership.reports.MemberReportsTests;
import io.quorate.storage.FormatLevel;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.quorate.membership.layout.LayoutFixture.ASKED;
import static io.quorate.membership.layout.LayoutFixture.member;
import static io.quorate.membership.layout.LayoutFixture.stable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PlannedChangesTests {

	private static final LayoutVersion DECIDED = new LayoutVersion(8, 5);

	private final Layouts layouts = Layouts.of("n0", List.of("n0@host0:7100", "n1@host1:7100", "n2@host2:7100"), null);

	private final AtomicLong nanos = new AtomicLong();

	private final Membership membership = new Membership(this.layouts, this.nanos::get);

	/* Of the other member that is asked whether it hears the dead one. */
	private Optional<Duration> answer = Optional.empty();

	private final MemberReports reports = MemberReportsTests.reports(this.layouts, this.membership, FormatLevel.FIRST);

	private LayoutRecord record = stable(3, 3);

	private final List<ChangeRequest> proposed = new ArrayList<>();

	private final LayoutProposals proposals = (change, version, by) -> {
		assertThat(version).isEqualTo(7);
		assertThat(by).isEqualTo("an operator");
		this.proposed.add(change);
		return CompletableFuture.completedFuture(DECIDED);
	};

	private final PlannedChanges changes = new PlannedChanges(
			new ClusterChanges(this.layouts,
					new ChangeConditions(
							this.layouts, this.membership, (_, _, _) -> CompletableFuture.completedFuture(this.answer)),
					this.proposals,
					(_) -> CompletableFuture
						.completedFuture(new CandidateContact.Candidate(new UUID(1, 3), false, null))),
			this.proposals,
			new LayoutOverview(this.layouts, this.reports, () -> this.record, () -> this.reports.facts()), this.reports,
			() -> this.record);

	@BeforeEach
	void allAreUp() {
		this.layouts.adopt(this.layouts.of(7, this.record));
		this.membership.stateChanged("n1", MemberState.UP);
		this.membership.stateChanged("n2", MemberState.UP);
		for (String member : List.of("n1", "n2")) {
			hear(member, 16_384, 0, false);
		}
	}

	private void hear(String member, long bytes, long free, boolean isRebuilding) {
		this.reports.heard(member,
				new LayoutReport(new LayoutVersion(7, 1), 0, new MemberData(1, bytes, free, isRebuilding, Moved.NONE)));
	}

	private PlannedChanges.Planned plan(Function<ClusterChanges, CompletableFuture<LayoutVersion>> ask)
			throws Exception {
		return this.changes.plan(ask);
	}

	private void assertRefused(String why, Function<ClusterChanges, CompletableFuture<LayoutVersion>> ask) {
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> this.changes.plan(ask))
			.havingCause()
			.isInstanceOf(ChangeRefusedException.class)
			.withMessageContaining(why);
		assertThat(this.proposed).isEmpty();
	}

	@Test
	void aPlanProposesNothing() throws Exception {
		PlannedChanges.Planned planned = plan((asked) -> asked.add("n3@host3:7100", 7));
		assertThat(planned.plan().moves()).containsOnlyKeys("n3");
		assertThat(planned.plan().bytes()).as("a byte a partition").isEqualTo(planned.plan().partitions());
		assertThat(planned).hasToString("version 8 would be [n0, n1, n2], 3 copies -> [n0, n1, n2, n3], 3 copies");
		assertThat(this.proposed).isEmpty();
	}

	@Test
	void aPlannedChangeIsProposedAsItWasAskedFor() throws Exception {
		assertThat(plan((asked) -> asked.add("n3@host3:7100", 7)).propose()).isCompletedWithValue(DECIDED);
		assertThat(this.proposed)
			.containsExactly(new ChangeRequest.Add(Endpoint.parse("n3@host3:7100"), new UUID(1, 3)));
	}

	@Test
	void aPlanNamesWhoIsNotKnownToHearTheDeadMember() throws Exception {
		this.membership.stateChanged("n2", MemberState.DISCONNECTED);
		this.nanos.addAndGet(ChangeConditions.AWAY.toNanos());
		assertThat(plan((asked) -> asked.replace("n2", "n3@host3:7100", true, 7)).silent()).containsExactly("n1");
		this.answer = Optional.of(ChangeConditions.AWAY);
		assertThat(plan((asked) -> asked.replace("n2", "n3@host3:7100", true, 7)).silent()).isEmpty();
		this.answer = Optional.of(Duration.ZERO);
		assertRefused("n1 hears n2", (asked) -> asked.replace("n2", "n3@host3:7100", true, 7));
	}

	@Test
	void anOperatorIsRefusedWhatCannotBe() {
		assertRefused("the layout has version 7, not 6", (asked) -> asked.add("n3@host3:7100", 6));
		assertRefused("n1 is a member", (asked) -> asked.add("n1@host1:7100", 7));
		assertRefused("n9 is no member", (asked) -> asked.remove("n9", false, 7));
		assertRefused("no change is under way", (asked) -> asked.abort(7));
		this.membership.stateChanged("n1", MemberState.DRAINING);
		assertRefused("n1 is draining", (asked) -> asked.add("n3@host3:7100", 7));
	}

	@Test
	void aMemberThatIsRebuiltRefusesAChangeButNotItsEnd() throws Exception {
		this.membership.rebuildingChanged("n1", true);
		assertRefused("n1 is being rebuilt", (asked) -> asked.add("n3@host3:7100", 7));
		assertRefused("n1 is being rebuilt", (asked) -> asked.replace("n2", "n3@host3:7100", false, 7));
		this.record = LayoutMachine.add(stable(3, 3), member(3), ASKED);
		assertThat(plan((asked) -> asked.abort(7)).plan()).isEqualTo(MovePlan.NONE);
	}

	@Test
	void aGainerNeedsMoreRoomThanItGets() throws Exception {
		int partitions = plan((asked) -> asked.add("n3@host3:7100", 7)).plan().partitions();
		hear("n3", 0, partitions * 12L / 10 - 1, false);
		assertRefused("n3 would get about %d bytes, and has %d".formatted(partitions, partitions * 12L / 10 - 1),
				(asked) -> asked.add("n3@host3:7100", 7));
		hear("n3", 0, partitions * 12L / 10 + 1, false);
		assertThat(plan((asked) -> asked.add("n3@host3:7100", 7)).plan().partitions()).isEqualTo(partitions);
	}

}
