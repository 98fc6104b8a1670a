package io.quorate.repair.rebuild;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.Position;
import io.quorate.membership.layout.GrownCluster;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.repair.antientropy.Rounds;
import io.quorate.repair.move.GainedKeys;
import io.quorate.repair.purge.PurgeFixture;
import io.quorate.repair.record.RebuildRecord;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.repair.purge.PurgeFixture.DEADLINE;
import static io.quorate.repair.purge.PurgeFixture.ID2;
import static io.quorate.repair.purge.PurgeFixture.ID3;
import static io.quorate.repair.rebuild.TrackerFixture.OURS;
import static io.quorate.repair.rebuild.TrackerFixture.at;
import static io.quorate.repair.rebuild.TrackerFixture.rebuilding;
import static org.assertj.core.api.Assertions.assertThat;

class PeerStatusTrackerTests {

	private static final UUID NEW3 = new UUID(3, 4);

	@TempDir
	private Path directory;

	private TrackerFixture n1;

	private ArrivalFence arrivalFence;

	@BeforeEach
	void start() {
		this.n1 = new TrackerFixture(this.directory);
		this.arrivalFence = new ArrivalFence(this.n1.rebuild, this.n1.node.horizon, new Rounds(0),
				new GainedKeys(this.n1.layouts));
	}

	@Test
	void theDataStatusOfAPeerIsRemembered() {
		this.n1.tracker.met("n3", ID3, at(5), LastKnownStatus.NONE);
		this.n1.tracker.heard("n3", ID3, at(9));
		this.n1.tracker.heard("n3", ID3, at(8));
		assertThat(this.n1.tracker.recollectionOf("n3"))
			.isEqualTo(new LastKnownStatus(ID3, Position.ofSequence(9), 0, false, 0));
		assertThat(this.n1.tracker.recollectionOf("n2")).isEqualTo(LastKnownStatus.NONE);
		assertThat(this.n1.tracker.dataStatus("n3").position().sequence()).isEqualTo(100);
	}

	/* Its first greeting comes before it can know that it has lost anything. */
	@Test
	void aPeersOldDataIsRememberedUntilItIsRebuilt() {
		this.n1.tracker.heard("n3", ID3, at(9));
		this.n1.tracker.met("n3", NEW3, at(0), LastKnownStatus.NONE);
		assertThat(this.n1.tracker.recollectionOf("n3").storageId()).isEqualTo(ID3);
		this.n1.tracker.heard("n3", NEW3, rebuilding(2));
		assertThat(this.n1.tracker.recollectionOf("n3"))
			.isEqualTo(new LastKnownStatus(ID3, Position.ofSequence(9), 0, false, 0));
		this.n1.tracker.heard("n3", NEW3, at(4));
		assertThat(this.n1.tracker.recollectionOf("n3"))
			.isEqualTo(new LastKnownStatus(NEW3, Position.ofSequence(4), 0, false, 0));
	}

	/* Its writes may be under way for longer than those of this node. */
	@Test
	void aPurgeWaitsForTheLongestDeadlineOfAllMembers() {
		this.n1.tracker.heard("n3", ID3, new DataStatus(Position.ofSequence(9), false,
				new DataStatus.Incarnation(0, PurgeFixture.HISTORY, false), 0, 0, 50_000));
		this.n1.tracker.heard("n2", ID2, new DataStatus(Position.ofSequence(9), false,
				new DataStatus.Incarnation(0, PurgeFixture.HISTORY, false), 0, 0, 1_000));
		Timestamp deleted = this.n1.node.old();
		this.n1.node.compareAll(7);
		this.n1.node.pass(Duration.ofSeconds(49));
		assertThat(this.n1.node.mayPurge(deleted, 7)).isFalse();
		this.n1.node.pass(Duration.ofSeconds(1));
		assertThat(this.n1.node.mayPurge(deleted, 7)).isTrue();
		assertThat(this.n1.tracker.dataStatus("n2").longestDeadlineMillis()).isEqualTo(DEADLINE.toMillis());
	}

	@Test
	void noPeerMakesPurgesWaitForEver() {
		this.n1.tracker.heard("n3", ID3, new DataStatus(Position.ofSequence(9), false,
				new DataStatus.Incarnation(0, PurgeFixture.HISTORY, false), 0, 0, Long.MAX_VALUE));
		this.n1.tracker.heard("n2", ID2, new DataStatus(Position.ofSequence(9), false,
				new DataStatus.Incarnation(0, PurgeFixture.HISTORY, false), 0, 0, -1));
		this.n1.node.compareAll(7);
		this.n1.node.pass(Duration.ofDays(1));
		assertThat(this.n1.node.mayPurge(this.n1.node.old(), 7)).isTrue();
	}

	@Test
	void aPeerWithOtherDataHasAgreedToNothing() {
		Timestamp deleted = this.n1.node.old();
		this.n1.tracker.heard("n3", ID3, at(9));
		this.n1.node.compareAll(7);
		this.n1.node.pass(DEADLINE);
		assertThat(this.n1.node.mayPurge(deleted, 7)).isTrue();
		this.n1.tracker.met("n3", NEW3, at(0), LastKnownStatus.NONE);
		assertThat(this.n1.node.mayPurge(deleted, 7)).isFalse();
	}

	@Test
	void aNodeOfWhichMoreWasSeenRebuildsAtOnce() throws IOException {
		this.n1.tracker.met("n2", ID2, at(5), new LastKnownStatus(OURS, Position.ofSequence(101), 0, false, 0));
		assertThat(this.n1.rebuild.isRebuilding()).isTrue();
		assertThat(this.n1.membership.isRebuilding()).isTrue();
		assertThat(this.n1.tracker.dataStatus("n2").rebuilding()).isTrue();
		this.n1.rebuild.persist();
		assertThat(RebuildRecord.open(this.directory).state().why()).contains("n2 has seen 101");
		this.n1.tracker.met("n3", ID3, at(5), new LastKnownStatus(new UUID(1, 0), Position.ofSequence(7), 0, false, 0));
		this.n1.rebuild.setAside();
		this.n1.rebuild.finish(this.n1.rebuild.coveredLosses(), 0, true);
		assertThat(this.n1.membership.isRebuilding()).isFalse();
		this.n1.tracker.met("n2", ID2, at(5), new LastKnownStatus(OURS, Position.ofSequence(101), 0, false, 0));
		this.n1.tracker.met("n3", ID3, at(5), new LastKnownStatus(new UUID(1, 0), Position.ofSequence(7), 0, false, 0));
		assertThat(this.n1.rebuild.isRebuilding()).as("both were settled").isFalse();
	}

	@Test
	void aRebuildGoesOnAfterARestart() throws IOException {
		this.n1.tracker.met("n2", ID2, at(5), new LastKnownStatus(OURS, Position.ofSequence(101), 0, false, 0));
		this.n1.rebuild.setAside();
		start();
		assertThat(this.n1.membership.isRebuilding()).isTrue();
		assertThat(this.n1.rebuild.state().step()).isEqualTo(RebuildRecord.Step.ASIDE);
	}

	@Test
	void aPeerThatIsBackIsNotLostOnceItRebuilds() {
		this.n1.tracker.heard("n3", ID3, at(9));
		this.n1.node.purgePermission.lost("n3", true);
		assertThat(this.n1.tracker.recollectionOf("n3").declaredLost()).isTrue();
		this.n1.tracker.met("n3", ID3, at(9), LastKnownStatus.NONE);
		assertThat(this.n1.tracker.recollectionOf("n3").declaredLost()).as("it does not know yet").isTrue();
		this.n1.tracker.met("n3", ID3, rebuilding(9), LastKnownStatus.NONE);
		assertThat(this.n1.tracker.recollectionOf("n3").declaredLost()).isFalse();
	}

	@Test
	void aPositionThatAPeerAcknowledgesIsRememberedAtOnce() {
		this.n1.tracker.acknowledged("n3", ID3, Position.ofSequence(10));
		assertThat(this.n1.tracker.recollectionOf("n3")).as("not met yet").isEqualTo(LastKnownStatus.NONE);
		this.n1.tracker.heard("n3", ID3, at(9));
		this.n1.tracker.acknowledged("n3", ID3, Position.ofSequence(12));
		this.n1.tracker.acknowledged("n3", ID3, Position.ofSequence(11));
		assertThat(this.n1.tracker.recollectionOf("n3"))
			.isEqualTo(new LastKnownStatus(ID3, Position.ofSequence(12), 0, false, 0));
		this.n1.tracker.acknowledged("n3", NEW3, Position.ofSequence(50));
		assertThat(this.n1.tracker.recollectionOf("n3")).as("of other data")
			.isEqualTo(new LastKnownStatus(ID3, Position.ofSequence(12), 0, false, 0));
		this.n1.tracker.heard("n3", ID3, rebuilding(13));
		this.n1.tracker.acknowledged("n3", ID3, Position.ofSequence(14));
		assertThat(this.n1.tracker.recollectionOf("n3").position().sequence()).as("it is being rebuilt").isEqualTo(12);
	}

	/* noFence */
	@Test
	void hintsNotNewerThanThePurgeHorizonAreRefused() {
		this.n1.node.compareAll(7);
		this.n1.node.pass(DEADLINE);
		assertThat(this.n1.node.mayPurge(this.n1.node.old(), 7)).isTrue();
		long horizon = this.n1.node.horizon.overall();
		assertThat(refused(horizon, Origin.HINT)).isEqualTo(Reason.FENCED);
		assertThat(refused(horizon + 1, Origin.HINT)).isNull();
		assertThat(refused(horizon, Origin.CLIENT)).isNull();
	}

	/*
	 * fenceAll: what a comparison brings is measured by its round, never by the horizon.
	 */
	@Test
	void streamsOfNoRoundThatIsOpenAreRefused() {
		assertThat(refused(Long.MAX_VALUE, new Origin.Stream(1000))).isEqualTo(Reason.STALE_ROUND);
	}

	/* fenceCarry: a hint may come before the horizon that would refuse it. */
	@Test
	void aNodeThatIsRebuildingTakesOnlyWhatIsWrittenNow() {
		this.n1.node.begin("n2", ID2, 1000, 7);
		this.n1.rebuild.begin("a test", OURS, Position.ofSequence(5));
		assertThat(refused(Long.MAX_VALUE, Origin.HINT)).isEqualTo(Reason.REBUILDING);
		assertThat(refused(Long.MAX_VALUE, new Origin.Stream(1000))).isEqualTo(Reason.REBUILDING);
		assertThat(refused(1, Origin.CLIENT)).isNull();
	}

	@Test
	void aNodeTakesNoHintOfAKeyThatItGainsAndHasNotCopied() {
		List<Member> two = List.of(Member.of("n2"), Member.of("n3"));
		RingPair grows = new RingPair(Ring.of(two, 2), Ring.of(List.of(Member.of("n1"), two.get(0), two.get(1)), 3));
		GainedKeys gained = new GainedKeys(new Layouts("n1", new Layout(3, List.of(), grows, Set.of())));
		this.arrivalFence = new ArrivalFence(this.n1.rebuild, this.n1.node.horizon, new Rounds(0), gained);
		assertThat(refused(Long.MAX_VALUE, Origin.HINT)).isEqualTo(Reason.REBUILDING);
		assertThat(refused(Long.MAX_VALUE, new Origin.Stream(1000))).isEqualTo(Reason.REBUILDING);
		assertThat(refused(1, Origin.CLIENT)).isNull();
		gained.reassigns(new Layout(4, List.of(), grows.after()));
		assertThat(refused(Long.MAX_VALUE, Origin.HINT)).isNull();
	}

	@Test
	void aNodeThatIsNoMemberLeavesNoRecord() {
		this.n1.tracker.met("n9", ID3, at(5), LastKnownStatus.NONE);
		this.n1.tracker.heard("n9", ID3, at(9));
		assertThat(this.n1.tracker.recollectionOf("n9")).isEqualTo(LastKnownStatus.NONE);
		assertThat(this.n1.tracker.lastOf("n9")).isNull();
	}

	/* A member keeps no history for it. */
	@Test
	void aCandidateIsSentTheSequenceAlone() {
		assertThat(this.n1.tracker.dataStatus("n9").position()).isEqualTo(Position.ofSequence(100));
		assertThat(this.n1.tracker.position("n9")).isEqualTo(Position.ofSequence(100));
		assertThat(this.n1.tracker.dataStatus("n3").position()).isEqualTo(this.n1.node.lineage.position());
		assertThat(this.n1.tracker.position("n3").generation()).isPositive();
	}

	@Test
	void aCandidateRecordsNothingOfTheMembersThatItMeets() {
		Ring ring = Ring.of(List.of(Member.of("n2"), Member.of("n3")), 2);
		TrackerFixture candidate = new TrackerFixture(this.directory, ring);
		candidate.tracker.met("n2", ID2, at(5), LastKnownStatus.NONE);
		candidate.tracker.heard("n2", ID2, at(9));
		candidate.tracker.acknowledged("n2", ID2, Position.ofSequence(10));
		assertThat(candidate.tracker.recollectionOf("n2")).isEqualTo(LastKnownStatus.NONE);
		assertThat(candidate.tracker.dataStatus("n2").incarnation().number()).as("it has learned the number").isZero();
	}

	@Test
	void aNodeThatIsNoMemberAnyMoreForgetsAllPeers() {
		this.n1.layouts.follow(this.n1.tracker);
		this.n1.tracker.heard("n2", ID2, at(9));
		this.n1.tracker.heard("n3", ID3, at(9));
		Ring without = Ring.of(List.of(Member.of("n2"), Member.of("n3")), 2);
		GrownCluster.adopt(this.n1.layouts, new Layout(3, List.of(), without));
		assertThat(this.n1.tracker.recollectionOf("n2")).isEqualTo(LastKnownStatus.NONE);
		assertThat(this.n1.tracker.recollectionOf("n3")).isEqualTo(LastKnownStatus.NONE);
	}

	@Test
	void aPeerThatHasLeftIsForgotten() {
		this.n1.tracker.met("n3", ID3, at(5), LastKnownStatus.NONE);
		this.n1.tracker.heard("n3", ID3, at(9));
		this.n1.tracker.left("n3");
		assertThat(this.n1.tracker.recollectionOf("n3")).isEqualTo(LastKnownStatus.NONE);
	}

	private @Nullable Reason refused(long stamp, Origin origin) {
		Failure failure = this.arrivalFence.refuses(Key.of("k"), new Entry.Tombstone(new Timestamp(stamp, 0), 3),
				origin);
		return (failure != null) ? failure.reason() : null;
	}

	@Test
	void timePassesForMarksOfPeersOnly() {
		this.n1.node.compareAll(7);
		this.n1.node.pass(DEADLINE.plus(Duration.ofDays(40)));
		assertThat(this.n1.node.mayPurge(this.n1.node.ago(Duration.ofDays(41)), 7)).isTrue();
	}

	/* What is in memory only, a kill would have this node forget. */
	@Test
	void aGenerationIsReportedToBeRememberedWhenItIsOnTheDisk() throws IOException {
		this.n1.tracker.heard("n3", ID3, atGeneration(7));
		assertThat(this.n1.tracker.dataStatus("n3").recalled()).isZero();
		this.n1.node.records.save();
		this.n1.tracker.heard("n3", ID3, atGeneration(8));
		assertThat(this.n1.tracker.dataStatus("n3").recalled()).isEqualTo(7);
		this.n1.node.records.save();
		assertThat(this.n1.tracker.dataStatus("n3").recalled()).isEqualTo(8);
		assertThat(new TrackerFixture(this.directory).tracker.dataStatus("n3").recalled()).isEqualTo(8);
		this.n1.tracker.heard("n3", NEW3, at(9));
		assertThat(this.n1.tracker.dataStatus("n3").recalled()).as("of its data before").isZero();
	}

	private static DataStatus atGeneration(long generation) {
		return new DataStatus(new Position(generation, 1, 9), false,
				new DataStatus.Incarnation(0, PurgeFixture.HISTORY, false), 0, 0, 1_000);
	}

	/* Three such greetings would end all reads of a cluster of three. */
	@Test
	void aNodeThatWasDeclaredLostIsNotRebuiltWhileAllOthersAre() {
		LastKnownStatus lost = new LastKnownStatus(OURS, this.n1.tracker.position("n3"), 0, true, 0);
		this.n1.tracker.met("n2", ID2, rebuilding(9), LastKnownStatus.NONE);
		this.n1.tracker.met("n3", ID3, rebuilding(9), lost);
		assertThat(this.n1.rebuild.isRebuilding()).isFalse();
		this.n1.tracker.heard("n3", ID3, at(9));
		this.n1.rebuild.beginPostponed();
		assertThat(this.n1.rebuild.isRebuilding()).isTrue();
	}

}
