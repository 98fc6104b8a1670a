package io.quorate.repair.rebuild;

import java.nio.file.Path;
import java.util.UUID;

import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.Position;
import io.quorate.repair.purge.PurgeFixture;
import io.quorate.repair.record.CoveredLosses;
import io.quorate.repair.record.Lineage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class DataLossDetectorTests {

	private static final UUID OURS = new UUID(1, 1);

	private static final UUID BEFORE = new UUID(1, 0);

	@TempDir
	private Path directory;

	private Lineage lineage;

	private DataLossDetector node;

	@BeforeEach
	void open() {
		this.lineage = PurgeFixture.lineage(this.directory, OURS, 100);
		this.node = with(50, CoveredLosses.NOTHING);
	}

	private DataLossDetector with(long compared, CoveredLosses coveredLosses) {
		return new DataLossDetector(this.lineage, compared, coveredLosses);
	}

	private static LastKnownStatus of(UUID id, long sequence) {
		return new LastKnownStatus(id, Position.ofSequence(sequence), 0, false, 0);
	}

	private static LastKnownStatus purged(Position position, long compared, long purged) {
		return new LastKnownStatus(OURS, position, compared, false, purged);
	}

	@Test
	void aNodeThatNobodyHasSeenHasLostNothing() {
		assertThat(this.node.symptom("n2", LastKnownStatus.NONE)).isNull();
	}

	@Test
	void aNodeThatHoldsAllThatWasSeenHasLostNothing() {
		assertThat(this.node.symptom("n2", of(OURS, 100))).isNull();
		assertThat(this.node.symptom("n2", purged(this.lineage.position(), 0, 0))).isNull();
	}

	@Test
	void anotherDirectoryIsALoss() {
		assertThat(this.node.symptom("n2", of(BEFORE, 3))).contains("other data", BEFORE.toString());
	}

	/* Such is the memory of a peer from before there were generations. */
	@Test
	void anOlderDirectoryIsALoss() {
		assertThat(this.node.symptom("n2", of(OURS, 101))).contains("101", "100");
	}

	@Test
	void anOlderDirectoryThatHasGrownAgainIsALoss() {
		Position seen = this.lineage.position();
		assertThat(this.node.symptom("n2", purged(new Position(seen.generation(), seen.token() + 1, 3), 0, 0)))
			.contains("not of the history");
	}

	@Test
	void aCoveredLossIsNoLossAnyMore() {
		DataLossDetector rebuilt = with(50,
				CoveredLosses.NOTHING.with(BEFORE, new Position(4, 7, 3)).with(OURS, Position.ofSequence(120)));
		assertThat(rebuilt.symptom("n2", of(BEFORE, 3))).isNull();
		assertThat(rebuilt.symptom("n2", of(OURS, 120))).isNull();
		assertThat(rebuilt.symptom("n3", of(BEFORE, 4))).as("another peer had seen more").isNotNull();
		assertThat(rebuilt.symptom("n3", of(OURS, 121))).isNotNull();
		assertThat(rebuilt.symptom("n3", purged(new Position(9, 9, 3), 0, 0))).as("a generation is more than a number")
			.isNotNull();
	}

	/* declaredMerge: the others have purged without it. */
	@Test
	void aNodeThatWasDeclaredLostIsRebuilt() {
		assertThat(this.node.symptom("n2", new LastKnownStatus(OURS, Position.ofSequence(100), 50, true, 0)))
			.contains("declared it lost");
	}

	@Test
	void aNodeWithoutWhichWasPurgedIsRebuilt() {
		assertThat(this.node.symptom("n2", purged(Position.ofSequence(100), 0, 51))).contains("purged up to 33");
	}

	@Test
	void timeAloneIsNoReason() {
		assertThat(this.node.symptom("n2", purged(Position.ofSequence(100), 0, 50))).isNull();
		DataLossDetector rebuilt = with(0, CoveredLosses.NOTHING.upTo(60));
		assertThat(rebuilt.symptom("n2", purged(Position.ofSequence(100), 0, 60))).as("copied with its horizon")
			.isNull();
	}

	/* Else whoever is put back to before a comparison is told that it had been there. */
	@Test
	void aPeersWordForAComparisonCountsOnlyIfItHasComparedThisHistory() {
		assertThat(this.node.symptom("n2", purged(this.lineage.position(), 51, 51))).as("killed before it was noted")
			.isNull();
		assertThat(this.node.symptom("n2", purged(Position.ofSequence(90), 51, 51))).contains("purged up to 33");
	}

	/* It was killed, or put back, after it had reported that it remembers a later one. */
	@Test
	void aPeersOlderMemoryOfThisHistoryVouchesForItsComparison() {
		Position older = this.lineage.position("n2");
		for (int start = 0; start < 2; start++) {
			this.lineage = PurgeFixture.lineage(this.directory, OURS, 100);
			this.lineage.recalled("n2", this.lineage.position().generation());
			this.lineage.recalled("n3", this.lineage.position().generation());
		}
		this.node = with(50, CoveredLosses.NOTHING);
		assertThat(this.node.symptom("n2", purged(older, 60, 60))).isNull();
		assertThat(this.node.symptom("n2", purged(older, 60, 61))).contains("purged up to 3d");
	}

	@Test
	void aPurgeWithoutTheNodeIsNoLossOfItsData() {
		LastKnownStatus declared = new LastKnownStatus(OURS, this.lineage.position(), 0, true, 0);
		assertThat(this.node.hasLost("n2", declared)).isFalse();
		assertThat(this.node.hasLost("n2", new LastKnownStatus(new UUID(0, 0), Position.NONE, 0, true, 0))).isFalse();
		assertThat(this.node.hasLost("n2", purged(Position.ofSequence(100), 0, 51))).isFalse();
		assertThat(this.node.hasLost("n2", new LastKnownStatus(OURS, Position.ofSequence(101), 0, true, 0))).isTrue();
		assertThat(this.node.hasLost("n2", of(BEFORE, 3))).isTrue();
	}

}
