package io.quorate.internode.wiring;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.quorate.clock.SkewJudge;
import io.quorate.clock.TrueTime;
import io.quorate.internode.PeerStatusExchange;
import io.quorate.membership.exchange.InitialContacts;
import io.quorate.membership.layout.GrownCluster;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import io.quorate.membership.reports.Program;
import io.quorate.membership.reports.Upgrade;
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

	private final RecordedIdentity directory = new RecordedIdentity(new UUID(0, 7), FormatLevel.FIRST);

	private static LayoutReport version(long version) {
		return new LayoutReport(new LayoutVersion(version, version), 0);
	}

	/* The node with its layouts, and what hears peers for it. */
	private final class Node {

		private final Layouts layouts;

		private final TrueTime trueTime = new TrueTime(() -> 0, () -> 0);

		private final Membership membership;

		private final MemberReports reports;

		private final MembershipUpdater updater;

		private Node(Layouts layouts) {
			this.layouts = layouts;
			this.membership = new Membership(layouts);
			Program program = new Program("2", FormatLevel.FIRST, FormatLevel.FIRST);
			RecordedIdentity directory = MembershipUpdaterTests.this.directory;
			this.reports = new MemberReports(layouts, this.membership,
					new Upgrade(layouts, this.membership, directory, program, Runnable::run), directory);
			this.updater = new MembershipUpdater(this.membership, this.reports,
					new SkewJudge(System::currentTimeMillis, System::nanoTime, Duration.ofSeconds(1)), this.trueTime,
					new InitialContacts(List.of()), MembershipUpdaterTests.this.statuses);
		}

		private boolean hasMetAMajorityWith(String peer) {
			this.updater.heard(peer);
			return this.membership.hasMetMajority();
		}

	}

	private Node nodeAt(long version) {
		Layouts layouts = GrownCluster.of();
		GrownCluster.show(layouts, version);
		return new Node(layouts);
	}

	@Test
	void aPeerIsMetWhenItIsInTheSameIncarnation() {
		Node node = new Node(new Layouts("n0",
				new Layout(Layout.FIRST, List.of(), Ring.of(Stream.of("n0", "n1", "n2").map(Member::of).toList(), 3))));
		assertThat(node.hasMetAMajorityWith("n1")).isFalse();
		given(this.statuses.isInSameIncarnation(anyString())).willReturn(true);
		assertThat(node.hasMetAMajorityWith("n1")).isTrue();
	}

	@Test
	void theClockOfAPeerIsOneOfThoseThatAgree() {
		Node node = nodeAt(4);
		assertThat(node.trueTime.millis(List.of("n0", "n1"), "n0")).isEqualTo(TrueTime.UNKNOWN);
		node.updater.clockAnswered("n1", 100, 0);
		assertThat(node.trueTime.millis(List.of("n0", "n1"), "n0")).isEqualTo(50);
	}

	/* By the layout that this node knows the peer may be one of a majority long past. */
	@Test
	void aPeerIsMetOnceTheLayoutIsAdoptedThatItHasShown() {
		given(this.statuses.isInSameIncarnation(anyString())).willReturn(true);
		Node node = nodeAt(4);
		node.reports.heard("n2", version(6));
		assertThat(node.hasMetAMajorityWith("n2")).isFalse();
		GrownCluster.show(node.layouts, 6);
		assertThat(node.hasMetAMajorityWith("n2")).isTrue();
	}

	/* A member that has just lost its disk knows as little as this node. */
	@Test
	void aNewDirectoryMeetsNoPeerWhileAnotherOneHasALaterLayout() {
		given(this.statuses.isInSameIncarnation(anyString())).willReturn(true);
		Node node = nodeAt(6);
		node.reports.heard("n2", version(7));
		node.reports.heard("n3", version(6));
		assertThat(node.hasMetAMajorityWith("n3")).isFalse();
		this.directory.settle();
		assertThat(node.hasMetAMajorityWith("n3")).as("with a directory that is not new").isTrue();
	}

}
