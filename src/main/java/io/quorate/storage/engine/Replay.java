package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.entry.Key;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.file.ReadPace;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.manifest.LiveFiles;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.memtable.Memtable;
import io.quorate.storage.record.StoredEntry.Promised;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.values.ValueFiles;
import io.quorate.storage.wal.LogReplay;
import io.quorate.storage.wal.Promises;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The replay of the log into memtables, one for each segment. Used by one thread. */
final class Replay {

	private static final Logger log = LoggerFactory.getLogger(Replay.class);

	private final Path logs;

	private final Manifest manifest;

	private final LiveFiles live;

	private final ValueFiles values;

	private final Salvage salvage;

	private final LeftOut leftOut;

	private final LogReplay replay;

	private final UncachedReader reader = new UncachedReader(ReadPace.NONE);

	private final List<MemtableHandle> memtables = new ArrayList<>();

	private final Map<Long, Set<Long>> referred = new TreeMap<>();

	private final Promises promises;

	private final long begunNanos = System.nanoTime();

	private long highestSequence;

	private long nextSegment;

	private long previousForced;

	/**
	 * The entries that are not to be replayed.
	 *
	 * @param future those that are given up with the log
	 * @param floors those that are hidden
	 */
	record LeftOut(Predicate<StoredEntry> future, Floors floors) {
	}

	/**
	 * A replay that has not begun.
	 * @param logs directory of the segments
	 * @param leftOut entries that are not to be replayed
	 * @param promises receives the promises that stand at the end
	 */
	Replay(Path logs, Manifest manifest, ValueFiles values, Salvage salvage, LeftOut leftOut, Promises promises) {
		this.logs = logs;
		this.manifest = manifest;
		this.live = manifest.live();
		this.values = values;
		this.salvage = salvage;
		this.leftOut = leftOut;
		this.promises = promises;
		this.replay = new LogReplay(logs, this::isIntact, this.live.log().forcedLengths());
		this.nextSegment = Math.max(1, this.live.log().first());
	}

	/**
	 * Replays all segments that are not flushed.
	 * @throws StorageStartException when a segment is missing, or damaged
	 */
	void run() throws IOException {
		List<Long> segments = LogReplay.segments(this.logs);
		requireAll(segments);
		for (long number : segments) {
			if (number >= this.live.log().first()) {
				replay(number);
			}
		}
		this.promises.publish();
		if (this.salvage.hasLost()) {
			// The numbers of missing segments are not used again.
			this.nextSegment = Math.max(this.nextSegment, this.live.log().last() + 1);
		}
	}

	private void requireAll(List<Long> found) {
		List<Long> missing = this.live.log().missing(found);
		if (!missing.isEmpty() && !this.salvage.hasLost()) {
			throw StorageStartException.atRisk(
					"%s %s missing, of the log segments %d to %d that were made and are not flushed: the writes in %s, all of them acknowledged, are at risk"
						.formatted(
								missing.stream()
									.map((number) -> LogReplay.file(this.logs, number).toString())
									.collect(Collectors.joining(", ")),
								(missing.size() == 1) ? "is" : "are", Math.max(1, this.live.log().first()),
								this.live.log().last(), (missing.size() == 1) ? "it" : "them"),
					null);
		}
	}

	private void replay(long number) throws IOException {
		Memtable memtable = memtable(number);
		LogReplay.Visitor insertion = (key, entry) -> insert(memtable, key, entry);
		long length = this.salvage.isDamaged(number) ? this.replay.salvage(number, insertion)
				: this.replay.replay(number, insertion);
		requireRecorded(number, length > 0);
		if (length == 0) {
			return;
		}
		if (number != this.nextSegment && !this.salvage.hasLost()) {
			throw StorageStartException
				.atRisk("the log segment %s is missing, but %s has records: acknowledged writes are at risk"
					.formatted(LogReplay.file(this.logs, this.nextSegment), LogReplay.file(this.logs, number)), null);
		}
		log.info("Replayed {}: {} keys from {} bytes", LogReplay.file(this.logs, number), memtable.keys(), length);
		MemtableHandle handle = new MemtableHandle(memtable, this.values);
		handle.reached(this.highestSequence);
		this.memtables.add(handle);
		this.nextSegment = number + 1;
		this.previousForced = length;
	}

	/**
	 * Requires that the manifest knows a segment. A manifest that has lost edits need not
	 * be torn at its end.
	 */
	private void requireRecorded(long number, boolean used) {
		if (this.live.log().lacks(number, used) && !this.salvage.hasLost()) {
			throw StorageStartException.atRisk(
					"%s is damaged: it does not know %s, which is made later than it says%s. Edits at its end are missing, so any record of this node may be affected"
						.formatted(this.logs.resolveSibling(Manifest.FILE_NAME), LogReplay.file(this.logs, number),
								(this.manifest.tornBytes() > 0)
										? ", and its last %d bytes are no edit".formatted(this.manifest.tornBytes())
										: ""),
					null);
		}
	}

	private void insert(Memtable memtable, Key key, StoredEntry entry) {
		this.highestSequence = Math.max(this.highestSequence, entry.sequence());
		if (this.leftOut.future().test(entry)) {
			return;
		}
		boolean isHidden = this.leftOut.floors().hides(key.hash64(), entry.sequence());
		if (entry.payload() instanceof Promised) {
			if (!isHidden) {
				this.promises.replayPromise(key, entry, this.begunNanos);
			}
			return;
		}
		if (entry.payload() instanceof Reference reference) {
			this.referred.computeIfAbsent(memtable.segment(), (_) -> new TreeSet<>()).add(reference.file());
			if (this.salvage.hasLost() && !this.values.isThere(reference.file())) {
				return;
			}
			if (!memtable.valueFiles().contains(reference.file())) {
				this.values.retain(List.of(reference.file()));
			}
		}
		if (isHidden) {
			memtable.leaveOut(entry);
		}
		else {
			memtable.insert(key, entry);
			this.promises.replayEntry(key, entry.timestamp());
		}
	}

	/**
	 * Whether a large value was on the disk completely: a table will refer to it for
	 * good. A missing file is no sign of a torn write: it was made durable before the
	 * record.
	 */
	private boolean isIntact(Reference reference) throws IOException {
		return !this.values.isThere(reference.file()) || this.values.isOnDisk(reference, this.reader);
	}

	/** Removes segments that are flushed, and files that were never completed. */
	void removeFlushed() throws IOException {
		for (long number : LogReplay.segments(this.logs)) {
			if (number < this.live.log().first()) {
				DirectoryEntries.delete(LogReplay.file(this.logs, number));
			}
		}
		try (Stream<Path> files = Files.list(this.logs)) {
			for (Path file : files.filter((path) -> path.toString().endsWith(DurableFiles.TEMPORARY_SUFFIX)).toList()) {
				DirectoryEntries.delete(file);
			}
		}
	}

	/** An empty memtable for a segment. */
	Memtable memtable(long segment) {
		return new Memtable(segment, this.values::compareIntact);
	}

	/** The memtables that were filled, the oldest first. */
	List<MemtableHandle> memtables() {
		return this.memtables;
	}

	/**
	 * The value files that the records of each segment refer to, by the segment's number.
	 */
	Map<Long, Set<Long>> referred() {
		return this.referred;
	}

	/** The highest sequence number of a replayed entry. */
	long highestSequence() {
		return this.highestSequence;
	}

	/** Number of the segment to be written next. */
	long nextSegment() {
		return this.nextSegment;
	}

	/** Length of the segment before, all of it fsynced. */
	long previousForced() {
		return this.previousForced;
	}

}
