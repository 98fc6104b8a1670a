package io.quorate.repair.purge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.repair.record.Horizon;
import io.quorate.repair.record.PeerRecords;
import io.quorate.replica.Failure.Reason;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.repair.purge.PurgeFixture.DEADLINE;
import static io.quorate.repair.purge.PurgeFixture.GRACE;
import static io.quorate.repair.purge.PurgeFixture.ID2;
import static io.quorate.repair.purge.PurgeFixture.ID3;
import static io.quorate.repair.purge.PurgeFixture.KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Each rule of {@code src/model}, by the step of its counterexample at which a purge must
 * not happen.
 */
class PurgePermissionTests {

	@TempDir
	private Path directory;

	private PurgeFixture node;

	@BeforeEach
	void oneOfThree() {
		this.node = new PurgeFixture(this.directory);
	}

	@Test
	void anEntryThatAllReplicasHaveAgreedToMayBePurged() {
		Timestamp deleted = this.node.old();
		this.node.compareAll(7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).isTrue();
	}

	/* keepMarks, purgeOld: what was agreed before a change of the layout is void. */
	@Test
	void aReplicaOfEitherSideMustAgreeAnew() {
		Timestamp deleted = this.node.old();
		this.node.compareAll(7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).isTrue();
		Ring later = Ring.of(Stream.of("n1", "n2", "n3", "n4").map(Member::of).toList(), 4);
		this.node.purgePermission.assigned(new ReplicaSets(new RingPair(PurgeFixture.RING, later), "n1"));
		assertThat(this.node.mayPurge(deleted, 7)).isFalse();
		this.node.pass(DEADLINE);
		this.node.compareAll(7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).as("n4 gains the key").isFalse();
		this.node.compare("n4", new UUID(4, 4), 7);
		this.node.compareAll(7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).isTrue();
		this.node.purgePermission.assigned(new ReplicaSets(RingPair.of(PurgeFixture.RING), "n1"));
		assertThat(this.node.mayPurge(deleted, 7)).as("what was compared in the change is void").isFalse();
	}

	@Test
	void aNodeAlonePurgesAtOnceUntilAnotherOneJoins() throws IOException {
		Ring alone = Ring.of(List.of(Member.of("n1")), 1);
		PurgeFixture only = new PurgeFixture(this.directory, alone);
		Timestamp deleted = only.ago(Duration.ZERO);
		assertThat(only.policy.mayPurge(PurgeFixture.KEY, deleted, 7)).as("it may have peers").isFalse();
		assertThat(only.policy.purgeBefore()).isEqualTo(Timestamp.ZERO);
		only.purgePermission.begunAlone();
		assertThat(only.policy.mayPurge(PurgeFixture.KEY, deleted, 7)).isTrue();
		assertThat(only.policy.purgeBefore()).isEqualTo(Timestamp.MAX);
		assertThat(only.policy.purgeThrough()).isEqualTo(Long.MAX_VALUE);
		assertThat(only.policy.expiredBeforeMillis()).isEqualTo(only.nowMillis);

		only.purgePermission.endsAlone();
		assertThat(only.mayPurge(deleted, 7)).isFalse();
		assertThat(only.policy.purgeBefore()).isLessThan(deleted);
		assertThat(only.horizon.overall()).as("what it has purged").isGreaterThanOrEqualTo(deleted.hybrid());
		assertThat(Horizon.open(this.directory, false, 0).overall()).as("on the disk")
			.isEqualTo(only.horizon.overall());
		only.pass(Duration.ofHours(1));
		long horizon = only.horizon.overall();
		only.purgePermission.endsAlone();
		assertThat(only.horizon.overall()).as("a later layout raises nothing").isEqualTo(horizon);
	}

	@Test
	void aHorizonThatCannotBeWrittenKeepsThePeerOut() throws IOException {
		PurgeFixture only = new PurgeFixture(this.directory, Ring.of(List.of(Member.of("n1")), 1));
		only.purgePermission.begunAlone();
		Path obstacle = Files.createDirectories(this.directory.resolve("HORIZON").resolve("in-the-way"));
		assertThatThrownBy(only.purgePermission::endsAlone).isInstanceOf(IOException.class);
		assertThat(only.policy.mayPurge(PurgeFixture.KEY, only.ago(Duration.ZERO), 7)).isFalse();
		Files.delete(obstacle);
		Files.delete(obstacle.getParent());
		only.purgePermission.endsAlone();
		assertThat(only.horizon.overall()).isGreaterThanOrEqualTo(only.ago(Duration.ZERO).hybrid());
	}

	/* graceOnly: age alone says nothing. */
	@Test
	void ageAloneIsNoReason() {
		assertThat(this.node.mayPurge(this.node.old(), 1)).isFalse();
	}

	@Test
	void eachOtherReplicaMustAgree() {
		Timestamp deleted = this.node.old();
		this.node.compare("n2", ID2, 7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).isFalse();
		assertThat(this.node.horizon.overall()).isZero();
	}

	@Test
	void anEntryYoungerThanTheGracePeriodIsKept() {
		Timestamp deleted = this.node.ago(GRACE.minusHours(1));
		this.node.compareAll(7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).isFalse();
		this.node.pass(Duration.ofHours(1));
		assertThat(this.node.mayPurge(deleted, 7)).isTrue();
	}

	/* byInstant: the deletion came by a hint after the others had been looked at. */
	@Test
	void anEntryThatArrivedAfterTheComparisonBeganIsKept() {
		Timestamp deleted = this.node.old();
		this.node.compareAll(7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 8)).isFalse();
	}

	/* bySequence: it had arrived, but the comparison left out what is stamped so late. */
	@Test
	void anEntryWithATimestampAfterTheInstantIsKept() {
		Timestamp deleted = this.node.ago(Duration.ofSeconds(4));
		this.node.compareAll(7);
		this.node.pass(GRACE.plus(DEADLINE));
		assertThat(this.node.mayPurge(deleted, 7)).isFalse();
		assertThat(this.node.mayPurge(Timestamp.ofMillis(deleted.millis() - 1000), 7)).isTrue();
	}

	/*
	 * Before it expired it was not brought to who does not hold it, but may hold older.
	 */
	@Test
	void anExpiredEntryIsKeptUntilItWasComparedAsExpired() {
		Entry expiring = new Entry.Live(this.node.old(), 1, this.node.nowMillis + 1000, Value.wrap(new byte[1]));
		this.node.compareAll(7);
		this.node.pass(GRACE.plusHours(1));
		assertThat(this.node.mayPurge(expiring.timestamp(), 7)).as("a deletion of then").isTrue();
		assertThat(this.node.policy.isPurgeable(KEY, expiring, 7)).isFalse();
		this.node.compare("n2", ID2, 7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(expiring.timestamp(), 7)).isTrue();
		assertThat(this.node.policy.isPurgeable(KEY, expiring, 7)).as("n3 may hold something older").isFalse();
		this.node.compare("n3", ID3, 7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(expiring.timestamp(), 7)).isTrue();
		assertThat(this.node.policy.isPurgeable(KEY, expiring, 7)).isTrue();
	}

	/* Its horizon is still to be copied, and what is purged with it. */
	@Test
	void noEntryIsPurgedDuringARebuildEvenIfAllPeersAreLost() {
		Timestamp deleted = this.node.old();
		this.node.purgePermission.lost("n2", true);
		this.node.purgePermission.lost("n3", true);
		assertThat(this.node.mayPurge(deleted, 7)).isTrue();
		this.node.purgePermission.pause(true);
		assertThat(this.node.mayPurge(this.node.ago(GRACE.plusMinutes(1)), 8)).isFalse();
	}

	/* A range that somebody asks for does not make the pass of all count for nothing. */
	@Test
	void comparisonsWithOnePeerMayBeUnderWayAtOnce() {
		Timestamp deleted = this.node.old();
		long whole = this.node.ago(Duration.ZERO).hybrid();
		this.node.begin("n2", ID2, whole, 7);
		this.node.begin("n2", ID2, whole + 1, 7);
		this.node.purgePermission.completed("n2", ID2, whole);
		this.node.compare("n3", ID3, 7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).isTrue();
	}

	/* notWhole: what differed has not reached the other. */
	@Test
	void aComparisonThatIsNotCompleteMovesNothing() {
		Timestamp deleted = this.node.old();
		this.node.compare("n2", ID2, 7);
		this.node.begin("n3", ID3, 100, 7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).isFalse();
		this.node.purgePermission.completed("n3", ID3, 99);
		this.node.purgePermission.completed("n3", ID2, 100);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).as("the end of a round that never began").isFalse();
	}

	/* noWait: a read may still be bringing an old value to somebody. */
	@Test
	void oneRequestDeadlineMustHavePassedSince() {
		Timestamp deleted = this.node.old();
		this.node.compareAll(7);
		this.node.pass(DEADLINE.minusMillis(1));
		assertThat(this.node.mayPurge(deleted, 7)).isFalse();
		this.node.pass(Duration.ofMillis(1));
		assertThat(this.node.mayPurge(deleted, 7)).isTrue();
	}

	@Test
	void comparisonsFasterThanTheDeadlineComeToCountAllTheSame() {
		Timestamp deleted = this.node.old();
		for (int i = 0; i < 40; i++) {
			this.node.compareAll(7 + i);
			this.node.pass(Duration.ofSeconds(1));
		}
		assertThat(this.node.mayPurge(deleted, 7)).isTrue();
		assertThat(this.node.mayPurge(deleted, 7 + 39)).as("the newest is too young").isFalse();
	}

	/* noVoid: what a peer has agreed to it may have lost with its directory. */
	@Test
	void theAgreementOfAPeerWithOtherDataIsVoid() {
		Timestamp deleted = this.node.old();
		this.node.compareAll(7);
		long before = this.node.ago(Duration.ZERO).hybrid();
		this.node.begin("n3", ID3, before, 7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).isTrue();
		this.node.purgePermission.voided("n3", "its data is another");
		assertThat(this.node.policy.mayPurge(KEY, deleted, 7)).as("at once").isFalse();
		this.node.purgePermission.completed("n3", ID3, before);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).as("a comparison that began before").isFalse();
		assertThat(this.node.begin("n3", ID3, before, 7)).as("nor does it go on").isEqualTo(Reason.STALE_ROUND);
		this.node.pass(Duration.ofMillis(1));
		this.node.compare("n3", new UUID(3, 4), 7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).as("compared anew").isTrue();
	}

	@Test
	void aPeerThatIsRebuildingAgreesToNothing() {
		Timestamp deleted = this.node.old();
		this.node.compareAll(7);
		this.node.purgePermission.rebuilds("n3", true);
		this.node.compare("n3", ID3, 7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).isFalse();
		this.node.purgePermission.rebuilds("n3", false);
		this.node.pass(Duration.ofMillis(1));
		assertThat(this.node.mayPurge(deleted, 7)).isFalse();
		this.node.compare("n3", ID3, 7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(deleted, 7)).isTrue();
	}

	@Test
	void aNodeThatIsRebuildingPurgesNothing() {
		Timestamp deleted = this.node.old();
		this.node.compareAll(7);
		this.node.pass(DEADLINE);
		this.node.purgePermission.pause(true);
		assertThat(this.node.mayPurge(deleted, 7)).isFalse();
		this.node.purgePermission.pause(false);
		assertThat(this.node.mayPurge(deleted, 7)).isFalse();
	}

	@Test
	void aPeerThatIsDeclaredLostIsNotWaitedFor() {
		Timestamp deleted = this.node.old();
		this.node.compare("n2", ID2, 7);
		this.node.pass(DEADLINE);
		this.node.purgePermission.lost("n3", true);
		assertThat(this.node.policy.mayPurge(KEY, deleted, 7)).as("it could not be told after a crash").isFalse();
		assertThat(this.node.mayPurge(deleted, 7)).isTrue();
		assertThat(PeerRecords.open(this.directory).isKnownLost("n3")).isTrue();
		this.node.purgePermission.lost("n3", false);
		assertThat(this.node.mayPurge(deleted, 7)).isFalse();
	}

	/* noFence: were it purged first, a crash would leave hints unfenced. */
	@Test
	void theHorizonIsOnTheDiskBeforeAnythingIsPurged() throws IOException {
		Timestamp deleted = this.node.old();
		this.node.compareAll(7);
		this.node.pass(DEADLINE);
		Files.createDirectory(this.directory.resolve("HORIZON.tmp"));
		assertThatThrownBy(() -> this.node.purgePermission.advance(this.node.records::save))
			.isInstanceOf(IOException.class);
		assertThat(this.node.policy.mayPurge(KEY, deleted, 7)).isFalse();
		Files.deleteIfExists(this.directory.resolve("HORIZON.tmp"));
		assertThat(this.node.mayPurge(deleted, 7)).isTrue();
		Horizon onDisk = Horizon.open(this.directory, false, -1);
		assertThat(onDisk.overall()).isGreaterThanOrEqualTo(deleted.hybrid()).isEqualTo(this.node.horizon.overall());
	}

	@Test
	void aPartitionIsPurgedByItsOwnReplicasAlone() {
		Ring ring = Ring.of(Stream.of("n1", "n2", "n3", "n4").map(Member::of).toList(), 2);
		PurgeFixture four = new PurgeFixture(this.directory, ring);
		Timestamp deleted = four.old();
		four.compare("n2", ID2, 7);
		four.pass(DEADLINE);
		assertThat(four.mayPurge(deleted, 7)).isEqualTo(isWith(ring, PurgeFixture.KEY, "n2"));
		Key withN2 = keyOf(ring, "n2");
		Key withN3 = keyOf(ring, "n3");
		assertThat(four.policy.mayPurge(withN2, deleted, 7)).isTrue();
		assertThat(four.policy.mayPurge(withN3, deleted, 7)).isFalse();
		assertThat(four.horizon.towards("n2")).isEqualTo(four.horizon.overall()).isPositive();
		assertThat(four.horizon.towards("n3")).as("nothing that n3 holds was purged").isZero();
		assertThat(four.policy.purgeBefore()).as("of any key").isEqualTo(Timestamp.ZERO);
	}

	private static Key keyOf(Ring ring, String other) {
		return Stream.iterate(0, (i) -> i + 1)
			.map((i) -> Key.of("k" + i))
			.filter((key) -> isWith(ring, key, other))
			.findFirst()
			.orElseThrow();
	}

	private static boolean isWith(Ring ring, Key key, String other) {
		List<String> replicas = ring.preferenceList(key).subList(0, 2).stream().map(Member::id).toList();
		return replicas.contains("n1") && replicas.contains(other);
	}

	@Test
	void boundsOfAnyKeyAreThoseOfAllPeers() {
		this.node.compare("n2", ID2, 9);
		this.node.compare("n3", ID3, 7);
		this.node.pass(DEADLINE);
		assertThat(this.node.mayPurge(this.node.old(), 7)).isTrue();
		assertThat(this.node.policy.purgeThrough()).isEqualTo(7);
		assertThat(this.node.policy.purgeBefore()).isEqualTo(new Timestamp(this.node.horizon.overall(), 0));
	}

	@Test
	void theTimeThatPurgesAreWithheldIsMeasuredByPeer() {
		long start = this.node.ago(Duration.ZERO).hybrid();
		this.node.compareAll(7);
		this.node.pass(GRACE.plusHours(2));
		this.node.compare("n2", ID2, 9);
		this.node.pass(DEADLINE);
		assertThat(this.node.purgePermission.withheldSeconds("n2", start)).isZero();
		assertThat(this.node.purgePermission.withheldSeconds("n3", start)).isBetween(7200.0, 7300.0);
		this.node.purgePermission.lost("n3", true);
		assertThat(this.node.purgePermission.withheldSeconds("n3", start)).isZero();
	}

	/*
	 * Else a peer is told after a kill of this node that this node has purged without it.
	 */
	@Test
	void theComparisonsThatPermitAPurgeAreOnTheDiskBeforeItsHorizon() throws IOException {
		this.node.compareAll(7);
		this.node.pass(DEADLINE);
		assertThatThrownBy(() -> this.node.purgePermission.advance(() -> {
			throw new IOException("the disk is full");
		})).isInstanceOf(IOException.class);
		assertThat(this.node.horizon.overall()).isZero();
		this.node.purgePermission.advance(() -> {
			assertThat(this.node.horizon.overall()).isZero();
			this.node.records.save();
		});
		long purged = this.node.horizon.towards("n2");
		assertThat(purged).isNotZero();
		PeerRecords.Seen recorded = PeerRecords.open(this.directory).of("n2");
		assertThat(recorded).isNotNull();
		assertThat(Long.compareUnsigned(recorded.compared(), purged)).isNotNegative();
	}

}
