package io.quorate.storage.manifest;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/**
 * Which files make up the store at one moment. Immutable; numbers in ascending order.
 *
 * @param tables tables that are read, by number
 * @param firstLiveSegment number of the first log segment that has to be replayed
 * @param valueFiles numbers of the value files that may be referred to
 */
public record LiveFiles(Map<Long, TableMeta> tables, long firstLiveSegment, Set<Long> valueFiles) {

	/** A store that has nothing yet. */
	public static final LiveFiles NONE = new LiveFiles(Map.of(), 0, Set.of());

	public LiveFiles {
		tables = Collections.unmodifiableMap(new TreeMap<>(tables));
		valueFiles = Collections.unmodifiableSet(new TreeSet<>(valueFiles));
	}

	/**
	 * The files after an edit.
	 * @throws IllegalStateException when the edit contradicts what is live
	 */
	public LiveFiles apply(VersionEdit edit) {
		Map<Long, TableMeta> newTables = new TreeMap<>(this.tables);
		for (Long number : edit.removed()) {
			require(newTables.remove(number) != null, "table %d is removed and not live", number);
		}
		for (TableMeta table : edit.added()) {
			requireOwnRange(table, newTables.values());
			require(newTables.put(table.number(), table) == null, "table %d is added twice", table.number());
		}
		return new LiveFiles(newTables, segmentAfter(edit.firstLiveSegment()), valueFilesAfter(edit));
	}

	/** The one edit that leads here from {@link #NONE}. */
	VersionEdit asEdit() {
		return new VersionEdit(this.tables.values().stream().toList(), Collections.emptyList(), this.firstLiveSegment,
				this.valueFiles.stream().toList(), Collections.emptyList());
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
