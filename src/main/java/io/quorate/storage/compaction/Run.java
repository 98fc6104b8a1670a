package io.quorate.storage.compaction;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.quorate.clock.Timestamp;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.sstable.TableSummary;

/**
 * The tables of one sorted run.
 *
 * @param number number of the run
 * @param level level of all its tables
 * @param tables its tables by number
 * @param busy whether a task under way reads one of them, or the run cannot be read
 * @param quarantined whether it is a single table that cannot be read
 */
record Run(long number, int level, List<TableMeta> tables, boolean busy, boolean quarantined) {

	/*
	 * A table records the number of its entries that expire and the first expiry, not the
	 * number of expired ones. With one time to live for all entries, expiries are spread
	 * as timestamps are. So the expired share is taken to be the part of that spread
	 * which the time since the first expiry covers. A rewrite moves the first expiry
	 * behind the present, so that a wrong guess cannot make the same run due again before
	 * a part of its spread has passed: hence a least spread.
	 */
	private static final long LEAST_SPREAD_MILLIS = 60_000;

	/**
	 * The runs of a state, by number. A table in quarantine counts as a run of its own,
	 * which is merged with no other run; the entries that it deletes or hides are
	 * unknown.
	 */
	static List<Run> of(CompactionState state) {
		Set<Long> unreadable = state.quarantined();
		List<Run> runs = new ArrayList<>(
				of(state.tables().stream().filter((table) -> !unreadable.contains(table.number())).toList(),
						state.busy()));
		state.tables()
			.stream()
			.filter((table) -> unreadable.contains(table.number()))
			.sorted(Comparator.comparingLong(TableMeta::number))
			// The other tables of its run keep the number of the run.
			.forEach((table) -> runs.add(new Run(-table.number(), table.level(), List.of(table), true, true)));
		return runs;
	}

	/** The runs of these tables, by number. */
	static List<Run> of(Collection<TableMeta> tables, Set<Long> busyTables) {
		Map<Long, List<TableMeta>> byRun = new TreeMap<>();
		tables.stream()
			.sorted(Comparator.comparingLong(TableMeta::number))
			.forEach((table) -> byRun.computeIfAbsent(table.run(), (_) -> new ArrayList<>()).add(table));
		return byRun.entrySet()
			.stream()
			.map((run) -> new Run(run.getKey(), run.getValue().getFirst().level(), List.copyOf(run.getValue()),
					run.getValue().stream().anyMatch((table) -> busyTables.contains(table.number())), false))
			.toList();
	}

	long sizeBytes() {
		return this.tables.stream().mapToLong((table) -> table.summary().sizeBytes()).sum();
	}

	/** Size of its tables and of the large values that they refer to. */
	long weightBytes() {
		return sizeBytes() + this.tables.stream()
			.flatMap((table) -> table.summary().valueBytes().values().stream())
			.mapToLong(Long::longValue)
			.sum();
	}

	long entries() {
		return this.tables.stream().mapToLong((table) -> table.summary().counts().entries()).sum();
	}

	/** Approximate number of entries that are tombstones or have expired. */
	double deadEntries(long expiredBeforeMillis) {
		return this.tables.stream()
			.mapToDouble(
					(table) -> table.summary().counts().tombstones() + expired(table.summary(), expiredBeforeMillis))
			.sum();
	}

	Timestamp oldest() {
		return this.tables.stream()
			.map((table) -> table.summary().times().oldest())
			.min(Comparator.naturalOrder())
			.orElseThrow();
	}

	Timestamp newest() {
		return this.tables.stream()
			.map((table) -> table.summary().times().newest())
			.max(Comparator.naturalOrder())
			.orElseThrow();
	}

	long highestSequence() {
		return this.tables.stream().mapToLong((table) -> table.summary().highestSequence()).max().orElseThrow();
	}

	boolean hasAnyOf(Set<Long> numbers) {
		return this.tables.stream().map(TableMeta::number).anyMatch(numbers::contains);
	}

	/** The first of its tables that has one of these numbers. */
	TableMeta firstOf(Set<Long> numbers) {
		return this.tables.stream().filter((table) -> numbers.contains(table.number())).findFirst().orElseThrow();
	}

	boolean refersToAny(Set<Long> valueFiles) {
		return this.tables.stream()
			.flatMap((table) -> table.summary().valueBytes().keySet().stream())
			.anyMatch(valueFiles::contains);
	}

	private static double expired(TableSummary summary, long expiredBeforeMillis) {
		if (summary.counts().expiring() == 0 || summary.times().earliestExpiryMillis() >= expiredBeforeMillis) {
			return 0;
		}
		long spread = Math.max(LEAST_SPREAD_MILLIS,
				summary.times().newest().millis() - summary.times().oldest().millis());
		double share = (double) (expiredBeforeMillis - summary.times().earliestExpiryMillis()) / spread;
		return summary.counts().expiring() * Math.min(1, share);
	}

}
