package io.quorate.membership.exchange;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

import io.quorate.entry.Key;
import io.quorate.membership.layout.GrownCluster;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import io.quorate.membership.reports.Program;
import io.quorate.membership.reports.Upgrade;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AdoptedLayoutFenceTests {

	private final Ring ring = Ring.of(IntStream.range(0, 5).mapToObj((i) -> Member.of("n" + i)).toList(), 3);

	private final Layouts layouts = new Layouts("n0", new Layout(7, List.of(), this.ring));

	private final Membership membership = new Membership(this.layouts);

	private final MemberReports reports = reports(this.layouts, this.membership);

	private final AdoptedLayoutFence fence = new AdoptedLayoutFence(this.layouts, this.reports);

	private static MemberReports reports(Layouts layouts, Membership membership) {
		RecordedIdentity directory = new RecordedIdentity(new UUID(0, 7), FormatLevel.FIRST);
		Program program = new Program("2", FormatLevel.FIRST, FormatLevel.FIRST);
		return new MemberReports(layouts, membership,
				new Upgrade(layouts, membership, directory, program, Runnable::run), directory);
	}

	private void hasAdopted(String peer, long version) {
		this.reports.heard(peer, new LayoutReport(new LayoutVersion(version, version), 0));
	}

	private Key key(boolean isHeld) {
		return IntStream.range(0, 1000)
			.mapToObj((i) -> Key.of("key" + i))
			.filter((key) -> this.ring.replicas(this.ring.partitionOf(key)).contains(Member.of("n0")) == isHeld)
			.findFirst()
			.orElseThrow();
	}

	@Test
	void requestsOfAnEarlierLayoutAreRefused() {
		for (Key key : List.of(key(true), key(false))) {
			assertThat(this.fence.refuses(6, key)).isEqualTo(new Failure(Reason.STALE_LAYOUT,
					"the request was planned under version 6 of the layout, the node has adopted version 7"));
		}
		assertThat(this.fence.refuses(6, null)).extracting(Failure::reason).isEqualTo(Reason.STALE_LAYOUT);
	}

	@Test
	void requestsOfTheAdoptedLayoutPass() {
		assertThat(this.fence.refuses(7, key(true))).isNull();
		assertThat(this.fence.refuses(7, key(false))).as("the coordinator knows best").isNull();
		assertThat(this.fence.refuses(7, null)).isNull();
	}

	/* Its own layout may be one by which it was a member long ago. */
	@Test
	void aNodeThatStartsBehindRefusesItsOwnLayout() {
		hasAdopted("n1", 7);
		assertThat(this.fence.refuses(7, key(true))).isNull();
		hasAdopted("n2", 8);
		assertThat(this.fence.refuses(7, key(true))).isEqualTo(new Failure(Reason.STALE_LAYOUT,
				"this node has met no majority since its start, and has version 7 of the layout, of which its peers have a later one"));
		assertThat(this.fence.refuses(7, null)).extracting(Failure::reason).isEqualTo(Reason.STALE_LAYOUT);
		assertThat(this.fence.refuses(8, key(true))).extracting(Failure::reason).isEqualTo(Reason.LAYOUT_BEHIND);
	}

	@Test
	void aNodeThatHasMetAMajorityServesWhileItLearns() {
		meetAMajority();
		hasAdopted("n1", 8);
		assertThat(this.fence.refuses(7, key(true))).isNull();
	}

	private void meetAMajority() {
		this.membership.met("n1");
		this.membership.met("n2");
	}

	@Test
	void writesOfALaterLayoutPassForKeysOfThisNode() {
		meetAMajority();
		assertThat(this.fence.refuses(8, key(true))).isNull();
		assertThat(this.fence.refuses(8, key(false))).isEqualTo(new Failure(Reason.LAYOUT_BEHIND,
				"the write was planned under version 8 of the layout, the node has adopted version 7, and is no replica of the key by that"));
		assertThat(this.fence.refuses(8, null)).as("a read").isNull();
	}

	/* It may be on its way to the layout by which it joins, which hides what it holds. */
	@Test
	void requestsOfALaterLayoutPassOnceAMajorityIsMet() {
		Failure behind = new Failure(Reason.LAYOUT_BEHIND,
				"the request was planned under version 8 of the layout, the node has adopted version 7, and has met no majority since its start");
		assertThat(this.fence.refuses(8, null)).isEqualTo(behind);
		assertThat(this.fence.refuses(8, key(true))).isEqualTo(behind);
		meetAMajority();
		assertThat(this.fence.refuses(8, null)).isNull();
		assertThat(this.fence.refuses(8, key(true))).isNull();
	}

	@Test
	void aProcessThatIsNotTheMemberRefusesAllRequests() {
		this.reports.processes().refusedBy("n1", "a:1 and b:1");
		assertThat(this.fence.refuses(7, key(true)))
			.isEqualTo(new Failure(Reason.JOINING, "two processes are n0: a:1 and b:1"));
		assertThat(this.fence.refuses(7, null)).isNotNull();
		this.reports.processes().refusedBy("n1", null);
		assertThat(this.fence.refuses(7, key(true))).isNull();
		name(8, new UUID(0, 8));
		assertThat(this.fence.refuses(8, key(true))).isEqualTo(new Failure(Reason.JOINING,
				"the layout names another directory as n0: this one serves once a majority of the members is connected to it, and has named it"));
		name(9, new UUID(0, 7));
		assertThat(this.fence.refuses(9, key(true))).isNull();
	}

	private void name(long version, UUID directory) {
		GrownCluster.adopt(this.layouts,
				new Layout(version, List.of(), RingPair.of(this.ring), Set.of(), Map.of("n0", directory)));
	}

	/* Its acks would be incomplete, and its reads refused, by what is over in no time. */
	@Test
	void aNodeRefusesAllRequestsWhileItIsAdmitted() {
		GrownCluster.admits(this.layouts, true);
		Failure behind = new Failure(Reason.LAYOUT_BEHIND,
				"this node joins, and has not noted yet that its directory is that of a member; it has adopted version 7 of the layout");
		assertThat(this.fence.refuses(7, null)).isEqualTo(behind);
		assertThat(this.fence.refuses(7, key(true))).isEqualTo(behind);
		GrownCluster.admits(this.layouts, false);
		assertThat(this.fence.refuses(7, null)).isNull();
		assertThat(this.fence.refuses(7, key(true))).isNull();
	}

}
