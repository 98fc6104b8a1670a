package io.quorate.membership.change;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.membership.change.ChangeConfiguration.LayoutMetrics;
import io.quorate.membership.change.ChangeStatus.Gainer;
import io.quorate.membership.change.ChangeStatus.Progress;
import io.quorate.membership.change.ChangeStatus.Step;
import io.quorate.membership.change.ChangeStatus.Subject;
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
import io.quorate.ring.Ring;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.StoreStatus;
import org.junit.jupiter.api.Test;

import static io.quorate.membership.layout.LayoutFixture.ASKED;
import static io.quorate.membership.layout.LayoutFixture.member;
import static io.quorate.membership.layout.LayoutFixture.stable;
import static org.assertj.core.api.Assertions.assertThat;

class LayoutOverviewTests {

	private static final Progress UNKNOWN = new Progress(null, null, null, null, null);

	private final Layouts layouts = Layouts.of("n0", List.of("n0@host0:7100", "n1@host1:7100", "n2@host2:7100"), null);

	private final Membership membership = new Membership(this.layouts);

	private final MemberReports reports = MemberReportsTests.reports(this.layouts, this.membership, FormatLevel.FIRST);

	private LayoutRecord record = stable(3, 3);

	private final LayoutOverview overview = new LayoutOverview(this.layouts, this.reports, () -> this.record,
			() -> this.reports.facts());

	private void adopt(long version, LayoutRecord its) {
		this.record = its;
		this.layouts.adopt(this.layouts.of(version, its));
	}

	/* n3 joins by version 8. */
	private void joins() {
		adopt(8, LayoutMachine.add(stable(3, 3), member(3), ASKED));
	}

	private void hear(String member, long version, long copied, Moved moved) {
		this.reports.heard(member, new LayoutReport(new LayoutVersion(version, 1), copied,
				new MemberData(10, 16_384_000, 1, false, moved)));
	}

	private ChangeStatus change() {
		return this.overview.change().orElseThrow();
	}

	private Gainer gainer(String id) {
		Gainer its = change().gainers().get(id);
		assertThat(its).isNotNull();
		return java.util.Objects.requireNonNull(its);
	}

	@Test
	void aStableLayoutHasPartitionsAndNoChange() {
		adopt(7, stable(3, 2));
		assertThat(this.overview.change()).isEmpty();
		Map<String, Integer> partitions = this.overview.partitions();
		assertThat(partitions).containsOnlyKeys("n0", "n1", "n2")
			.allSatisfy((_, count) -> assertThat(count).isPositive());
		assertThat(partitions.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(2 * Ring.PARTITIONS);
	}

	@Test
	void theReplicasOfBothSidesCountWhileAMemberJoins() {
		joins();
		Map<String, Integer> partitions = this.overview.partitions();
		assertThat(partitions).containsEntry("n0", Ring.PARTITIONS)
			.containsEntry("n1", Ring.PARTITIONS)
			.containsEntry("n3", gainer("n3").partitions());
		assertThat(gainer("n3").partitions()).isBetween(Ring.PARTITIONS * 7 / 10, Ring.PARTITIONS * 8 / 10);
	}

	@Test
	void aChangeGoesFromAdoptingToCopyingToDeciding() {
		joins();
		assertThat(change().subject()).isEqualTo(new Subject("add", "n3", null, null));
		assertThat(change().by()).isEqualTo("an operator");
		assertThat(change().sinceMillis()).isEqualTo(1000);
		for (String member : List.of("n0", "n1", "n2")) {
			hear(member, 8, 8, Moved.NONE);
			assertThat(change().step()).isEqualTo(Step.ADOPTING);
		}
		hear("n3", 8, 0, Moved.NONE);
		assertThat(change().step()).isEqualTo(Step.COPYING);
		hear("n3", 8, 8, new Moved(8, Moved.ALL, 700, 0));
		assertThat(change().step()).isEqualTo(Step.DECIDING);
		assertThat(gainer("n3").complete()).isTrue();
		assertThat(change().progress()).isEqualTo(new Progress(1.0, 700L, 700L, null, 0L));
	}

	@Test
	void aGainerThatHasReportedNothingHasNoProgress() {
		joins();
		assertThat(change().progress()).isEqualTo(UNKNOWN);
		assertThat(gainer("n3")).isEqualTo(new Gainer(gainer("n3").partitions(), UNKNOWN, false));
	}

	@Test
	void theProgressOfAnEarlierChangeDoesNotCount() {
		joins();
		hear("n3", 7, 5, new Moved(5, Moved.ALL, 700, 0));
		assertThat(change().progress().share()).isNull();
		hear("n3", 8, 5, new Moved(9, 420_000, 4200, 0));
		assertThat(change().progress().share()).as("a later version of this one").isEqualTo(0.42);
	}

	@Test
	void theExpectedBytesAreThoseOfTheMembersUntilTheCopyTells() {
		joins();
		hear("n0", 8, 8, Moved.NONE);
		long planned = gainer("n3").partitions() * 1000L;
		assertThat(change().progress().expectedBytes()).as("1,000 bytes in each of its partitions").isEqualTo(planned);
		hear("n3", 8, 0, new Moved(8, 1000, 777, 0));
		assertThat(change().progress().expectedBytes()).isEqualTo(planned);
		hear("n3", 8, 0, new Moved(8, 2000, planned + 1, 0));
		assertThat(change().progress().expectedBytes()).as("there is more already").isEqualTo(planned + 1);
		hear("n3", 8, 0, new Moved(8, 500_000, 19_000_000, 38_000_000));
		assertThat(change().progress().expectedBytes()).isEqualTo(38_000_000);
		assertThat(change().progress().bytes()).isEqualTo(19_000_000);
		assertThat(change().progress().bytesPerSecond()).isPositive();
		assertThat(change().progress().etaSeconds()).isNotNull();
	}

	@Test
	void gainersCountByTheirPartitions() {
		adopt(7, stable(4, 2));
		adopt(8, LayoutMachine.remove(stable(4, 2), "n3", false, ASKED));
		assertThat(change().subject()).isEqualTo(new Subject("remove", "n3", null, null));
		assertThat(change().gainers()).containsOnlyKeys("n0", "n1", "n2");
		hear("n1", 8, 8, new Moved(8, Moved.ALL, 50, 0));
		double part = (double) gainer("n1").partitions()
				/ change().gainers().values().stream().mapToInt(Gainer::partitions).sum();
		assertThat(change().progress().share()).isCloseTo(part, org.assertj.core.data.Offset.offset(0.0001));
		assertThat(change().progress().etaSeconds()).as("two have not begun").isNull();
	}

	@Test
	void aReplacementNamesBoth() {
		adopt(8, LayoutMachine.replace(stable(3, 2), "n1", member(7), true, ASKED));
		assertThat(change().subject()).isEqualTo(new Subject("replace", "n1", "n7", null));
		assertThat(change().gainers()).containsOnlyKeys("n7");
	}

	@Test
	void aChangeOfTheFactorNamesIt() {
		adopt(8, LayoutMachine.replication(stable(3, 2), 3, ASKED));
		assertThat(change().subject()).isEqualTo(new Subject("replication", null, null, 3));
		assertThat(change().gainers()).containsOnlyKeys("n0", "n1", "n2");
	}

	@Test
	void aMemberHoldsUpAChangeUnlessItGoesOn() {
		assertThat(this.overview.isHeldUpBy("n1")).isFalse();
		joins();
		assertThat(this.overview.isHeldUpBy("n1")).as("it has not adopted").isTrue();
		hear("n1", 8, 8, Moved.NONE);
		assertThat(this.overview.isHeldUpBy("n1")).isFalse();
		this.membership.stateChanged("n1", MemberState.DISCONNECTED);
		assertThat(this.overview.isHeldUpBy("n1")).as("it is not needed any more").isFalse();
		hear("n3", 8, 0, new Moved(8, 1, 1, 0));
		assertThat(this.overview.isHeldUpBy("n3")).as("it is disconnected").isTrue();
		this.membership.stateChanged("n3", MemberState.UP);
		assertThat(this.overview.isHeldUpBy("n3")).as("it copies").isFalse();
		adopt(9, LayoutMachine.complete(this.record));
		assertThat(this.overview.isHeldUpBy("n2")).isFalse();
	}

	@Test
	void aMemberThatIsDeclaredDeadHoldsUpNothing() {
		adopt(8, LayoutMachine.remove(stable(4, 3), "n3", true, ASKED));
		assertThat(this.overview.isHeldUpBy("n3")).isFalse();
		assertThat(this.overview.isHeldUpBy("n2")).isTrue();
	}

	@Test
	void theMetersFollowTheLayout() {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		new LayoutMetrics(this.layouts, this.overview).bindTo(registry);
		Map<String, Double> expected = new HashMap<>(Map.of("version", 1.0, "joint", 0.0));
		expected.forEach((name, value) -> assertThat(registry.get("quorate.layout." + name).gauge().value()).as(name)
			.isEqualTo(value));
		joins();
		expected.putAll(Map.of("version", 8.0, "joint", 1.0));
		expected.forEach((name, value) -> assertThat(registry.get("quorate.layout." + name).gauge().value()).as(name)
			.isEqualTo(value));
		assertThat(registry.get("quorate.layout.blocked").gauges())
			.extracting((gauge) -> gauge.getId().getTag("member") + gauge.value())
			.containsExactlyInAnyOrder("n11.0", "n21.0", "n31.0");
		adopt(9, LayoutMachine.complete(this.record));
		adopt(10, LayoutMachine.remove(this.record, "n0", false, new LayoutMachine.Asked(9, "", 0)));
		adopt(11, LayoutMachine.complete(this.record));
		assertThat(registry.get("quorate.layout.version").gauge().value()).as("it has left").isNaN();
	}

	@Test
	void thePlanIsMadeOfTheMembersWhoseDataIsWhole() {
		adopt(7, stable(3, 2));
		LayoutRecord joint = LayoutMachine.add(stable(3, 2), member(3), ASKED);
		assertThat(this.overview.plan(joint, 8).bytes()).isNull();
		this.reports.measured(new StoreStatus(new StoreStatus.Disk(0, 0), 0, new StoreStatus.Tables(0, 0, 0, 0),
				new StoreStatus.Held(1, this.overview.partitions().getOrDefault("n0", 0))), Moved.NONE);
		this.reports.heard("n1",
				new LayoutReport(new LayoutVersion(7, 1), 0, new MemberData(1, 1, 1, true, Moved.NONE)));
		MovePlan plan = this.overview.plan(joint, 8);
		assertThat(plan.moves()).containsOnlyKeys("n3");
		assertThat(plan.partitions()).isPositive();
		assertThat(plan.bytes()).as("a byte for each").isEqualTo(plan.partitions());
		assertThat(this.overview.plan(stable(3, 2), 8)).isEqualTo(MovePlan.NONE);
		assertThat(MovePlan.NONE.bytes()).isZero();
	}

}
