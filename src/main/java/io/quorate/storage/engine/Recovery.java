package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.quorate.clock.TimeSource;
import io.quorate.entry.Key;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.file.NumberedFiles;
import io.quorate.storage.file.ReadPace;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.manifest.LiveFiles;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.manifest.VersionEdit;
import io.quorate.storage.memtable.Memtable;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.sstable.TableFormat;
import io.quorate.storage.thread.Uninterrupted;
import io.quorate.storage.values.ValueFile;
import io.quorate.storage.values.ValueFiles;
import io.quorate.storage.wal.LogReplay;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The start: manifest, tables, value files, then the log's segments in order. Removes
 * what a crash has left unfinished, and nothing else.
 */
final class Recovery {

	private static final Logger log = LoggerFactory.getLogger(Recovery.class);

	private final StorageProperties properties;

	private final TableFormat format;

	private final Predicate<StoredEntry> leftOut;

	private final Consumer<StorageCorruptedException> damaged;

	private final Salvage salvage;

	private final Path logs;

	private final Path tableFiles;

	private final Path valueFiles;

	/* Its queue is bounded by the number of files that there are to be given back. */
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
	 * @param leftOut which entries of the log are not to be replayed
	 * @param damaged is told of each large value that was read and is not what was
	 * written
	 * @param salvage what is done about damage
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
			DurableFiles.forceDirectory(this.properties.directory());
			LogReplay.requireReadable(this.logs);
			return open(this.salvage.isOn() ? this.salvage.open() : Manifest.open(this.properties.directory()));
		}
		catch (IOException failure) {
			throw new StorageStartException(
					"the store in %s cannot be opened: %s".formatted(this.properties.directory(), failure), failure);
		}
	}

	private Recovered open(Manifest manifest) throws IOException {
		try {
			LiveFiles live = manifest.live();
			ValueFiles values = new ValueFiles(this.valueFiles, live.valueFiles(), highest(live.valueFiles()) + 1,
					(files, number) -> this.cleaner.execute(() -> collect(manifest, files, number)), this.damaged);
			return open(manifest, live, values);
		}
		catch (IOException | RuntimeException | Error failure) {
			manifest.close();
			throw failure;
		}
	}

	/** What was opened before a failure must not stay open: the start may be repeated. */
	private Recovered open(Manifest manifest, LiveFiles live, ValueFiles values) throws IOException {
		List<TableHandle> opened = new ArrayList<>();
		try {
			return replayed(manifest, live, values, opened);
		}
		catch (IOException | RuntimeException | Error failure) {
			values.keepAll();
			opened.forEach(Shared::letGo);
			Uninterrupted.shutDown(this.cleaner);
			values.close();
			throw failure;
		}
	}

	private Recovered replayed(Manifest manifest, LiveFiles live, ValueFiles values, List<TableHandle> opened)
			throws IOException {
		Tables tables = new Tables(this.tableFiles, this.format, values, this.cleaner,
				Math.max(highest(live.tables().keySet()), highest(live.aside().keySet())) + 1);
		for (TableMeta meta : live.tables().values()) {
			opened.add(tables.open(meta, live.quarantined().get(meta.number())));
		}
		List<TableHandle> current = List.copyOf(opened);
		for (TableMeta meta : live.aside().values()) {
			opened.add(tables.open(meta, null));
		}
		Replay replay = new Replay(live.firstLiveSegment(), values);
		replay.run();
		new AsideDirectory(this.properties.directory(), TimeSource.SYSTEM).removeUnfinished();
		Set<Long> named = new HashSet<>(live.tables().keySet());
		named.addAll(live.aside().keySet());
		removeLeftovers(this.tableFiles, Tables.FILES, named);
		removeLeftovers(this.valueFiles, ValueFile.FILES, live.valueFiles());
		View view = new View(new MemtableHandle(replay.memtable(replay.nextSegment), values), replay.memtables,
				current);
		AsideTables aside = new AsideTables(opened.subList(current.size(), opened.size()));
		opened.forEach(Shared::letGo);
		values.unheld().forEach((number) -> collect(manifest, values, number));
		return new Recovered(manifest, new Views(view), aside, tables, values, this.cleaner, this.logs,
				replay.nextSegment, Math.max(live.highestSequence(), replay.highestSequence) + 1, replay.previousForced,
				this.salvage);
	}

	/**
	 * Removes what was never completed, or was replaced and not deleted any more. Only
	 * once all that the manifest names was opened: what is removed cannot be had back.
	 */
	private void removeLeftovers(Path directory, NumberedFiles names, Set<Long> live) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			for (Path file : files.toList()) {
				OptionalLong number = names.numberOf(file);
				boolean unfinished = file.toString().endsWith(DurableFiles.TEMPORARY_SUFFIX);
				if (unfinished || (number.isPresent() && !live.contains(number.getAsLong()))) {
					log.info("Removed {}, which the manifest does not name", file);
					DirectoryEntries.delete(file);
				}
				else if (number.isEmpty()) {
					log.warn("{} is none of the store's files and is left alone", file);
				}
			}
		}
	}

	/** On the cleaner's thread; does nothing the second time. */
	static void collect(Manifest manifest, ValueFiles values, long number) {
		try {
			if (manifest.live().valueFiles().contains(number)) {
				manifest.append(VersionEdit.valueFilesRemoved(List.of(number)));
			}
			values.delete(number);
		}
		catch (IOException | StorageException failure) {
			log.warn("Value file {} is not needed any more and could not be deleted; it is tried again: {}", number,
					failure.toString());
		}
	}

	private static long highest(Collection<Long> numbers) {
		return numbers.stream().mapToLong(Long::longValue).max().orElse(0);
	}

	/** The replay of the log into memtables, one for each segment. */
	private final class Replay {

		private final long firstLive;

		private final ValueFiles values;

		private final LogReplay replay;

		private final List<MemtableHandle> memtables = new ArrayList<>();

		private long highestSequence;

		private long nextSegment;

		private long previousForced;

		private Replay(long firstLive, ValueFiles values) {
			this.firstLive = firstLive;
			this.values = values;
			UncachedReader reader = new UncachedReader(ReadPace.NONE);
			// As the segment is after its replay: a table will say so for good.
			this.replay = new LogReplay(Recovery.this.logs, (reference) -> values.isOnDisk(reference, reader));
			this.nextSegment = Math.max(1, firstLive);
		}

		private void run() throws IOException {
			removeUnfinished();
			List<Long> segments = LogReplay.segments(Recovery.this.logs);
			for (long number : segments) {
				if (number < this.firstLive) {
					DirectoryEntries.delete(LogReplay.file(Recovery.this.logs, number));
				}
				else {
					replay(number);
				}
			}
		}

		private void removeUnfinished() throws IOException {
			try (Stream<Path> files = Files.list(Recovery.this.logs)) {
				for (Path file : files.filter((path) -> path.toString().endsWith(DurableFiles.TEMPORARY_SUFFIX))
					.toList()) {
					DirectoryEntries.delete(file);
				}
			}
		}

		private void replay(long number) throws IOException {
			Memtable memtable = memtable(number);
			LogReplay.Visitor insertion = (key, entry) -> insert(memtable, key, entry);
			long length = Recovery.this.salvage.isDamaged(number) ? this.replay.salvage(number, insertion)
					: this.replay.replay(number, insertion);
			if (length == 0) {
				return;
			}
			if (number != this.nextSegment && !Recovery.this.salvage.hasLost()) {
				throw StorageStartException
					.atRisk("the log segment %s is missing, but %s has records: acknowledged writes are at risk"
						.formatted(LogReplay.file(Recovery.this.logs, this.nextSegment),
								LogReplay.file(Recovery.this.logs, number)),
							null);
			}
			log.info("Replayed {}: {} keys from {} bytes", LogReplay.file(Recovery.this.logs, number), memtable.keys(),
					length);
			MemtableHandle handle = new MemtableHandle(memtable, this.values);
			handle.reached(this.highestSequence);
			this.memtables.add(handle);
			this.nextSegment = number + 1;
			this.previousForced = length;
		}

		private void insert(Memtable memtable, Key key, StoredEntry entry) {
			this.highestSequence = Math.max(this.highestSequence, entry.sequence());
			if (Recovery.this.leftOut.test(entry)) {
				return;
			}
			if (entry.payload() instanceof Reference reference && !memtable.valueFiles().contains(reference.file())) {
				this.values.hold(List.of(reference.file()));
			}
			memtable.insert(key, entry);
		}

		private Memtable memtable(long segment) {
			return new Memtable(segment, this.values::compareIntact);
		}

	}

}
