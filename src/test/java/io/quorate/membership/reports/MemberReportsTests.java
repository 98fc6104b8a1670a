package io.quorate.membership.reports;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutMember;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.layout.Moved;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberProcesses.MemberProcess;
import io.quorate.membership.reports.MemberProcesses.Presence;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import io.quorate.storage.StoreStatus;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

public class MemberReportsTests {

	private static final Program FINALIZED = new Program("2", FormatLevel.FIRST, FormatLevel.FIRST);

	private final Layouts layouts = Layouts.of("n0", List.of("n0@a:1", "n1@b:2", "n2@hö:3"), null);

	private final Membership membership = new Membership(this.layouts);

	private final RecordedIdentity directory = directory(FormatLevel.UNDECIDED);

	private final Upgrade upgrade = new Upgrade(this.layouts, this.membership, this.directory,
			FINALIZED.at(FormatLevel.UNDECIDED), Runnable::run);

	private final MemberReports reports = new MemberReports(this.layouts, this.membership, this.upgrade,
			this.directory);

	/**
	 * Reports of a node whose directory has a format level, of which no peer is heard.
	 */
	public static MemberReports reports(Layouts layouts, Membership membership, int level) {
		RecordedIdentity directory = directory(level);
		return new MemberReports(layouts, membership,
				new Upgrade(layouts, membership, directory, FINALIZED.at(level), Runnable::run), directory);
	}

	@Test
	void aMemberIsReadyWhenItIsUpAndKnowsItsFormatLevel() {
		requireObstacle("n0", "n0 has a new directory, and does not know the format level of the others yet");
		requireObstacle("n1", "n1 is disconnected");
		this.membership.stateChanged("n1", MemberState.UP);
		requireObstacle("n1", "n1 has not reported its program yet");
		this.upgrade.heard("n1", new Program("2", FormatLevel.UNDECIDED, FormatLevel.FIRST));
		requireObstacle("n1", "n1 has a new directory, and does not know the format level of the others yet");
		assertThat(this.reports.takesPart()).isFalse();
		this.upgrade.heard("n1", FINALIZED);
		assertThat(this.reports.takesPart()).as("it follows").isTrue();
		requireObstacle("n1", "the directory of n1 is not known yet");
		this.reports.met("n1", new UUID(1, 1));
		requireObstacle("n0", "n0 has a new directory, and has not met a majority of the members yet");
		this.directory.settle();
		assertThat(this.reports.facts().ready().get("n1"))
			.isEqualTo(new LayoutMember(this.layouts.ring().members().get(1), "b", 2, new UUID(1, 1)));
		assertThat(this.reports.facts().ready().get("n0"))
			.isEqualTo(new LayoutMember(this.layouts.ring().members().get(0), "a", 1, new UUID(1, 0)));
		this.membership.stateChanged("n1", MemberState.DRAINING);
		requireObstacle("n1", "n1 is draining");
	}

	@Test
	void anAddressThatALayoutCannotNameIsAnObstacle() {
		this.membership.stateChanged("n2", MemberState.UP);
		this.upgrade.heard("n2", FINALIZED);
		this.reports.met("n2", new UUID(1, 2));
		requireObstacle("n2", "the address of n2: 'hö' is no host");
	}

	@Test
	void theLastReportOfAMemberCounts() {
		this.reports.heard("n1", new LayoutReport(3, 3));
		this.reports.heard("n1", new LayoutReport(2, 2));
		assertThat(this.reports.facts().adoptedBy("n1")).isEqualTo(2);
		assertThat(this.reports.facts().adoptedBy("n2")).isZero();
	}

	@Test
	void aReportIsOfTheDirectoryWithWhichAMemberWasMetLast() {
		this.reports.met("n1", new UUID(1, 1));
		this.reports.heard("n1", new LayoutReport(new LayoutVersion(3, 3), 3));
		LayoutMember named = new LayoutMember(this.layouts.ring().members().get(1), "b", 2, new UUID(1, 1));
		assertThat(this.reports.facts().isComplete(named, 3)).isTrue();
		assertThat(this.reports.facts().isComplete(named.at(new UUID(1, 2)), 3)).isFalse();
	}

	@Test
	void theMembersThatAreAheadAreNamed() {
		assertThat(this.reports.ahead()).isEmpty();
		this.reports.heard("n2", new LayoutReport(3, 3));
		this.reports.heard("n1", new LayoutReport(2, 2));
		assertThat(this.reports.ahead()).containsExactly("n1", "n2");
		assertThat(this.reports.isBehind()).isTrue();
	}

	/* As after the loss of two of three disks: nothing can be decided. */
	@Test
	void alsoWhileItsProcessIsAwayALostDirectoryIsNotLeft() {
		DrivenCluster cluster = new DrivenCluster();
		Presence second = cluster.connect("n1", new UUID(2, 1));
		cluster.measure();
		assertThat(second.counts()).as("a majority is left to name it").isFalse();
		Presence third = cluster.connect("n2", new UUID(2, 2));
		cluster.measure();
		assertThat(second.counts()).isTrue();
		cluster.disconnect("n2", third);
		cluster.adopt(new UUID(1, 1), new UUID(1, 2));
		cluster.pass(Duration.ofHours(1));
		cluster.measure();
		assertThat(second.counts()).as("of which nothing else can be the member").isTrue();
		assertThat(LayoutMachine.isMajorityLeft(LayoutFixture.stable(3, 3), cluster.reports.facts()))
			.as("the machine judges alike")
			.isFalse();
		cluster.connect("n2", new UUID(1, 2));
		cluster.measure();
		assertThat(second.counts()).as("it was not lost").isFalse();
	}

	/* They may serve without this node, which does not hear them. */
	@Test
	void aDirectoryThatIsOnlyNotHeardIsLeft() {
		DrivenCluster cluster = new DrivenCluster();
		Presence first = cluster.connect("n1", new UUID(1, 1));
		cluster.disconnect("n1", first);
		cluster.pass(Duration.ofHours(1));
		Presence other = cluster.connect("n2", new UUID(2, 2));
		cluster.measure();
		assertThat(other.counts()).isFalse();
	}

	@Test
	void aDirectoryThatWasNamedSinceItsMemberWasMetIsLeft() {
		DrivenCluster cluster = new DrivenCluster();
		Presence third = cluster.connect("n2", new UUID(1, 2));
		cluster.reports.heard("n2", new LayoutReport(new LayoutVersion(2, 2), 2));
		cluster.disconnect("n2", third);
		Presence entered = cluster.enter("n2", new UUID(2, 2));
		cluster.adopt(new UUID(1, 1), new UUID(2, 2));
		assertThat(cluster.reports.facts().complete()).as("what it had copied before").isEmpty();
		entered.end();
		cluster.pass(Duration.ofHours(1));
		Presence other = cluster.connect("n1", new UUID(2, 1));
		cluster.measure();
		assertThat(other.counts()).isFalse();
		cluster.connect("n2", new UUID(1, 2));
		cluster.measure();
		assertThat(other.counts()).as("two are replaced").isTrue();
	}

	@Test
	void aDirectoryIsKnownWhileItIsConnectedWhateverIsNamed() {
		DrivenCluster cluster = new DrivenCluster();
		cluster.connect("n2", new UUID(2, 2));
		cluster.adopt(new UUID(1, 1), new UUID(3, 2));
		cluster.pass(NamedDirectories.RETURN);
		assertThat(cluster.reports.facts().directories()).containsEntry("n2", new UUID(2, 2));
	}

	/* It connects to this node, which cannot connect to it. */
	@Test
	void aDirectoryThatHasComeBackIsLeftAlsoWhenItIsGoneAgain() {
		DrivenCluster cluster = new DrivenCluster();
		cluster.disconnect("n2", cluster.connect("n2", new UUID(2, 2)));
		Presence third = cluster.enter("n2", new UUID(1, 2));
		cluster.measure();
		third.end();
		cluster.pass(Duration.ofHours(1));
		Presence other = cluster.connect("n1", new UUID(2, 1));
		cluster.measure();
		assertThat(other.counts()).isFalse();
	}

	@Test
	void aProcessThatIsReplacedKnowsItsOwnDirectoryForLost() {
		DrivenCluster cluster = new DrivenCluster(new UUID(2, 0));
		cluster.measure();
		assertThat(cluster.reports.displaced()).isNotNull();
		Presence second = cluster.connect("n1", new UUID(2, 1));
		cluster.measure();
		assertThat(cluster.reports.displaced()).isNull();
		cluster.disconnect("n1", second);
		cluster.pass(Duration.ofHours(1));
		cluster.measure();
		assertThat(cluster.reports.displaced()).isNull();
	}

	/** A node with a layout that names directories, and its peers. */
	private static final class DrivenCluster {

		private static final StoreStatus STORE = new StoreStatus(new StoreStatus.Disk(5_000, 0), 0,
				new StoreStatus.Tables(0, 0, 0, 0), new StoreStatus.Held(7, 900));

		private final Layouts layouts = Layouts.of("n0", List.of("n0@a:1", "n1@b:2", "n2@c:3"), null);

		private final Membership membership = new Membership(this.layouts);

		private final Upgrade upgrade;

		private final MemberReports reports;

		private long nowNanos = Duration.ofHours(1).toNanos();

		private DrivenCluster() {
			this(new UUID(1, 0));
		}

		private DrivenCluster(UUID own) {
			RecordedIdentity directory = new RecordedIdentity(own, FormatLevel.FIRST);
			directory.settle();
			this.upgrade = new Upgrade(this.layouts, this.membership, directory, FINALIZED, Runnable::run);
			this.reports = new MemberReports(this.layouts, this.membership, this.upgrade, directory,
					() -> this.nowNanos);
			adopt(new UUID(1, 1), new UUID(1, 2));
			pass(NamedDirectories.RETURN);
		}

		private void adopt(UUID second, UUID third) {
			Layout now = this.layouts.current();
			this.layouts.adopt(new Layout(now.version() + 1, now.endpoints(), now.rings(), Set.of(),
					Map.of("n0", new UUID(1, 0), "n1", second, "n2", third)));
		}

		private void pass(Duration time) {
			this.nowNanos += time.toNanos();
		}

		/** A process has connected to this node, and this one not to it. */
		private Presence enter(String peer, UUID directory) {
			return this.reports.processes()
				.enter(new MemberProcess(peer, directory, 0, peer, Duration.ofDays(1)), () -> {
				});
		}

		private Presence connect(String peer, UUID directory) {
			Presence entered = enter(peer, directory);
			this.upgrade.heard(peer, FINALIZED);
			this.reports.met(peer, directory);
			this.membership.stateChanged(peer, MemberState.UP);
			return entered;
		}

		private void disconnect(String peer, Presence its) {
			its.end();
			this.membership.stateChanged(peer, MemberState.DISCONNECTED);
		}

		private void measure() {
			this.reports.measured(STORE, Moved.NONE);
		}

	}

	private static RecordedIdentity directory(int level) {
		return new RecordedIdentity(new UUID(1, 0), level);
	}

	private void requireObstacle(String member, String words) {
		assertThat(this.reports.facts().obstacleOf(member)).isEqualTo(words);
		assertThat(this.reports.facts().ready()).doesNotContainKey(member);
	}

}
