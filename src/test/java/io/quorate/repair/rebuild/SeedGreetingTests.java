package io.quorate.repair.rebuild;

import java.nio.file.Path;
import java.util.UUID;

import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.Position;
import io.quorate.membership.layout.GrownCluster;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.repair.purge.PurgeFixture;
import io.quorate.repair.record.RebuildRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.repair.purge.PurgeFixture.ID2;
import static io.quorate.repair.rebuild.TrackerFixture.OURS;
import static io.quorate.repair.rebuild.TrackerFixture.at;
import static io.quorate.repair.rebuild.TrackerFixture.in;
import static org.assertj.core.api.Assertions.assertThat;

class SeedGreetingTests {

	private static final UUID LOST = new UUID(7, 7);

	private static final LastKnownStatus OF_US = new LastKnownStatus(LOST, Position.ofSequence(50), 0, false, 0);

	@TempDir
	private Path directory;

	private Membership membership = new Membership(GrownCluster.of());

	private PeerStatusTracker tracker(Layouts layouts) {
		PurgeFixture node = new PurgeFixture(this.directory);
		this.membership = new Membership(layouts);
		RebuildState rebuild = new RebuildState(RebuildRecord.open(this.directory), false, this.membership,
				node.purgePermission);
		Incarnations incarnations = new Incarnations(layouts, this.membership, node.records, rebuild,
				Incarnations.numbered(System::currentTimeMillis));
		PeerStatusTracker tracker = new PeerStatusTracker(node.lineage, node.purgePermission, rebuild, incarnations,
				node.deadline);
		layouts.follow(tracker);
		return tracker;
	}

	@Test
	void aSeedSaysOnceItIsAMemberWhatThisNodeHasLost() {
		Layouts layouts = GrownCluster.lost("n2@two:7100");
		PeerStatusTracker tracker = tracker(layouts);
		tracker.met("n2", ID2, at(50), OF_US);
		tracker.heard("n2", ID2, at(50));
		assertThat(this.membership.isRebuilding()).isFalse();
		assertThat(tracker.dataStatus("n2").incarnation().number())
			.as("no peer takes this directory for that of before")
			.isNegative();
		GrownCluster.show(layouts, 6);
		tracker.heard("n2", ID2, at(51));
		assertThat(this.membership.isRebuilding()).isTrue();
		assertThat(tracker.dataStatus("n2").incarnation().number()).isZero();
	}

	/* It may have heard of this directory since. */
	@Test
	void aSeedThatRemembersThisNodeSaysSoByItsFirstGreeting() {
		assertThat(isRebuiltAfter(OF_US, at(50), LastKnownStatus.NONE)).isTrue();
	}

	@Test
	void aSeedSaysByALaterGreetingWhatItDidNotKnowBefore() {
		assertThat(isRebuiltAfter(LastKnownStatus.NONE, at(50), OF_US)).isTrue();
		LastKnownStatus ofPresent = new LastKnownStatus(OURS, Position.ofSequence(5), 0, false, 0);
		assertThat(isRebuiltAfter(ofPresent, at(50), OF_US)).as("the first one shows no loss").isFalse();
		LastKnownStatus lost = new LastKnownStatus(OURS, Position.ofSequence(5), 0, true, 0);
		assertThat(isRebuiltAfter(ofPresent, at(50), lost)).as("an operator has declared this node lost").isTrue();
	}

	@Test
	void theGreetingOfASeedInAnotherIncarnationIsForgotten() {
		assertThat(isRebuiltAfter(OF_US, in(1, PurgeFixture.HISTORY), LastKnownStatus.NONE)).isFalse();
	}

	private boolean isRebuiltAfter(LastKnownStatus first, DataStatus then, LastKnownStatus second) {
		Layouts layouts = GrownCluster.lost("n2@two:7100");
		PeerStatusTracker tracker = tracker(layouts);
		tracker.met("n2", ID2, at(50), first);
		tracker.met("n2", ID2, then, second);
		GrownCluster.show(layouts, 6);
		tracker.heard("n2", ID2, then);
		return this.membership.isRebuilding();
	}

	@Test
	void aSeedWithAnotherDirectorySaysNothing() {
		Layouts layouts = GrownCluster.lost("n2@two:7100");
		PeerStatusTracker tracker = tracker(layouts);
		tracker.met("n2", ID2, at(50), OF_US);
		GrownCluster.show(layouts, 6);
		tracker.heard("n2", new UUID(2, 3), at(0));
		assertThat(this.membership.isRebuilding()).isFalse();
	}

	@Test
	void aPeerThatJoinsSaysOnceItIsAMemberWhatThisNodeHasLost() {
		Layouts layouts = GrownCluster.of();
		PeerStatusTracker tracker = tracker(layouts);
		GrownCluster.show(layouts, 2);
		GrownCluster.expect(layouts, 3);
		tracker.met("n2", ID2, at(50), OF_US);
		tracker.heard("n2", ID2, at(50));
		assertThat(this.membership.isRebuilding()).isFalse();
		GrownCluster.show(layouts, 3);
		tracker.heard("n2", ID2, at(51));
		assertThat(this.membership.isRebuilding()).isTrue();
	}

	@Test
	void aPeerThatDoesNotJoinInTheEndLeavesNoGreeting() {
		Layouts layouts = GrownCluster.of();
		PeerStatusTracker tracker = tracker(layouts);
		GrownCluster.expect(layouts, 3);
		tracker.met("n2", ID2, at(50), OF_US);
		GrownCluster.show(layouts, 2);
		GrownCluster.show(layouts, 3);
		tracker.heard("n2", ID2, at(51));
		assertThat(this.membership.isRebuilding()).isFalse();
	}

	@Test
	void aNodeThatIsNoSeedLeavesNoGreeting() {
		Layouts layouts = GrownCluster.of("n2@two:7100");
		PeerStatusTracker tracker = tracker(layouts);
		tracker.met("n2", ID2, at(50), OF_US);
		GrownCluster.show(layouts, 6);
		tracker.heard("n2", ID2, at(51));
		assertThat(this.membership.isRebuilding()).isFalse();
	}

}
