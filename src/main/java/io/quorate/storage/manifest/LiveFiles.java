package io.quorate.storage.manifest;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The files that make up the store at one moment. Immutable; numbers in ascending order.
 *
 * @param tables tables that are read, by number
 * @param firstLiveSegment number of the first log segment that has to be replayed
 * @param valueFiles numbers of the value files that may be referred to
 * @param aside tables that were set aside, by number: kept, and not read as the store's
 * @param highestSequence the latest known arrival
 * @param quarantined by number of a table that is read and damaged, the offset in its
 * file at which the damage was noticed
 * @param lastSegment number of the last log segment that was made, as all from the first
 * live one on were; 0 before the first, {@link #UNKNOWN} when nothing is known of them
 * @param forcedLengths by number of a live log segment, the length that is on the disk at
 * least, as far as that is known
 */
public record LiveFiles(Map<Long, TableMeta> tables, long firstLiveSegment, Set<Long> valueFiles,
		Map<Long, TableMeta> aside, long highestSequence, Map<Long, Long> quarantined, long lastSegment,
		Map<Long, Long> forcedLengths) {

	/** The last segment of a snapshot, which has no log. */
	public static final long UNKNOWN = -1;

	/** The files of an empty store. */
	public static final LiveFiles NONE = new LiveFiles(Map.of(), 0, Set.of(), Map.of(), 0, Map.of(), 0, Map.of());

	public LiveFiles {
		tables = Collections.unmodifiableMap(new TreeMap<>(tables));
		valueFiles = Collections.unmodifiableSet(new TreeSet<>(valueFiles));
		aside = Collections.unmodifiableMap(new TreeMap<>(aside));
		quarantined = Collections.unmodifiableMap(new TreeMap<>(quarantined));
		forcedLengths = Collections.unmodifiableMap(new TreeMap<>(forcedLengths));
	}

	/**
	 * The files after an edit.
	 * @throws IllegalStateException when the edit contradicts the live files
	 */
	public LiveFiles apply(VersionEdit edit) {
		Map<Long, TableMeta> newTables = new TreeMap<>(this.tables);
		for (Long number : edit.removed()) {
			require(newTables.remove(number) != null, "table %d is removed and not live", number);
		}
		for (TableMeta table : edit.added()) {
			requireOwnRange(table, newTables.values());
			require(newTables.put(table.number(), table) == null && !this.aside.containsKey(table.number()),
					"table %d is added twice", table.number());
		}
		Map<Long, TableMeta> newAside = asideAfter(edit, newTables);
		long first = segmentAfter(edit.firstLiveSegment());
		return new LiveFiles(newTables, first, valueFilesAfter(edit), newAside, sequenceAfter(edit),
				quarantinedAfter(edit, newTables), lastSegmentAfter(edit.lastSegment()),
				forcedLengthsAfter(edit.forcedLengths(), first));
	}

	private long lastSegmentAfter(@Nullable Long segment) {
		if (segment == null) {
			return this.lastSegment;
		}
		require((segment == UNKNOWN) ? this.lastSegment == 0 : segment > this.lastSegment,
				"last segment goes back to %d", segment);
		return segment;
	}

	private Map<Long, Long> forcedLengthsAfter(Map<Long, Long> lengths, long first) {
		Map<Long, Long> after = new TreeMap<>(this.forcedLengths);
		lengths.forEach((number, length) -> after.merge(number, length, Math::max));
		after.keySet().removeIf((number) -> number < first);
		return after;
	}

	/**
	 * The log segments that have to exist and are missing.
	 * @param found numbers of those that exist
	 */
	public List<Long> missingSegments(Collection<Long> found) {
		Set<Long> there = new TreeSet<>(found);
		return LongStream.rangeClosed(Math.max(1, this.firstLiveSegment), this.lastSegment)
			.filter((number) -> !there.contains(number))
			.boxed()
			.toList();
	}

	/**
	 * Whether a log segment proves that an edit is missing: an edit records each segment
	 * when it is made, before it is written and before the next is made.
	 * @param used whether it was written
	 */
	public boolean lacksSegment(long number, boolean used) {
		return this.lastSegment != UNKNOWN && number > this.lastSegment + (used ? 0 : 1);
	}

	/** Moves set-aside tables out of {@code newTables}. */
	private Map<Long, TableMeta> asideAfter(VersionEdit edit, Map<Long, TableMeta> newTables) {
		Map<Long, TableMeta> newAside = new TreeMap<>(this.aside);
		for (Long number : edit.setAside()) {
			TableMeta table = newTables.remove(number);
			if (table == null) {
				throw new IllegalStateException("table %d is set aside and not live".formatted(number));
			}
			newAside.put(number, table);
		}
		for (Long number : edit.discarded()) {
			require(newAside.remove(number) != null, "table %d is discarded and not set aside", number);
		}
		return newAside;
	}

	/** A table that is not read any more leaves the quarantine. */
	private Map<Long, Long> quarantinedAfter(VersionEdit edit, Map<Long, TableMeta> newTables) {
		Map<Long, Long> after = new TreeMap<>(this.quarantined);
		edit.quarantined().forEach((number, offset) -> {
			require(newTables.containsKey(number), "table %d is quarantined and not live", number);
			after.put(number, offset);
		});
		after.keySet().retainAll(newTables.keySet());
		return after;
	}

	private long sequenceAfter(VersionEdit edit) {
		long highest = Math.max(this.highestSequence, edit.highestSequence());
		for (TableMeta table : edit.added()) {
			highest = Math.max(highest, table.summary().highestSequence());
		}
		return highest;
	}

	/** The one edit that leads here from {@link #NONE}. */
	VersionEdit asEdit() {
		List<TableMeta> all = Stream.concat(this.tables.values().stream(), this.aside.values().stream()).toList();
		return new VersionEdit(all, List.of(), this.firstLiveSegment, List.copyOf(this.valueFiles), List.of(),
				this.highestSequence, List.copyOf(this.aside.keySet()), List.of(), this.quarantined,
				(this.lastSegment != 0) ? this.lastSegment : null, this.forcedLengths);
	}

	private long segmentAfter(@Nullable Long segment) {
		if (segment == null) {
			return this.firstLiveSegment;
		}
		require(segment >= this.firstLiveSegment, "first live segment goes back to %d", segment);
		return segment;
	}

	private Set<Long> valueFilesAfter(VersionEdit edit) {
		Set<Long> files = new TreeSet<>(this.valueFiles);
		for (Long number : edit.removedValueFiles()) {
			require(files.remove(number), "value file %d is removed and not live", number);
		}
		for (Long number : edit.addedValueFiles()) {
			require(files.add(number), "value file %d is added twice", number);
		}
		return files;
	}

	private static void requireOwnRange(TableMeta table, Collection<TableMeta> others) {
		for (TableMeta other : others) {
			if (other.run() == table.run()) {
				require(other.level() == table.level(), "table %d has another level than its run", table.number());
				require(!other.summary().overlaps(table.summary()), "table %d overlaps another of its run",
						table.number());
			}
		}
	}

	private static void require(boolean condition, String otherwise, long number) {
		if (!condition) {
			throw new IllegalStateException(otherwise.formatted(number));
		}
	}

}
