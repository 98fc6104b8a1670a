package io.quorate.repair.rebuild;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.Position;
import io.quorate.membership.Membership;
import io.quorate.membership.Topology;
import io.quorate.repair.antientropy.Rounds;
import io.quorate.repair.purge.PurgeFixture;
import io.quorate.repair.record.RebuildRecord;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.repair.purge.PurgeFixture.DEADLINE;
import static io.quorate.repair.purge.PurgeFixture.ID2;
import static io.quorate.repair.purge.PurgeFixture.ID3;
import static org.assertj.core.api.Assertions.assertThat;

class PeerStatusTrackerTests {

	private static final UUID OURS = new UUID(1, 1);

	private static final UUID NEW3 = new UUID(3, 4);

	@TempDir
	private Path directory;

	private PurgeFixture node;

	private Membership membership;

	private RebuildState rebuild;

	private PeerStatusTracker memory;

	private ArrivalFence arrivalFence;

	@BeforeEach
	void start() {
		this.node = new PurgeFixture(this.directory);
		Topology topology = new Topology("n1", List.of(), PurgeFixture.RING);
		this.membership = new Membership(topology);
		this.rebuild = new RebuildState(RebuildRecord.open(this.directory), false, this.membership, this.node.purging);
		this.memory = new PeerStatusTracker(OURS, this.node.lineage, this.node.book, this.node.horizon,
				this.node.purging, this.rebuild,
				new Incarnations(topology, this.membership, this.node.book, this.rebuild, System::currentTimeMillis),
				this.node.deadline);
		this.arrivalFence = new ArrivalFence(this.rebuild, this.node.horizon, new Rounds(0));
	}

	private static DataStatus at(long sequence) {
		return new DataStatus(Position.ofSequence(sequence), false, 0, PurgeFixture.HISTORY, false, 0, 0, 30_000);
	}

	private static DataStatus rebuilding(long sequence) {
		return new DataStatus(Position.ofSequence(sequence), true, 0, PurgeFixture.HISTORY, false, 0, 0, 30_000);
	}

	@Test
	void whatAPeerSaysIsRemembered() {
		this.memory.met("n3", ID3, at(5), LastKnownStatus.NONE);
		this.memory.heard("n3", ID3, at(9));
		this.memory.heard("n3", ID3, at(8));
		assertThat(this.memory.recollectionOf("n3"))
			.isEqualTo(new LastKnownStatus(ID3, Position.ofSequence(9), 0, false, 0));
		assertThat(this.memory.recollectionOf("n2")).isEqualTo(LastKnownStatus.NONE);
		assertThat(this.memory.dataStatus("n3").position().sequence()).isEqualTo(100);
	}

	/* Its first greeting comes before it can know that it has lost anything. */
	@Test
	void aPeersOldDataIsRememberedUntilItIsRebuilt() {
		this.memory.heard("n3", ID3, at(9));
		this.memory.met("n3", NEW3, at(0), LastKnownStatus.NONE);
		assertThat(this.memory.recollectionOf("n3").storageId()).isEqualTo(ID3);
		this.memory.heard("n3", NEW3, rebuilding(2));
		assertThat(this.memory.recollectionOf("n3"))
			.isEqualTo(new LastKnownStatus(ID3, Position.ofSequence(9), 0, false, 0));
		this.memory.heard("n3", NEW3, at(4));
		assertThat(this.memory.recollectionOf("n3"))
			.isEqualTo(new LastKnownStatus(NEW3, Position.ofSequence(4), 0, false, 0));
	}

	/* Its writes may be under way for longer than those of this node. */
	@Test
	void aPurgeWaitsForTheLongestDeadlineOfAllMembers() {
		this.memory.heard("n3", ID3,
				new DataStatus(Position.ofSequence(9), false, 0, PurgeFixture.HISTORY, false, 0, 0, 50_000));
		this.memory.heard("n2", ID2,
				new DataStatus(Position.ofSequence(9), false, 0, PurgeFixture.HISTORY, false, 0, 0, 1_000));
		Timestamp deleted = this.node.old();
		this.node.compareAll(7);
		this.node.pass(Duration.ofSeconds(49));
		assertThat(this.node.mayPurge(deleted, 7)).isFalse();
		this.node.pass(Duration.ofSeconds(1));
		assertThat(this.node.mayPurge(deleted, 7)).isTrue();
		assertThat(this.memory.dataStatus("n2").longestDeadlineMillis()).isEqualTo(DEADLINE.toMillis());
	}

	@Test
	void noPeerMakesPurgesWaitForEver() {
		this.memory.heard("n3", ID3,
				new DataStatus(Position.ofSequence(9), false, 0, PurgeFixture.HISTORY, false, 0, 0, Long.MAX_VALUE));
		this.memory.heard("n2", ID2,
				new DataStatus(Position.ofSequence(9), false, 0, PurgeFixture.HISTORY, false, 0, 0, -1));
		this.node.compareAll(7);
		this.node.pass(Duration.ofDays(1));
		assertThat(this.node.mayPurge(this.node.old(), 7)).isTrue();
	}

	@Test
	void aPeerWithOtherDataHasAgreedToNothing() {
		Timestamp deleted = this.node.old();
		this.memory.heard("n3", ID3, at(9));
		this.node.compareAll(7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).isTrue();
		this.memory.met("n3", NEW3, at(0), LastKnownStatus.NONE);
		assertThat(this.node.mayPurge(deleted, 7)).isFalse();
	}

	@Test
	void aNodeOfWhichMoreWasSeenRebuildsAtOnce() throws IOException {
		this.memory.met("n2", ID2, at(5), new LastKnownStatus(OURS, Position.ofSequence(101), 0, false, 0));
		assertThat(this.rebuild.isRebuilding()).isTrue();
		assertThat(this.membership.isRebuilding()).isTrue();
		assertThat(this.memory.dataStatus("n2").rebuilding()).isTrue();
		this.rebuild.persist();
		assertThat(RebuildRecord.open(this.directory).state().why()).contains("n2 has seen 101");
		this.memory.met("n3", ID3, at(5), new LastKnownStatus(new UUID(1, 0), Position.ofSequence(7), 0, false, 0));
		this.rebuild.setAside();
		this.rebuild.finish(this.rebuild.coveredLosses(), 0, true);
		assertThat(this.membership.isRebuilding()).isFalse();
		this.memory.met("n2", ID2, at(5), new LastKnownStatus(OURS, Position.ofSequence(101), 0, false, 0));
		this.memory.met("n3", ID3, at(5), new LastKnownStatus(new UUID(1, 0), Position.ofSequence(7), 0, false, 0));
		assertThat(this.rebuild.isRebuilding()).as("both were settled").isFalse();
	}

	@Test
	void aRebuildGoesOnAfterARestart() throws IOException {
		this.memory.met("n2", ID2, at(5), new LastKnownStatus(OURS, Position.ofSequence(101), 0, false, 0));
		this.rebuild.setAside();
		start();
		assertThat(this.membership.isRebuilding()).isTrue();
		assertThat(this.rebuild.state().step()).isEqualTo(RebuildRecord.Step.ASIDE);
	}

	@Test
	void aPeerThatIsBackIsNotLostOnceItRebuilds() {
		this.memory.heard("n3", ID3, at(9));
		this.node.purging.lost("n3", true);
		assertThat(this.memory.recollectionOf("n3").declaredLost()).isTrue();
		this.memory.met("n3", ID3, at(9), LastKnownStatus.NONE);
		assertThat(this.memory.recollectionOf("n3").declaredLost()).as("it does not know yet").isTrue();
		this.memory.met("n3", ID3, rebuilding(9), LastKnownStatus.NONE);
		assertThat(this.memory.recollectionOf("n3").declaredLost()).isFalse();
	}

	@Test
	void whatAPeerAcknowledgesIsRememberedAtOnce() {
		this.memory.acknowledged("n3", ID3, Position.ofSequence(10));
		assertThat(this.memory.recollectionOf("n3")).as("not met yet").isEqualTo(LastKnownStatus.NONE);
		this.memory.heard("n3", ID3, at(9));
		this.memory.acknowledged("n3", ID3, Position.ofSequence(12));
		this.memory.acknowledged("n3", ID3, Position.ofSequence(11));
		assertThat(this.memory.recollectionOf("n3"))
			.isEqualTo(new LastKnownStatus(ID3, Position.ofSequence(12), 0, false, 0));
		this.memory.acknowledged("n3", NEW3, Position.ofSequence(50));
		assertThat(this.memory.recollectionOf("n3")).as("of other data")
			.isEqualTo(new LastKnownStatus(ID3, Position.ofSequence(12), 0, false, 0));
		this.memory.heard("n3", ID3, rebuilding(13));
		this.memory.acknowledged("n3", ID3, Position.ofSequence(14));
		assertThat(this.memory.recollectionOf("n3").position().sequence()).as("it is being rebuilt").isEqualTo(12);
	}

	/* noFence */
	@Test
	void hintsNotNewerThanThePurgeHorizonAreRefused() {
		this.node.compareAll(7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(this.node.old(), 7)).isTrue();
		long horizon = this.node.horizon.overall();
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
		this.node.begin("n2", ID2, 1000, 7);
		this.rebuild.begin("a test", OURS, Position.ofSequence(5));
		assertThat(refused(Long.MAX_VALUE, Origin.HINT)).isEqualTo(Reason.REBUILDING);
		assertThat(refused(Long.MAX_VALUE, new Origin.Stream(1000))).isEqualTo(Reason.REBUILDING);
		assertThat(refused(1, Origin.CLIENT)).isNull();
	}

	private @Nullable Reason refused(long stamp, Origin origin) {
		Failure failure = this.arrivalFence.refuses(new Entry.Tombstone(new Timestamp(stamp, 0), 3), origin);
		return (failure != null) ? failure.reason() : null;
	}

	@Test
	void timePassesForMarksOfPeersOnly() {
		this.node.compareAll(7);
		this.node.pass(DEADLINE.plus(Duration.ofDays(40)));
		assertThat(this.node.mayPurge(this.node.ago(Duration.ofDays(41)), 7)).isTrue();
	}

}
