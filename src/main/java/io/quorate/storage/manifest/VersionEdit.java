package io.quorate.storage.manifest;

import java.util.Collection;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * One step from a set of live files to the next, taken as a whole or not at all. Removals
 * are applied before additions, so that a table may change its level.
 *
 * @param highestSequence sequence number up to which all count as given to arrivals,
 * whatever has become of these; 0 when that is not known
 */
public record VersionEdit(TableEdit tables, ValueFileEdit values, LogEdit log, long highestSequence) {

	/**
	 * A memtable became tables, and the segments below {@code firstLiveSegment} are not
	 * needed any more.
	 * @param added the new tables; none when no entry of the memtable was worth keeping
	 * @param highestSequence the latest arrival in these segments, superseded ones
	 * included
	 */
	public static VersionEdit flush(List<TableMeta> added, long firstLiveSegment, long highestSequence) {
		return new VersionEdit(TableEdit.replaced(List.of(), added), ValueFileEdit.NONE,
				new LogEdit(firstLiveSegment, null, Map.of()), highestSequence);
	}

	/**
	 * The file of a log segment exists, as those of all live ones before it do; recorded
	 * before its first batch is written.
	 */
	public static VersionEdit segmentMade(long number) {
		return of(new LogEdit(null, number, Map.of()));
	}

	/**
	 * Log segments are on the disk up to these lengths at least.
	 * @param lengths by number
	 */
	public static VersionEdit segmentsForced(Map<Long, Long> lengths) {
		return of(new LogEdit(null, null, lengths));
	}

	/** No later arrival gets a number up to this one. */
	public static VersionEdit passed(long sequence) {
		return new VersionEdit(TableEdit.NONE, ValueFileEdit.NONE, LogEdit.NONE, sequence);
	}

	/** Tables are not read any more, and are kept. */
	public static VersionEdit setAside(Collection<TableMeta> tables) {
		return of(new TableEdit(List.of(), List.of(), numbers(tables), List.of(), Map.of()));
	}

	/** Tables that were set aside are not kept any more. */
	public static VersionEdit discarded(Collection<TableMeta> tables) {
		return of(new TableEdit(List.of(), List.of(), List.of(), numbers(tables), Map.of()));
	}

	/** Live tables were found to be damaged: no key is answered from them any more. */
	public static VersionEdit quarantined(Map<Long, Long> offsets) {
		return of(new TableEdit(List.of(), List.of(), List.of(), List.of(), offsets));
	}

	/** Tables were merged into others. */
	public static VersionEdit compaction(Collection<TableMeta> inputs, List<TableMeta> outputs) {
		return of(TableEdit.replaced(numbers(inputs), outputs));
	}

	/** A value file is begun; recorded before its first byte is written. */
	public static VersionEdit valueFileBegun(long number) {
		return of(new ValueFileEdit(List.of(number), List.of()));
	}

	/** Value files without references; recorded before they are deleted. */
	public static VersionEdit valueFilesRemoved(Collection<Long> numbers) {
		return of(new ValueFileEdit(List.of(), List.copyOf(numbers)));
	}

	private static VersionEdit of(TableEdit tables) {
		return new VersionEdit(tables, ValueFileEdit.NONE, LogEdit.NONE, 0);
	}

	static VersionEdit of(ValueFileEdit values) {
		return new VersionEdit(TableEdit.NONE, values, LogEdit.NONE, 0);
	}

	private static VersionEdit of(LogEdit log) {
		return new VersionEdit(TableEdit.NONE, ValueFileEdit.NONE, log, 0);
	}

	private static List<Long> numbers(Collection<TableMeta> tables) {
		return tables.stream().map(TableMeta::number).toList();
	}

	/**
	 * A step for tables.
	 *
	 * @param added tables that are complete and durable under their names
	 * @param removed numbers of tables that are not read any more
	 * @param setAside numbers of tables that were read, or are added, and from now on are
	 * only kept
	 * @param discarded numbers of tables that were set aside and are kept no more
	 * @param quarantined by number of a table that is live and damaged, the offset in its
	 * file at which the damage was noticed
	 */
	public record TableEdit(List<TableMeta> added, List<Long> removed, List<Long> setAside, List<Long> discarded,
			Map<Long, Long> quarantined) {

		private static final TableEdit NONE = replaced(List.of(), List.of());

		public TableEdit {
			added = List.copyOf(added);
			removed = List.copyOf(removed);
			setAside = List.copyOf(setAside);
			discarded = List.copyOf(discarded);
			quarantined = Map.copyOf(quarantined);
		}

		static TableEdit replaced(List<Long> removed, List<TableMeta> added) {
			return new TableEdit(added, removed, List.of(), List.of(), Map.of());
		}

	}

	/**
	 * A step for value files.
	 *
	 * @param added numbers of those that may be written from now on
	 * @param removed numbers of those that nothing refers to any more
	 */
	public record ValueFileEdit(List<Long> added, List<Long> removed) {

		private static final ValueFileEdit NONE = new ValueFileEdit(List.of(), List.of());

		public ValueFileEdit {
			added = List.copyOf(added);
			removed = List.copyOf(removed);
		}

	}

	/**
	 * A step for the segments of the log.
	 *
	 * @param first number of the first that is still needed, or {@code null} when that
	 * does not change
	 * @param last number of the last that has a file, or {@code null} when that does not
	 * change
	 * @param forcedLengths by number of a segment, the length that is on the disk at
	 * least
	 */
	public record LogEdit(@Nullable Long first, @Nullable Long last, Map<Long, Long> forcedLengths) {

		private static final LogEdit NONE = new LogEdit(null, null, Map.of());

		public LogEdit {
			forcedLengths = Map.copyOf(forcedLengths);
		}

	}

}
