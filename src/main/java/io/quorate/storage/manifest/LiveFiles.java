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

import io.quorate.storage.manifest.VersionEdit.LogEdit;
import io.quorate.storage.manifest.VersionEdit.TableEdit;
import io.quorate.storage.manifest.VersionEdit.ValueFileEdit;
import org.jspecify.annotations.Nullable;

/**
 * The files that make up the store at one moment. Immutable; numbers in ascending order.
 *
 * @param tables tables that are read, by number
 * @param aside tables that were set aside, by number: kept, and not read as the store's
 * @param quarantined by number of a table that is read and damaged, the offset in its
 * file at which the damage was noticed
 * @param valueFiles numbers of the value files that may be referred to
 * @param log the segments of the log
 * @param highestSequence the latest known arrival
 */
public record LiveFiles(Map<Long, TableMeta> tables, Map<Long, TableMeta> aside, Map<Long, Long> quarantined,
		Set<Long> valueFiles, Segments log, long highestSequence) {

	/** The files of an empty store. */
	public static final LiveFiles NONE = new LiveFiles(Map.of(), Map.of(), Map.of(), Set.of(),
			new Segments(0, 0, Map.of()), 0);

	public LiveFiles {
		tables = Collections.unmodifiableMap(new TreeMap<>(tables));
		aside = Collections.unmodifiableMap(new TreeMap<>(aside));
		quarantined = Collections.unmodifiableMap(new TreeMap<>(quarantined));
		valueFiles = Collections.unmodifiableSet(new TreeSet<>(valueFiles));
	}

	/**
	 * The files after an edit.
	 * @throws IllegalStateException when the edit contradicts the live files
	 */
	public LiveFiles apply(VersionEdit edit) {
		Map<Long, TableMeta> newTables = new TreeMap<>(this.tables);
		for (Long number : edit.tables().removed()) {
			require(newTables.remove(number) != null, "table %d is removed and not live", number);
		}
		for (TableMeta table : edit.tables().added()) {
			requireOwnRange(table, newTables.values());
			require(newTables.put(table.number(), table) == null && !this.aside.containsKey(table.number()),
					"table %d is added twice", table.number());
		}
		Map<Long, TableMeta> newAside = asideAfter(edit, newTables);
		return new LiveFiles(newTables, newAside, quarantinedAfter(edit, newTables), valueFilesAfter(edit),
				this.log.after(edit.log()), sequenceAfter(edit));
	}

	/** Moves set-aside tables out of {@code newTables}. */
	private Map<Long, TableMeta> asideAfter(VersionEdit edit, Map<Long, TableMeta> newTables) {
		Map<Long, TableMeta> newAside = new TreeMap<>(this.aside);
		for (Long number : edit.tables().setAside()) {
			TableMeta table = newTables.remove(number);
			if (table == null) {
				throw new IllegalStateException("table %d is set aside and not live".formatted(number));
			}
			newAside.put(number, table);
		}
		for (Long number : edit.tables().discarded()) {
			require(newAside.remove(number) != null, "table %d is discarded and not set aside", number);
		}
		return newAside;
	}

	/** A table that is not read any more leaves the quarantine. */
	private Map<Long, Long> quarantinedAfter(VersionEdit edit, Map<Long, TableMeta> newTables) {
		Map<Long, Long> after = new TreeMap<>(this.quarantined);
		edit.tables().quarantined().forEach((number, offset) -> {
			require(newTables.containsKey(number), "table %d is quarantined and not live", number);
			after.put(number, offset);
		});
		after.keySet().retainAll(newTables.keySet());
		return after;
	}

	private long sequenceAfter(VersionEdit edit) {
		long highest = Math.max(this.highestSequence, edit.highestSequence());
		for (TableMeta table : edit.tables().added()) {
			highest = Math.max(highest, table.summary().highestSequence());
		}
		return highest;
	}

	/** The one edit that leads here from {@link #NONE}. */
	VersionEdit asEdit() {
		List<TableMeta> all = Stream.concat(this.tables.values().stream(), this.aside.values().stream()).toList();
		return new VersionEdit(
				new TableEdit(all, List.of(), List.copyOf(this.aside.keySet()), List.of(), this.quarantined),
				new ValueFileEdit(List.copyOf(this.valueFiles), List.of()), this.log.asEdit(), this.highestSequence);
	}

	private Set<Long> valueFilesAfter(VersionEdit edit) {
		Set<Long> files = new TreeSet<>(this.valueFiles);
		for (Long number : edit.values().removed()) {
			require(files.remove(number), "value file %d is removed and not live", number);
		}
		for (Long number : edit.values().added()) {
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

	/**
	 * The segments of the log.
	 *
	 * @param first number of the first that has to be replayed
	 * @param last number of the last that was made, as all from the first live one on
	 * were; 0 before the first, {@link #UNKNOWN} when nothing is known of them
	 * @param forcedLengths by number of a live segment, the length that is on the disk at
	 * least, as far as that is known
	 */
	public record Segments(long first, long last, Map<Long, Long> forcedLengths) {

		private static final long UNKNOWN = -1;

		public Segments {
			forcedLengths = Collections.unmodifiableMap(new TreeMap<>(forcedLengths));
		}

		/**
		 * The same segments where nothing is known of them, as in a snapshot without a
		 * log.
		 */
		public Segments unknown() {
			return new Segments(this.first, UNKNOWN, Map.of());
		}

		/**
		 * The numbers of the segments that have to exist and are missing.
		 * @param found numbers of those that exist
		 */
		public List<Long> missing(Collection<Long> found) {
			Set<Long> there = new TreeSet<>(found);
			return LongStream.rangeClosed(Math.max(1, this.first), this.last)
				.filter((number) -> !there.contains(number))
				.boxed()
				.toList();
		}

		/**
		 * Whether a segment proves that an edit is missing: an edit records each segment
		 * when it is made, before it is written and before the next is made.
		 * @param used whether it was written
		 */
		public boolean lacks(long number, boolean used) {
			return this.last != UNKNOWN && number > this.last + (used ? 0 : 1);
		}

		private Segments after(LogEdit edit) {
			long newFirst = firstAfter(edit.first());
			Map<Long, Long> lengths = new TreeMap<>(this.forcedLengths);
			edit.forcedLengths().forEach((number, length) -> lengths.merge(number, length, Math::max));
			lengths.keySet().removeIf((number) -> number < newFirst);
			return new Segments(newFirst, lastAfter(edit.last()), lengths);
		}

		private long firstAfter(@Nullable Long segment) {
			if (segment == null) {
				return this.first;
			}
			require(segment >= this.first, "first live segment goes back to %d", segment);
			return segment;
		}

		private long lastAfter(@Nullable Long segment) {
			if (segment == null) {
				return this.last;
			}
			require((segment == UNKNOWN) ? this.last == 0 : segment > this.last, "last segment goes back to %d",
					segment);
			return segment;
		}

		private LogEdit asEdit() {
			return new LogEdit(this.first, (this.last != 0) ? this.last : null, this.forcedLengths);
		}

	}

}
