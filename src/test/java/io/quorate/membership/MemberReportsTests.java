package io.quorate.membership;

import java.util.List;
import java.util.UUID;

import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MemberReportsTests {

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
	static MemberReports reports(Layouts layouts, Membership membership, int level) {
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
			.isEqualTo(new LayoutMember(this.layouts.ring().members().get(0), "a", 1, new UUID(0, 7)));
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

	private static RecordedIdentity directory(int level) {
		return new RecordedIdentity(new UUID(0, 7), level);
	}

	private void requireObstacle(String member, String words) {
		assertThat(this.reports.facts().obstacleOf(member)).isEqualTo(words);
		assertThat(this.reports.facts().ready()).doesNotContainKey(member);
	}

}
