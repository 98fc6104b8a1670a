package io.quorate.storage.compaction;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.quorate.storage.manifest.TableMeta;

/**
 * A task fitted to the free space of the disk. It is done as a whole, whose output lies
 * beside all inputs for a while; or in pieces, each of which replaces the inputs before
 * it, so that hardly more space is needed than for one table of each run; or with some of
 * its runs only, the smallest. A pure function.
 *
 * @param task the task as far as it fits
 * @param inPieces whether each table that is written is to be made live at once
 * @param neededBytes greatest number of bytes that it takes on the disk besides its
 * inputs
 */
public record FittedTask(CompactionTask task, boolean inPieces, long neededBytes) {

	/**
	 * The part of a task that fits, if any.
	 * @param outputBytes greatest size of its output
	 * @param roomBytes number of bytes that it may write besides its inputs
	 * @param tableBytes size at which the next table of the output is begun
	 */
	public static Optional<FittedTask> of(CompactionTask task, long outputBytes, long roomBytes, long tableBytes) {
		if (outputBytes <= roomBytes) {
			return Optional.of(new FittedTask(task, false, outputBytes));
		}
		List<Run> runs = Run.of(task.inputs(), Set.of())
			.stream()
			.sorted(Comparator.comparingLong(FittedTask::largestTable).thenComparingLong(Run::number))
			.toList();
		List<Run> fitting = new ArrayList<>();
		long pieceBytes = tableBytes;
		for (Run run : runs) {
			long withRunBytes = pieceBytes + largestTable(run);
			if (withRunBytes > roomBytes) {
				break;
			}
			pieceBytes = withRunBytes;
			fitting.add(run);
		}
		if (fitting.size() == runs.size()) {
			return Optional.of(new FittedTask(task, true, pieceBytes));
		}
		// A rewrite of one run of several would free nothing, and be repeated for ever.
		return (fitting.size() < 2) ? Optional.empty()
				: Optional.of(new FittedTask(part(task, fitting), true, pieceBytes));
	}

	private static CompactionTask part(CompactionTask task, List<Run> runs) {
		List<TableMeta> inputs = runs.stream()
			.sorted(Comparator.comparingLong(Run::number))
			.flatMap((run) -> run.tables().stream())
			.toList();
		int level = Math.max(1, runs.stream().mapToInt(Run::level).max().orElseThrow());
		return new CompactionTask(inputs, level, task.reason());
	}

	private static long largestTable(Run run) {
		return run.tables().stream().mapToLong((table) -> table.summary().sizeBytes()).max().orElse(0);
	}

}
