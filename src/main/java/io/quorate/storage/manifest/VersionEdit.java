package io.quorate.storage.manifest;

import java.util.Collection;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * One step from a set of live files to the next, taken as a whole or not at all. Removals
 * are applied before additions, so that a table may change its level.
 *
 * @param added tables that are complete and durable under their names
 * @param removed numbers of tables that are not read any more
 * @param firstLiveSegment number of the first log segment that is still needed, or
 * {@code null} when that does not change
 * @param addedValueFiles numbers of value files that may be written from now on
 * @param removedValueFiles numbers of value files that nothing refers to any more
 * @param highestSequence sequence number up to which all count as given to arrivals,
 * whatever has become of these; 0 when that is not known
 * @param setAside numbers of tables that were read, or are added, and from now on are
 * only kept
 * @param discarded numbers of tables that were set aside and are kept no more
 * @param quarantined by number of a table that is live and damaged, the offset in its
 * file at which the damage was noticed
 * @param lastSegment number of the last log segment that has a file, or {@code null} when
 * that does not change
 * @param forcedLengths by number of a log segment, the length that is on the disk at
 * least
 */
public record VersionEdit(List<TableMeta> added, List<Long> removed, @Nullable Long firstLiveSegment,
		List<Long> addedValueFiles, List<Long> removedValueFiles, long highestSequence, List<Long> setAside,
		List<Long> discarded, Map<Long, Long> quarantined, @Nullable Long lastSegment, Map<Long, Long> forcedLengths) {

	public VersionEdit {
		added = List.copyOf(added);
		removed = List.copyOf(removed);
		addedValueFiles = List.copyOf(addedValueFiles);
		removedValueFiles = List.copyOf(removedValueFiles);
		setAside = List.copyOf(setAside);
		discarded = List.copyOf(discarded);
		quarantined = Map.copyOf(quarantined);
		forcedLengths = Map.copyOf(forcedLengths);
	}

	/** An edit that changes nothing about the last segments of the log. */
	private VersionEdit(List<TableMeta> added, List<Long> removed, @Nullable Long firstLiveSegment,
			List<Long> addedValueFiles, List<Long> removedValueFiles, long highestSequence, List<Long> setAside,
			List<Long> discarded, Map<Long, Long> quarantined) {
		this(added, removed, firstLiveSegment, addedValueFiles, removedValueFiles, highestSequence, setAside, discarded,
				quarantined, null, Map.of());
	}

	/** An edit that sets nothing aside. */
	VersionEdit(List<TableMeta> added, List<Long> removed, @Nullable Long firstLiveSegment, List<Long> addedValueFiles,
			List<Long> removedValueFiles) {
		this(added, removed, firstLiveSegment, addedValueFiles, removedValueFiles, 0, List.of(), List.of(), Map.of());
	}

	/**
	 * A memtable became tables, and the segments below {@code firstLiveSegment} are not
	 * needed any more.
	 * @param added the new tables; none when no entry of the memtable was worth keeping
	 * @param highestSequence the latest arrival in these segments, superseded ones
	 * included
	 */
	public static VersionEdit flush(List<TableMeta> added, long firstLiveSegment, long highestSequence) {
		return new VersionEdit(added, List.of(), firstLiveSegment, List.of(), List.of(), highestSequence, List.of(),
				List.of(), Map.of());
	}

	/**
	 * The file of a log segment exists, as those of all live ones before it do; recorded
	 * before its first batch is written.
	 */
	public static VersionEdit segmentMade(long number) {
		return new VersionEdit(List.of(), List.of(), null, List.of(), List.of(), 0, List.of(), List.of(), Map.of(),
				number, Map.of());
	}

	/**
	 * Log segments are on the disk up to these lengths at least.
	 * @param lengths by number
	 */
	public static VersionEdit segmentsForced(Map<Long, Long> lengths) {
		return new VersionEdit(List.of(), List.of(), null, List.of(), List.of(), 0, List.of(), List.of(), Map.of(),
				null, lengths);
	}

	/** No later arrival gets a number up to this one. */
	public static VersionEdit passed(long sequence) {
		return new VersionEdit(List.of(), List.of(), null, List.of(), List.of(), sequence, List.of(), List.of(),
				Map.of());
	}

	/** Tables are not read any more, and are kept. */
	public static VersionEdit setAside(Collection<TableMeta> tables) {
		return new VersionEdit(List.of(), List.of(), null, List.of(), List.of(), 0, numbers(tables), List.of(),
				Map.of());
	}

	/** Tables that were set aside are not kept any more. */
	public static VersionEdit discarded(Collection<TableMeta> tables) {
		return new VersionEdit(List.of(), List.of(), null, List.of(), List.of(), 0, List.of(), numbers(tables),
				Map.of());
	}

	/** Live tables were found to be damaged: no key is answered from them any more. */
	public static VersionEdit quarantined(Map<Long, Long> offsets) {
		return new VersionEdit(List.of(), List.of(), null, List.of(), List.of(), 0, List.of(), List.of(), offsets);
	}

	/** Tables were merged into others. */
	public static VersionEdit compaction(Collection<TableMeta> inputs, List<TableMeta> outputs) {
		return new VersionEdit(outputs, numbers(inputs), null, List.of(), List.of());
	}

	/** A value file is begun; recorded before its first byte is written. */
	public static VersionEdit valueFileBegun(long number) {
		return new VersionEdit(List.of(), List.of(), null, List.of(number), List.of());
	}

	/** Value files without references; recorded before they are deleted. */
	public static VersionEdit valueFilesRemoved(Collection<Long> numbers) {
		return new VersionEdit(List.of(), List.of(), null, List.of(), List.copyOf(numbers));
	}

	private static List<Long> numbers(Collection<TableMeta> tables) {
		return tables.stream().map(TableMeta::number).toList();
	}

}
