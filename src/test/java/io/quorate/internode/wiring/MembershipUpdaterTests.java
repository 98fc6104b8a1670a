package io.quorate.internode.wiring;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.quorate.clock.SkewJudge;
import io.quorate.internode.PeerStatusExchange;
import io.quorate.membership.GrownCluster;
import io.quorate.membership.Layout;
import io.quorate.membership.LayoutReport;
import io.quorate.membership.LayoutVersion;
import io.quorate.membership.Layouts;
import io.quorate.membership.MemberReports;
import io.quorate.membership.Membership;
import io.quorate.membership.Program;
import io.quorate.membership.Upgrade;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class MembershipUpdaterTests {

	private final PeerStatusExchange statuses = mock(PeerStatusExchange.class);

	private final RecordedIdentity directory = new RecordedIdentity(new UUID(0, 7), FormatLevel.LAYOUTS);

	private MemberReports reports(Layouts layouts, Membership membership) {
		Program program = new Program("2", FormatLevel.LAYOUTS, FormatLevel.LAYOUTS);
		return new MemberReports(layouts, membership,
				new Upgrade(layouts, membership, this.directory, program, Runnable::run), this.directory);
	}

	private static LayoutReport version(long version) {
		return new LayoutReport(new LayoutVersion(version, version), 0);
	}

	private MembershipUpdater updater(Membership membership, MemberReports reports) {
		return new MembershipUpdater(membership, reports,
				new SkewJudge(System::currentTimeMillis, System::nanoTime, Duration.ofSeconds(1)),
				new InitialContacts(List.of()), this.statuses);
	}

	@Test
	void aPeerIsMetWhenItIsInTheSameIncarnation() {
		Layouts layouts = new Layouts("n0",
				new Layout(Layout.FIRST, List.of(), Ring.of(Stream.of("n0", "n1", "n2").map(Member::of).toList(), 3)));
		Membership membership = new Membership(layouts);
		MembershipUpdater updater = updater(membership, reports(layouts, membership));
		updater.heard("n1");
		assertThat(membership.hasMetMajority()).isFalse();
		given(this.statuses.isInSameIncarnation(anyString())).willReturn(true);
		updater.heard("n1");
		assertThat(membership.hasMetMajority()).isTrue();
	}

	/* By the layout that this node knows the peer may be one of a majority long past. */
	@Test
	void aPeerIsMetOnceTheLayoutIsAdoptedThatItHasShown() {
		given(this.statuses.isInSameIncarnation(anyString())).willReturn(true);
		Layouts layouts = GrownCluster.of();
		GrownCluster.show(layouts, 4);
		Membership membership = new Membership(layouts);
		MemberReports reports = reports(layouts, membership);
		MembershipUpdater updater = updater(membership, reports);
		reports.heard("n2", version(6));
		updater.heard("n2");
		assertThat(membership.hasMetMajority()).isFalse();
		GrownCluster.show(layouts, 6);
		updater.heard("n2");
		assertThat(membership.hasMetMajority()).isTrue();
	}

	/* A member that has just lost its disk knows as little as this node. */
	@Test
	void aNewDirectoryMeetsNoPeerWhileAnotherOneHasALaterLayout() {
		given(this.statuses.isInSameIncarnation(anyString())).willReturn(true);
		Layouts layouts = GrownCluster.of();
		GrownCluster.show(layouts, 6);
		Membership membership = new Membership(layouts);
		MemberReports reports = reports(layouts, membership);
		MembershipUpdater updater = updater(membership, reports);
		reports.heard("n2", version(7));
		reports.heard("n3", version(6));
		updater.heard("n3");
		assertThat(membership.hasMetMajority()).isFalse();
		this.directory.settle();
		updater.heard("n3");
		assertThat(membership.hasMetMajority()).as("with a directory that is not new").isTrue();
	}

}
