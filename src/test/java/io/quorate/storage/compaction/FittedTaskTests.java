package io.quorate.storage.compaction;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.quorate.storage.compaction.CompactionTask.Reason;
import io.quorate.storage.manifest.TableMeta;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FittedTaskTests {

	private static final long KIB = 1024;

	/* 400 KiB, tables of 100, 50 and 10 */
	private final CompactionTask task = task("1 level=2 size=300 tables=3", "2 level=1 size=50",
			"3 level=1 size=40 tables=4", "4 level=0 size=10");

	@Test
	void withRoomForAllInputsItIsDoneAsAWhole() {
		assertThat(fit(400)).contains(new FittedTask(this.task, false, 400 * KIB));
	}

	@Test
	void withLessItIsDoneInPiecesBesideOneTableOfEachRun() {
		assertThat(fit(399)).contains(new FittedTask(this.task, true, 270 * KIB));
		assertThat(fit(100 + 100 + 50 + 10 + 10)).contains(new FittedTask(this.task, true, 270 * KIB));
	}

	@Test
	void withStillLessOnlyTheRunsWithTheSmallestTablesAreMerged() {
		Optional<FittedTask> some = fit(269);
		assertThat(some).hasValueSatisfying((fittedTask) -> {
			assertThat(fittedTask.inPieces()).isTrue();
			assertThat(fittedTask.task().inputs()).extracting(TableMeta::run).containsOnly(2L, 3L, 4L);
			assertThat(fittedTask.task().outputLevel()).isEqualTo(1);
			assertThat(fittedTask.neededBytes()).isEqualTo((100 + 50 + 10 + 10) * KIB);
		});
		assertThat(fit(120)).hasValueSatisfying(
				(fittedTask) -> assertThat(fittedTask.task().inputs()).extracting(TableMeta::run).containsOnly(3L, 4L));
	}

	@Test
	void oneOfSeveralRunsIsNotRewrittenForItself() {
		assertThat(fit(119)).isEmpty();
		assertThat(fit(0)).isEmpty();
		assertThat(fit(-5)).isEmpty();
	}

	@Test
	void aRunThatIsDueByItselfIsRewrittenInPieces() {
		CompactionTask alone = task("1 level=2 size=300 tables=3");
		assertThat(FittedTask.of(alone, alone.inputBytes(), 200 * KIB, 100 * KIB))
			.contains(new FittedTask(alone, true, 200 * KIB));
		assertThat(FittedTask.of(alone, alone.inputBytes(), 199 * KIB, 100 * KIB)).isEmpty();
	}

	private Optional<FittedTask> fit(long roomKibibytes) {
		return FittedTask.of(this.task, this.task.inputBytes(), roomKibibytes * KIB, 100 * KIB);
	}

	private static CompactionTask task(String... runs) {
		List<TableMeta> inputs = new ArrayList<>();
		for (String run : runs) {
			inputs.addAll(RunFixture.parse(run));
		}
		return new CompactionTask(inputs, 2, Reason.SPACE);
	}

}
