package io.quorate.storage.manifest;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LiveFilesTests {

	private final TableMeta first = TableMetas.table(1, 0, 1, "a", "m");

	private final TableMeta second = TableMetas.table(2, 0, 2, "c", "z");

	@Test
	void flushAddsItsTableAndMovesTheFirstLiveSegment() {
		LiveFiles live = LiveFiles.NONE.apply(VersionEdit.flush(List.of(this.first), 7, 0));
		assertThat(live.tables()).containsOnlyKeys(1L).containsValue(this.first);
		assertThat(live.log().first()).isEqualTo(7);
	}

	@Test
	void compactionReplacesItsInputs() {
		TableMeta merged = TableMetas.table(3, 1, 3, "a", "z");
		LiveFiles live = flushed().apply(VersionEdit.compaction(List.of(this.first, this.second), List.of(merged)));
		assertThat(live.tables()).containsOnlyKeys(3L);
		assertThat(live.log().first()).isEqualTo(8);
	}

	@Test
	void aTableMayChangeItsLevelInOneEdit() {
		TableMeta moved = TableMetas.table(1, 1, 1, "a", "m");
		assertThat(flushed().apply(VersionEdit.compaction(List.of(this.first), List.of(moved))).tables())
			.containsEntry(1L, moved);
	}

	@Test
	void valueFilesComeAndGo() {
		LiveFiles live = LiveFiles.NONE.apply(VersionEdit.valueFileBegun(4)).apply(VersionEdit.valueFileBegun(5));
		assertThat(live.valueFiles()).containsExactly(4L, 5L);
		assertThat(live.apply(VersionEdit.valueFilesRemoved(List.of(4L))).valueFiles()).containsExactly(5L);
	}

	@Test
	void anEditLeavesTheStateThatItIsAppliedToAlone() {
		LiveFiles before = flushed();
		before.apply(VersionEdit.compaction(List.of(this.first), List.of()));
		assertThat(before).isEqualTo(flushed());
	}

	@Test
	void aFileThatIsNotLiveCannotBeRemoved() {
		assertContradiction(VersionEdit.compaction(List.of(TableMetas.table(9, 0, 9, "a", "b")), List.of()),
				"table 9 is removed and not live");
		assertContradiction(VersionEdit.valueFilesRemoved(List.of(9L)), "value file 9 is removed and not live");
	}

	@Test
	void nothingIsAddedTwice() {
		assertContradiction(VersionEdit.flush(List.of(TableMetas.table(1, 0, 9, "a", "b")), 9, 0),
				"table 1 is added twice");
		assertContradiction(VersionEdit.of(new VersionEdit.ValueFileEdit(List.of(4L, 4L), List.of())),
				"value file 4 is added twice");
	}

	@Test
	void onlyWhatIsLiveIsSetAsideAndOnlyWhatIsAsideDiscarded() {
		assertContradiction(VersionEdit.setAside(List.of(TableMetas.table(9, 0, 9, "a", "b"))),
				"table 9 is set aside and not live");
		assertContradiction(VersionEdit.discarded(List.of(this.first)), "table 1 is discarded and not set aside");
	}

	@Test
	void theFirstLiveSegmentNeverGoesBack() {
		assertContradiction(VersionEdit.flush(List.of(), 7, 0), "first live segment goes back to 7");
	}

	@Test
	void segmentsFromTheFirstLiveOneToTheLastThatWasMadeHaveToBeThere() {
		assertThat(LiveFiles.NONE.log().missing(List.of())).isEmpty();
		LiveFiles live = LiveFiles.NONE;
		for (long number = 1; number <= 9; number++) {
			assertThat(live.log().lacks(number, false)).as("made, and not recorded yet").isFalse();
			assertThat(live.log().lacks(number, true)).isTrue();
			assertThat(live.log().lacks(number + 1, false)).isTrue();
			live = live.apply(VersionEdit.segmentMade(number));
			assertThat(live.log().lacks(number, true)).isFalse();
		}
		assertThat(live.log().missing(List.of(1L, 3L, 4L, 5L, 6L, 7L, 8L))).containsExactly(2L, 9L);
		LiveFiles flushed = live.apply(VersionEdit.flush(List.of(), 8, 0));
		assertThat(flushed.log().missing(List.of(8L))).containsExactly(9L);
		assertThat(flushed.apply(VersionEdit.flush(List.of(), 10, 0)).log().missing(List.of())).isEmpty();
		assertThatIllegalStateException().isThrownBy(() -> flushed.apply(VersionEdit.segmentMade(9)))
			.withMessage("last segment goes back to 9");
	}

	@Test
	void forcedLengthsGrowAndGoWithTheirSegments() {
		LiveFiles live = flushed().apply(VersionEdit.segmentsForced(Map.of(8L, 100L, 9L, 50L)))
			.apply(VersionEdit.segmentsForced(Map.of(8L, 70L, 7L, 1L)));
		assertThat(live.log().forcedLengths()).isEqualTo(Map.of(8L, 100L, 9L, 50L));
		assertThat(live.apply(VersionEdit.flush(List.of(), 9, 0)).log().forcedLengths()).isEqualTo(Map.of(9L, 50L));
	}

	@Test
	void whereNothingIsKnownOfSegmentsNoneIsMissed() {
		LiveFiles before = flushed();
		LiveFiles unknown = new LiveFiles(before.tables(), before.aside(), before.quarantined(), before.valueFiles(),
				before.log().unknown(), before.highestSequence());
		assertThat(unknown.log().missing(List.of())).isEmpty();
		assertThat(unknown.log().lacks(99, true)).isFalse();
		assertThat(LiveFiles.NONE.apply(unknown.asEdit())).isEqualTo(unknown);
		LiveFiles known = unknown.apply(VersionEdit.segmentMade(8));
		assertThat(known.log().missing(List.of())).containsExactly(8L);
		assertThat(LiveFiles.NONE.apply(known.asEdit())).isEqualTo(known);
	}

	@Test
	void tablesOfARunShareALevelAndNoKey() {
		assertContradiction(VersionEdit.flush(List.of(TableMetas.table(3, 0, 2, "z", "zz")), 9, 0),
				"table 3 overlaps another of its run");
		assertContradiction(VersionEdit.flush(List.of(TableMetas.table(3, 1, 2, "zz", "zzz")), 9, 0),
				"table 3 has another level than its run");
	}

	private void assertContradiction(VersionEdit edit, String message) {
		assertThatIllegalStateException().isThrownBy(() -> flushed().apply(edit)).withMessage(message);
	}

	private LiveFiles flushed() {
		return LiveFiles.NONE.apply(VersionEdit.flush(List.of(this.first, this.second), 8, 0));
	}

}
