package io.quorate.repair.rebuild;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.Lane;
import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.Position;
import io.quorate.membership.members.MemberState;
import io.quorate.repair.purge.PurgeFixture;
import io.quorate.repair.record.PeerRecords;
import io.quorate.repair.record.RebuildRecord;
import io.quorate.replica.Failure.Reason;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.repair.purge.PurgeFixture.DEADLINE;
import static io.quorate.repair.purge.PurgeFixture.ID2;
import static io.quorate.repair.purge.PurgeFixture.ID3;
import static io.quorate.repair.rebuild.TrackerFixture.OURS;
import static io.quorate.repair.rebuild.TrackerFixture.at;
import static io.quorate.repair.rebuild.TrackerFixture.in;
import static io.quorate.repair.rebuild.TrackerFixture.rebuilding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

class IncarnationsTests {

	private static final int ROUNDS = Lane.of(150, 1500, 1500);

	@TempDir
	private Path directory;

	private TrackerFixture n1;

	@BeforeEach
	void start() {
		this.n1 = new TrackerFixture(this.directory);
	}

	private void meet(String peer, UUID id, DataStatus theirs) {
		this.n1.tracker.met(peer, id, theirs, LastKnownStatus.NONE);
		this.n1.membership.stateChanged(peer, MemberState.UP);
	}

	private static DataStatus unknown() {
		return new DataStatus(Position.NONE, false,
				new DataStatus.Incarnation(DataStatus.UNKNOWN_INCARNATION, 0, false), 0, 0, 30_000);
	}

	private static void together(AtomicInteger arrived, long all) {
		arrived.incrementAndGet();
		long since = System.nanoTime();
		while (arrived.get() < all) {
			assertThat(System.nanoTime() - since).isLessThan(TimeUnit.MINUTES.toNanos(1));
			Thread.onSpinWait();
		}
	}

	/* It was restored by itself as if the whole cluster were. */
	@Test
	void aNodeThatWasRestoredAloneGoesBackToTheMajorityAndIsRebuilt() {
		this.n1.node.records.begin(1, PurgeFixture.HISTORY);
		AtomicBoolean served = new AtomicBoolean();
		this.n1.rebuild.onBegin(() -> served.set(this.n1.tracker.isInSameIncarnation("n2")));
		meet("n2", ID2, in(0, false));
		assertThat(this.n1.rebuild.isRebuilding()).as("it may have been left behind").isFalse();
		assertThat(this.n1.tracker.isInSameIncarnation("n2")).isFalse();
		meet("n3", ID3, in(0, true));
		assertThat(this.n1.rebuild.state().why()).contains("n3 reports that a majority goes on in 0");
		assertThat(served).as("before its reads are refused").isFalse();
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().number()).isZero();
		assertThat(this.n1.rebuild.isAbandoned()).isFalse();
		assertThat(this.n1.tracker.isInSameIncarnation("n2")).isTrue();
	}

	@Test
	void aMajorityFollowsNoOther() {
		meet("n2", ID2, in(0, false));
		this.n1.tracker.heard("n3", ID3, in(1, true));
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().number()).isZero();
		this.n1.tracker.heard("n2", ID2, rebuilding(9));
		this.n1.tracker.heard("n3", ID3, in(1, false));
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().number()).as("its rebuild is not to end early")
			.isZero();
		this.n1.tracker.beginRebuild("a test");
		this.n1.tracker.heard("n3", ID3, in(1, false));
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().number()).as("they wait for each other").isOne();
	}

	@Test
	void aPeerThatIsAwayMayBeInThisIncarnation() {
		meet("n2", ID2, in(0, false));
		this.n1.membership.stateChanged("n2", MemberState.DISCONNECTED);
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().established()).isFalse();
		meet("n3", ID3, in(1, false));
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().number()).isZero();
		meet("n2", ID2, in(1, false));
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().number()).isOne();
	}

	/* The peer knows better what it is in itself. */
	@Test
	void aPeerDoesNotCountInTheMajorityThatItHearsOf() {
		meet("n2", ID2, in(0, false));
		assertThat(this.n1.tracker.dataStatus("n2").incarnation().established()).isFalse();
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().established()).isTrue();
		this.n1.tracker.beginRebuild("a test");
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().established()).isFalse();
	}

	@Test
	void twoNewMembersBeginAHistory() throws IOException {
		this.n1.node.records.save();
		assertThat(PeerRecords.open(this.directory).incarnation()).isEqualTo(DataStatus.UNKNOWN_INCARNATION);
		meet("n2", ID2, unknown());
		long history = this.n1.tracker.dataStatus("n3").incarnation().history();
		assertThat(history).isNotZero();
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().number()).isZero();
		this.n1.tracker.heard("n2", ID2,
				new DataStatus(Position.NONE, false, new DataStatus.Incarnation(0, history + 1, false), 0, 0, 30_000));
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().history()).isEqualTo(history);
		this.n1.tracker.heard("n2", ID2,
				new DataStatus(Position.NONE, false, new DataStatus.Incarnation(0, 1, false), 0, 0, 30_000));
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().history()).as("the lower of two").isOne();
		this.n1.node.records.save();
		assertThat(PeerRecords.open(this.directory).incarnation()).isZero();
		assertThat(PeerRecords.open(this.directory).history()).isOne();
	}

	/* Their records are of an older program, or were lost with their history. */
	@Test
	void membersOfOneIncarnationWithoutAHistoryBeginOne() {
		this.n1.node.records.begin(3, 0);
		meet("n2", ID2, in(3, 0));
		long history = this.n1.tracker.dataStatus("n2").incarnation().history();
		assertThat(history).isNotZero();
		meet("n3", ID3, in(3, 0));
		assertThat(this.n1.tracker.dataStatus("n2").incarnation().history()).as("it knows one").isEqualTo(history);
		this.n1.tracker.heard("n2", ID2, in(3, 7));
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().history()).as("the lower of two").isEqualTo(7);
	}

	/* Else a restored node would go back to two empty ones, and drop its old entries. */
	@Test
	void membersThatWereStartedEmptyFollowARestoredOne() {
		meet("n2", ID2, unknown());
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().established()).isFalse();
		long history = this.n1.tracker.dataStatus("n2").incarnation().history();
		this.n1.tracker.heard("n2", ID2,
				new DataStatus(Position.NONE, false, new DataStatus.Incarnation(0, history, true), 0, 0, 30_000));
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().established()).isTrue();
		meet("n3", ID3, in(1, false));
		assertThat(this.n1.tracker.dataStatus("n2")).returns(1L, (theirs) -> theirs.incarnation().number())
			.returns(PurgeFixture.HISTORY, (theirs) -> theirs.incarnation().history());
	}

	@Test
	void noNodeGoesBackToAnotherHistory() {
		meet("n2", ID2, in(1, false));
		this.n1.membership.stateChanged("n2", MemberState.DISCONNECTED);
		meet("n3", ID3,
				new DataStatus(Position.ofSequence(9), false, new DataStatus.Incarnation(0, 4, true), 0, 0, 30_000));
		assertThat(this.n1.tracker.dataStatus("n2").incarnation().number()).isOne();
		assertThat(this.n1.rebuild.isRebuilding()).isFalse();
	}

	/* A volume of before a restoration was put back, while another member is away. */
	@Test
	void aNodeThatWasInALaterIncarnationBeforeFollowsAndIsRebuilt() {
		meet("n2", ID2, in(0, false));
		this.n1.membership.stateChanged("n2", MemberState.DISCONNECTED);
		this.n1.tracker.met("n3", ID3, in(1, false),
				new LastKnownStatus(new UUID(7, 7), Position.ofSequence(5), 0, false, 0));
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().number()).isOne();
		assertThat(this.n1.rebuild.isRebuilding()).isTrue();
	}

	/* The operator has declared it lost before it was ever met in this incarnation. */
	@Test
	void aNodeThatWasDeclaredLostFollowsAndIsRebuilt() {
		meet("n2", ID2, in(0, false));
		this.n1.membership.stateChanged("n2", MemberState.DISCONNECTED);
		this.n1.rebuild.begin("an earlier loss", new UUID(0, 0), Position.NONE);
		LastKnownStatus lost = new LastKnownStatus(new UUID(0, 0), Position.NONE, 0, true, 0);
		this.n1.tracker.met("n3", ID3, in(1, false), lost);
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().number()).isOne();
		assertThat(this.n1.rebuild.isRebuilding()).isTrue();
		assertThat(this.n1.rebuild.isAbandoned()).as("it was lost in this incarnation, too").isFalse();
	}

	@Test
	void aPeerInAnotherIncarnationStaysLost() {
		meet("n2", ID2, in(1, false));
		this.n1.node.purgePermission.lost("n3", true);
		this.n1.tracker.met("n3", ID3, rebuilding(9), LastKnownStatus.NONE);
		assertThat(this.n1.tracker.recollectionOf("n3").declaredLost()).isTrue();
	}

	@Test
	void aNodeThatKnowsNoIncarnationBeginsNone() {
		assertThat(this.n1.tracker.beginNext()).contains("has not learned");
		meet("n2", ID2, in(0, false));
		assertThat(this.n1.tracker.beginNext()).contains("nothing to forget");
		this.n1.membership.stateChanged("n2", MemberState.DISCONNECTED);
		assertThat(this.n1.tracker.beginNext()).isNull();
	}

	/* Its backup has no records: it may be of this cluster. */
	@Test
	void aMajorityFollowsNoneOfAnUnknownHistory() {
		meet("n2", ID2, in(0, false));
		meet("n3", ID3,
				new DataStatus(Position.ofSequence(9), false, new DataStatus.Incarnation(1, 0, false), 0, 0, 30_000));
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().number()).isZero();
	}

	@Test
	void aPeersMemoryIsJudgedOnceBothAreInOneIncarnation() {
		UUID lost = new UUID(7, 7);
		this.n1.node.records.begin(1, PurgeFixture.HISTORY);
		this.n1.tracker.met("n3", ID3, in(0, false), new LastKnownStatus(lost, Position.ofSequence(5), 0, false, 0));
		assertThat(this.n1.rebuild.isRebuilding()).isFalse();
		this.n1.tracker.heard("n3", ID3, in(0, true));
		assertThat(this.n1.rebuild.coveredLosses().covers(lost, 5)).isTrue();
	}

	/* The older of both would bring back what the other has purged. */
	@Test
	void nodesThatAreApartAreNotCompared() {
		this.n1.node.records.begin(1, PurgeFixture.HISTORY);
		meet("n3", ID3, in(0, false));
		long round = this.n1.node.ago(Duration.ZERO).hybrid();
		assertThat(this.n1.node.begin("n3", ID3, round, 7)).isEqualTo(Reason.JOINING);
		this.n1.tracker.heard("n3", ID3, in(1, false));
		assertThat(this.n1.node.begin("n3", ID3, round, 7)).as("it began before").isEqualTo(Reason.STALE_ROUND);
		this.n1.node.pass(Duration.ofSeconds(1));
		assertThat(this.n1.node.begin("n3", ID3, this.n1.node.ago(Duration.ZERO).hybrid(), 7)).isNull();
		this.n1.membership.stateChanged("n3", MemberState.DISCONNECTED);
		assertThat(this.n1.tracker.beginNext()).isNull();
		assertThat(this.n1.node.begin("n3", ID3, this.n1.node.ago(Duration.ZERO).hybrid(), 7))
			.isEqualTo(Reason.JOINING);
	}

	/* Connections of both directions report at a time. */
	@Test
	void noReportIsLostWhileAnIncarnationBegins() throws Exception {
		AtomicInteger arrived = new AtomicInteger();
		try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
			for (int round = 1; round <= ROUNDS; round++) {
				long incarnation = round;
				LastKnownStatus lost = new LastKnownStatus(new UUID(7, round), Position.ofSequence(1), 0, false, 0);
				Future<?> follows = threads.submit(() -> {
					together(arrived, 2 * incarnation);
					this.n1.tracker.heard("n2", ID2, in(incarnation, false));
				});
				Future<?> hasLost = threads.submit(() -> {
					together(arrived, 2 * incarnation);
					this.n1.tracker.met("n3", ID3, in(incarnation, false), lost);
				});
				follows.get(1, TimeUnit.MINUTES);
				hasLost.get(1, TimeUnit.MINUTES);
				assertThat(this.n1.rebuild.isRebuilding()).as("round %d", round).isTrue();
				assertThat(this.n1.rebuild.isAbandoned()).as("round %d", round).isFalse();
				this.n1.rebuild.setAside();
				assertThat(this.n1.rebuild.finish(this.n1.rebuild.coveredLosses(), 0, true)).isTrue();
			}
		}
	}

	/* Each file is written by itself, and the machine may stop between the two. */
	@Test
	void thatANodeIsToBeRebuiltIsOnTheDiskBeforeItsIncarnation() throws IOException {
		this.n1.node.records.begin(1, PurgeFixture.HISTORY);
		this.n1.node.records.save(this.n1.rebuild::persist);
		meet("n3", ID3, in(0, true));
		assertThatIOException().isThrownBy(() -> this.n1.node.records.save(() -> {
			this.n1.rebuild.persist();
			throw new IOException("a test");
		}));
		assertThat(PeerRecords.open(this.directory).incarnation()).isOne();
		assertThat(RebuildRecord.open(this.directory).state().step()).isEqualTo(RebuildRecord.Step.BEGUN);
		this.n1.node.records.save(() -> assertThat(this.n1.tracker.beginNext()).isNull());
		assertThat(PeerRecords.open(this.directory).incarnation()).as("what was taken before").isZero();
		this.n1.node.records.save();
		assertThat(PeerRecords.open(this.directory).incarnation()).isOne();
	}

	/* Its file is new, or was lost: it has nothing to forget, and a rebuild goes on. */
	@Test
	void aNodeLearnsAnUnknownIncarnationFromItsPeers() {
		this.n1.membership.stateChanged("n2", MemberState.UP);
		this.n1.membership.stateChanged("n3", MemberState.UP);
		this.n1.rebuild.begin("a test", OURS, Position.ofSequence(5));
		this.n1.tracker.met("n2", ID2,
				new DataStatus(Position.ofSequence(9), false,
						new DataStatus.Incarnation(3, PurgeFixture.HISTORY, false), 0, 0, 30_000),
				LastKnownStatus.NONE);
		assertThat(this.n1.tracker.dataStatus("n2").incarnation().number()).isEqualTo(3);
		assertThat(this.n1.rebuild.isAbandoned()).isFalse();
		this.n1.tracker.heard("n2", ID2, new DataStatus(Position.ofSequence(9), false,
				new DataStatus.Incarnation(4, PurgeFixture.HISTORY, false), 0, 0, 30_000));
		this.n1.tracker.heard("n3", ID3, new DataStatus(Position.ofSequence(9), false,
				new DataStatus.Incarnation(4, PurgeFixture.HISTORY, false), 0, 0, 30_000));
		assertThat(this.n1.tracker.dataStatus("n2").incarnation().number()).isEqualTo(4);
		assertThat(this.n1.rebuild.isAbandoned()).as("this one is news").isTrue();
	}

	@Test
	void aNewIncarnationForgetsTheOld() throws IOException {
		this.n1.membership.stateChanged("n2", MemberState.UP);
		this.n1.membership.stateChanged("n3", MemberState.UP);
		this.n1.tracker.heard("n3", ID3, at(9));
		this.n1.tracker.heard("n2", ID2, new DataStatus(Position.ofSequence(2), false,
				new DataStatus.Incarnation(1, PurgeFixture.HISTORY, false), 0, 0, 30_000));
		this.n1.tracker.met("n3", ID3,
				new DataStatus(Position.ofSequence(2), false,
						new DataStatus.Incarnation(1, PurgeFixture.HISTORY, false), 0, 0, 30_000),
				new LastKnownStatus(OURS, Position.ofSequence(1000), 0, false, 0));
		assertThat(this.n1.tracker.isInSameIncarnation("n2")).isTrue();
		assertThat(this.n1.rebuild.isRebuilding()).as("what was seen by a later incarnation counts").isTrue();
		assertThat(this.n1.tracker.dataStatus("n2").incarnation().number()).isEqualTo(1);
		this.n1.rebuild.setAside();
		this.n1.rebuild.finish(this.n1.rebuild.coveredLosses(), 0, true);
		this.n1.tracker.met("n2", ID2, at(9), new LastKnownStatus(OURS, Position.ofSequence(2000), 0, false, 0));
		assertThat(this.n1.rebuild.isRebuilding()).as("the peer has not heard of it yet").isFalse();
	}

	/* Else each connection of a restored cluster would rebuild the other again. */
	@Test
	void aPurgeInAnotherIncarnationIsNotHeldAgainstAPeer() throws IOException {
		this.n1.tracker.heard("n3", ID3, at(9));
		this.n1.node.compareAll(7);
		this.n1.node.pass(DEADLINE);
		assertThat(this.n1.node.mayPurge(this.n1.node.old(), 7)).isTrue();
		assertThat(this.n1.tracker.recollectionOf("n3").purgeHorizon()).isNotZero();
		assertThat(this.n1.tracker.beginNext()).isNull();
		this.n1.tracker.heard("n3", ID3, new DataStatus(Position.ofSequence(9), false,
				new DataStatus.Incarnation(1, PurgeFixture.HISTORY, false), 0, 0, 30_000));
		assertThat(this.n1.tracker.recollectionOf("n3"))
			.isEqualTo(new LastKnownStatus(ID3, Position.ofSequence(9), 0, false, 0));
		this.n1.node.pass(Duration.ofSeconds(1));
		this.n1.node.compareAll(8);
		assertThat(this.n1.tracker.recollectionOf("n3").purgeHorizon()).isNotZero();
	}

	/* A wrong number would leave none to come after it. */
	@Test
	void aPeerFarAheadIsFollowedOnlyWithMostOfTheOthers() {
		meet("n2", ID2, in(0, false));
		this.n1.membership.stateChanged("n2", MemberState.DISCONNECTED);
		meet("n3", ID3, in(1L << 48, false));
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().number()).isZero();
		this.n1.tracker.met("n3", ID3, in(2, false), new LastKnownStatus(OURS, Position.ofSequence(9), 0, false, 0));
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().number()).as("though it remembers this node")
			.isZero();
		meet("n2", ID2, in(2, false));
		assertThat(this.n1.tracker.dataStatus("n3").incarnation().number()).isEqualTo(2);
	}

}
