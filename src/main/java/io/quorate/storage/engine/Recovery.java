package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.quorate.clock.TimeSource;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.floor.SharesFile;
import io.quorate.storage.manifest.LiveFiles;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.TableFormat;
import io.quorate.storage.thread.Uninterrupted;
import io.quorate.storage.values.ValueFile;
import io.quorate.storage.values.ValueFiles;
import io.quorate.storage.wal.LogEnd;
import io.quorate.storage.wal.LogReplay;
import io.quorate.storage.wal.Promises;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The start: it opens manifest, tables and value files, then replays the log's segments
 * in order. It changes nothing before it is known that the files fit together. Then it
 * removes files that a crash has left unfinished, and moves those that the manifest does
 * not name to the leftovers.
 */
final class Recovery {

	private static final Logger log = LoggerFactory.getLogger(Recovery.class);

	private static final int MAX_PROMISES = 10_000;

	/* Of which the promises, with which each segment begins, take one. */
	private static final int SEGMENT_PARTS = 4;

	private final StorageProperties properties;

	private final TableFormat format;

	private final Predicate<StoredEntry> leftOut;

	private final Consumer<StorageCorruptedException> damaged;

	private final Salvage salvage;

	private final Path logs;

	private final Path tableFiles;

	private final Path valueFiles;

	private Floors floors = Floors.NONE;

	/* Its queue is bounded by the number of files to be closed or deleted. */
	private final ExecutorService cleaner = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name("storage-cleaner").factory());

	Recovery(StorageProperties properties, TableFormat format) {
		this(properties, format, (_) -> false, (_) -> {
		});
	}

	Recovery(StorageProperties properties, TableFormat format, Predicate<StoredEntry> leftOut,
			Consumer<StorageCorruptedException> damaged) {
		this(properties, format, leftOut, damaged, Salvage.of(properties, format, () -> {
		}));
	}

	/**
	 * A start.
	 * @param leftOut entries of the log that are not to be replayed
	 * @param damaged receives the damage of each large value that fails its check when
	 * read
	 * @param salvage the handling of damage
	 */
	Recovery(StorageProperties properties, TableFormat format, Predicate<StoredEntry> leftOut,
			Consumer<StorageCorruptedException> damaged, Salvage salvage) {
		this.properties = properties;
		this.format = format;
		this.leftOut = leftOut;
		this.damaged = damaged;
		this.salvage = salvage;
		this.logs = properties.directory().resolve("wal");
		this.tableFiles = properties.directory().resolve("tables");
		this.valueFiles = properties.directory().resolve("values");
	}

	Recovered run() {
		try {
			for (Path directory : List.of(this.logs, this.tableFiles, this.valueFiles)) {
				DirectoryEntries.makeDirectories(directory);
			}
			// A segment whose name was not fsynced may be the next to be written.
			// Tables and value files are referred to only after their names are durable,
			// and the names in the store's own directory were fsynced with these three.
			DurableFiles.forceDirectory(this.logs);
			LogReplay.requireReadable(this.logs);
			this.floors = SharesFile.read(this.properties.directory());
			return open(
					this.salvage.isOn() ? this.salvage.open(this.floors) : Manifest.open(this.properties.directory()));
		}
		catch (IOException failure) {
			throw new StorageStartException(
					"the store in %s cannot be opened: %s".formatted(this.properties.directory(), failure), failure);
		}
	}

	private Recovered open(Manifest manifest) throws IOException {
		try {
			LiveFiles live = manifest.live();
			ValueFiles values = new ValueFiles(this.valueFiles, live.valueFiles(),
					Math.max(highest(live.valueFiles()), highest(manifest.goneValueFiles())) + 1,
					(files, number) -> this.cleaner.execute(() -> OpenFiles.collect(manifest, files, number)),
					this.damaged);
			return open(manifest, live, values);
		}
		catch (IOException | RuntimeException | Error failure) {
			manifest.close();
			throw failure;
		}
	}

	/**
	 * Opens the store. After a failure all files are closed again: the start may be
	 * repeated.
	 */
	private Recovered open(Manifest manifest, LiveFiles live, ValueFiles values) throws IOException {
		List<TableHandle> opened = new ArrayList<>();
		try {
			return replayed(manifest, live, values, opened);
		}
		catch (IOException | RuntimeException | Error failure) {
			values.keepAll();
			opened.forEach(RefCounted::release);
			Uninterrupted.shutDown(this.cleaner);
			values.close();
			throw failure;
		}
	}

	private Recovered replayed(Manifest manifest, LiveFiles live, ValueFiles values, List<TableHandle> opened)
			throws IOException {
		Set<Long> numbers = new HashSet<>(live.tables().keySet());
		numbers.addAll(live.aside().keySet());
		Tables tables = new Tables(this.tableFiles, this.format, values, this.cleaner, Math
			.max(this.floors.firstCleanTable(), Math.max(highest(numbers), highest(manifest.goneTables())) + 1));
		for (TableMeta meta : live.tables().values()) {
			opened.add(tables.open(meta, live.quarantined().get(meta.number())));
		}
		List<TableHandle> current = List.copyOf(opened);
		for (TableMeta meta : live.aside().values()) {
			opened.add(tables.open(meta, null));
		}
		StorageProperties.Wal wal = this.properties.wal();
		Promises promises = new Promises(MAX_PROMISES, wal.segmentSize().toBytes() / SEGMENT_PARTS);
		Replay replay = new Replay(this.logs, manifest, values, this.salvage,
				new Replay.LeftOut(this.leftOut, this.floors), promises);
		replay.run();
		requireValues(live, values, replay);
		manifest.settle();
		replay.removeFlushed();
		new AsideDirectory(this.properties.directory(), TimeSource.SYSTEM).removeUnfinished();
		Leftovers leftovers = new Leftovers(this.properties.directory(), TimeSource.SYSTEM);
		leftovers.take(this.tableFiles, TableFormat.FILES, numbers, manifest.goneTables());
		leftovers.take(this.valueFiles, ValueFile.FILES, live.valueFiles(), manifest.goneValueFiles());
		leftovers.clean();
		View view = new View(new MemtableHandle(replay.memtable(replay.nextSegment()), values), replay.memtables(),
				current, this.floors);
		SetAsideTables aside = new SetAsideTables(opened.subList(current.size(), opened.size()));
		opened.forEach(RefCounted::release);
		values.unheld().forEach((number) -> OpenFiles.collect(manifest, values, number));
		// Recorded and never made: nothing refers to these files.
		live.valueFiles()
			.stream()
			.filter((number) -> !values.isThere(number))
			.filter((number) -> !isReferredTo(number, live))
			.forEach((number) -> OpenFiles.collect(manifest, values, number));
		return new Recovered(
				new OpenFiles(manifest, new Views(view), aside, tables, values, this.cleaner), new LogEnd(this.logs,
						replay.nextSegment(), nextSequence(live, replay), replay.previousForced(), promises),
				this.salvage);
	}

	/* Nothing that arrives may be below a floor, even if a salvage has lost the log. */
	private long nextSequence(LiveFiles live, Replay replay) {
		return Math.max(this.floors.highest(), Math.max(live.highestSequence(), replay.highestSequence())) + 1;
	}

	/**
	 * Requires all value files that are referred to. A value file is recorded before it
	 * is made, and made before anything refers to it: one that is missing, on the disk or
	 * in the manifest, was there before. A file missing from set-aside data is only
	 * logged: peers have its values.
	 */
	private void requireValues(LiveFiles live, ValueFiles values, Replay replay) {
		if (this.salvage.hasLost()) {
			return;
		}
		for (TableMeta meta : live.tables().values()) {
			requireValues(tablePath(meta), meta.summary().valueBytes().keySet(), live, values);
		}
		replay.referred()
			.forEach((segment, files) -> requireValues(LogReplay.file(this.logs, segment), files, live, values));
		for (TableMeta meta : live.aside().values()) {
			for (long number : meta.summary().valueBytes().keySet()) {
				if (!values.isThere(number)) {
					log.warn("{} is missing, to which {} refers, which is set aside",
							ValueFile.FILES.path(this.valueFiles, number), tablePath(meta));
				}
			}
		}
	}

	private void requireValues(Path from, Set<Long> files, LiveFiles live, ValueFiles values) {
		for (long number : files) {
			Path file = ValueFile.FILES.path(this.valueFiles, number);
			if (!live.valueFiles().contains(number)) {
				throw StorageStartException.atRisk(
						"%s is damaged: it does not name %s, to which %s refers. Edits at its end are missing, so any"
							.formatted(manifestPath(), file, from) + " record of this node may be affected",
						null);
			}
			if (!values.isThere(number)) {
				throw StorageStartException.atRisk(
						"%s is missing: the large values in it, to which %s refers, all of them acknowledged, are at risk"
							.formatted(file, from),
						null);
			}
		}
	}

	private static boolean isReferredTo(long valueFile, LiveFiles live) {
		return Stream.concat(live.tables().values().stream(), live.aside().values().stream())
			.anyMatch((meta) -> meta.summary().valueBytes().containsKey(valueFile));
	}

	private Path tablePath(TableMeta meta) {
		return TableFormat.FILES.path(this.tableFiles, meta.number());
	}

	private Path manifestPath() {
		return this.properties.directory().resolve(Manifest.FILE_NAME);
	}

	private static long highest(Collection<Long> numbers) {
		return numbers.stream().mapToLong(Long::longValue).max().orElse(0);
	}

}
