package io.quorate.storage.compaction;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.quorate.clock.Timestamp;
import io.quorate.storage.compaction.CompactionTask.Reason;
import io.quorate.storage.manifest.TableMeta;

/**
 * Chooses the next compaction task: a pure function, safe for any number of threads.
 * <p>
 * Tables are grouped into sorted runs. The largest run is the last one and holds most of
 * the data; the other runs hold the later writes. Entries are merged by timestamp, so any
 * set of runs may be merged, whatever their age. The choice, in this order:
 * <ol>
 * <li>{@code LEVEL} at level 0: as soon as four flushes wait there, they become one run
 * of level 1, so that level 0 never backs up;</li>
 * <li>{@code SPACE}: when the other runs, and the entries that their tombstones delete,
 * come to more than half of the last run, all are merged into a new last run;</li>
 * <li>{@code LEVEL} above, the lowest first: four runs of a level become one of the
 * next;</li>
 * <li>{@code PURGE}: when more than a third of the last run is deleted or expired and may
 * go, it is rewritten, together with the runs that reach back into its time;</li>
 * <li>{@code VALUES}: the smallest run that refers to a value file due for collection is
 * rewritten;</li>
 * <li>{@code CLEANUP}: of the smallest run with tables that may have entries below the
 * floors of their partitions, one such table is rewritten, and stays in its run. Nothing
 * waits for it, so it is no debt.</li>
 * </ol>
 * Runs that a running task reads are left alone, so several tasks can run. A table in
 * quarantine is left out of its run, and of every merge; the entries that it may hold
 * keep the dead entries of other tables from being purged. Applying tasks until none is
 * due terminates.
 * <p>
 * Write amplification: each byte is written once by its flush, once for each level that
 * it climbs, at most log4(last / 2 flushes) times, and at most 3 times for merges with
 * the last run (which bring in half of its size at a cost of 1.5 times its size). Below 8
 * up to a thousand flushes, and one more for each fourfold of that.
 * <p>
 * Space amplification: at rest at most twice the live data, as far as purging is
 * permitted and if deleted entries are as large as live ones; during a merge with the
 * last run its output comes on top. Read amplification: at most 3 runs for each level and
 * the last one.
 */
public final class CompactionPicker {

	private final CompactionLimits limits;

	/** A picker with these limits. */
	public CompactionPicker(CompactionLimits limits) {
		this.limits = limits;
	}

	/** The task that should be begun next, if any is due. */
	public Optional<CompactionTask> pick(CompactionState state) {
		return pickDebt(state).or(() -> pickCleanup(state));
	}

	private Optional<CompactionTask> pickDebt(CompactionState state) {
		List<Run> runs = Run.of(state);
		if (runs.isEmpty()) {
			return Optional.empty();
		}
		Run last = lastOf(runs);
		return pickLevel(runs, last, 0).or(() -> pickSpace(runs, last, state))
			.or(() -> pickLevel(runs, last, Integer.MAX_VALUE))
			.or(() -> pickPurge(runs, last, state))
			.or(() -> pickValues(runs, state));
	}

	/**
	 * Bytes that would be read if all tasks that are due were begun, each with those
	 * before it under way. The cleanup does not count: writes need not wait for it.
	 */
	public long debtBytes(CompactionState state) {
		long debtBytes = 0;
		CompactionState rest = state;
		Optional<CompactionTask> due = pickDebt(rest);
		while (due.isPresent()) {
			debtBytes += due.get().inputBytes();
			rest = rest.during(due.get());
			due = pickDebt(rest);
		}
		return debtBytes;
	}

	/**
	 * The merge of level 0, if it is due: for a thread that never takes anything else, so
	 * that level 0 does not back up during a long merge. Its inputs are as small as
	 * flushes are.
	 */
	public Optional<CompactionTask> pickLevelZero(CompactionState state) {
		List<Run> runs = Run.of(state);
		return runs.isEmpty() ? Optional.empty() : pickLevel(runs, lastOf(runs), 0);
	}

	private Optional<CompactionTask> pickLevel(List<Run> runs, Run last, int highest) {
		Map<Integer, List<Run>> byLevel = runs.stream()
			.filter((run) -> !run.busy() && run.number() != last.number() && run.level() <= highest)
			.collect(Collectors.groupingBy(Run::level, TreeMap::new, Collectors.toUnmodifiableList()));
		return byLevel.values()
			.stream()
			.filter((level) -> level.size() >= this.limits.runsPerLevel())
			.findFirst()
			.map((level) -> level.subList(0, Math.min(level.size(), this.limits.maxInputRuns())))
			.map((level) -> task(level, level.getFirst().level() + 1, Reason.LEVEL));
	}

	private Optional<CompactionTask> pickSpace(List<Run> runs, Run last, CompactionState state) {
		List<Run> others = runs.stream().filter((run) -> !run.busy() && run.number() != last.number()).toList();
		if (last.busy() || others.isEmpty()) {
			return Optional.empty();
		}
		double entryBytes = (double) last.weightBytes() / last.entries();
		double surplus = others.stream()
			.mapToDouble((run) -> run.weightBytes() + entryBytes * run.deadEntries(state.purge().expiredBeforeMillis()))
			.sum();
		if (isPurgeable(runs, last, state)) {
			surplus += entryBytes * last.deadEntries(state.purge().expiredBeforeMillis());
		}
		if (surplus <= this.limits.spaceRatio() * last.weightBytes()) {
			return Optional.empty();
		}
		List<Run> inputs = runs.stream().filter((run) -> !run.busy()).toList();
		return Optional.of(task(inputs, highestLevel(inputs), Reason.SPACE));
	}

	private Optional<CompactionTask> pickPurge(List<Run> runs, Run last, CompactionState state) {
		double dead = last.deadEntries(state.purge().expiredBeforeMillis());
		if (last.busy() || dead <= this.limits.deadRatio() * last.entries() || !isPurgeable(runs, last, state)) {
			return Optional.empty();
		}
		List<Run> inputs = runs.stream()
			.filter((run) -> run.number() == last.number() || reachesInto(run, last))
			.toList();
		return Optional.of(task(inputs, highestLevel(inputs), Reason.PURGE));
	}

	private Optional<CompactionTask> pickValues(List<Run> runs, CompactionState state) {
		return runs.stream()
			.filter((run) -> !run.busy() && run.refersToAny(state.dueValueFiles()))
			.min(Comparator.comparingLong(Run::sizeBytes).thenComparingLong(Run::number))
			.map((run) -> task(List.of(run), highestLevel(List.of(run)), Reason.VALUES));
	}

	private static Optional<CompactionTask> pickCleanup(CompactionState state) {
		if (state.unclean().isEmpty()) {
			return Optional.empty();
		}
		return Run.of(state)
			.stream()
			.filter((run) -> !run.busy() && run.hasAnyOf(state.unclean()))
			.min(Comparator.comparingLong(Run::sizeBytes).thenComparingLong(Run::number))
			.map((run) -> new CompactionTask(List.of(run.firstOf(state.unclean())), highestLevel(List.of(run)),
					Reason.CLEANUP));
	}

	/**
	 * Whether a merge with all free runs is sure to drop the dead entries of the last
	 * run.
	 */
	private static boolean isPurgeable(List<Run> runs, Run last, CompactionState state) {
		return last.newest().compareTo(state.purge().before()) < 0 && last.highestSequence() <= state.purge().through()
				&& runs.stream().noneMatch((run) -> run.busy() && reachesInto(run, last));
	}

	private static boolean reachesInto(Run run, Run last) {
		Timestamp newest = last.newest();
		return run.number() != last.number() && run.oldest().compareTo(newest) <= 0;
	}

	private static Run lastOf(List<Run> runs) {
		Comparator<Run> bySize = Comparator.comparingLong(Run::weightBytes)
			.thenComparing(Run::number, Comparator.reverseOrder());
		return runs.stream()
			.max(Comparator.comparing((Run run) -> !run.quarantined()).thenComparing(bySize))
			.orElseThrow();
	}

	private static int highestLevel(List<Run> runs) {
		return Math.max(1, runs.stream().mapToInt(Run::level).max().orElseThrow());
	}

	private static CompactionTask task(List<Run> runs, int outputLevel, Reason reason) {
		List<TableMeta> inputs = runs.stream().flatMap((run) -> run.tables().stream()).toList();
		return new CompactionTask(inputs, outputLevel, reason);
	}

}
