package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.quorate.clock.TimeSource;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.FileProgress;
import io.quorate.storage.Snapshot;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.directory.CeilingSlots;
import io.quorate.storage.directory.NodeIdentity;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.file.HardLink;
import io.quorate.storage.floor.SharesFile;
import io.quorate.storage.manifest.LiveFiles;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.snapshot.SnapshotList.Listed;
import io.quorate.storage.snapshot.SnapshotList;
import io.quorate.storage.snapshot.SnapshotPaths;
import io.quorate.storage.values.ValueWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes snapshots of all tables, after a flush, so that a snapshot needs nothing of the
 * log. Memtables become tables in the order of their sequence numbers, so tables alone
 * hold all writes up to a number.
 * <p>
 * Invariants: (1) a reference to the view is held until every file has its name in the
 * snapshot, so that no compaction or flush deletes one before; (2) a linked value file is
 * complete and fsynced: the open one is ended first, because a hard link would show later
 * appends; (3) the manifest of a snapshot is written anew and names exactly its files;
 * (4) records beside the store are read after the view is taken, so that the purge
 * horizon covers all entries that its tables do not hold any more; (5) the list of files
 * is written last, and the directory gets its name when all of it is fsynced. Hints are
 * not in a snapshot: comparisons deliver their entries anyway, and old hints are refused.
 * Safe for any number of threads, of which one writes.
 */
final class SnapshotWriter implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(SnapshotWriter.class);

	private static final List<String> OWN_RECORDS = List.of(NodeIdentity.FILE_NAME, CeilingSlots.FILE_NAME);

	private final Path store;

	private final Views views;

	private final SetAsideTables aside;

	private final Manifest manifest;

	private final ValueWriter values;

	private final DiskSpace disk;

	private final Consumer<StorageFailedException> forceFailed;

	private final Object writing = new Object();

	private volatile boolean closed;

	/**
	 * A writer for a store.
	 * @param forceFailed receives the failure to fsync the open value file, after which
	 * nothing may be written any more
	 */
	SnapshotWriter(Path store, OpenFiles files, ValueWriter values, DiskSpace disk,
			Consumer<StorageFailedException> forceFailed) {
		this.store = store;
		this.views = files.views();
		this.aside = files.aside();
		this.manifest = files.manifest();
		this.values = values;
		this.disk = disk;
		this.forceFailed = forceFailed;
	}

	/** Writes a snapshot of the current tables. */
	Snapshot write(Path directory, Collection<String> records, FileProgress progress) {
		synchronized (this.writing) {
			requireOpen();
			return writeAlone(directory, records, progress);
		}
	}

	private void requireOpen() {
		if (this.closed) {
			throw new StorageFailedException("the store is closed", null);
		}
	}

	private Snapshot writeAlone(Path directory, Collection<String> records, FileProgress progress) {
		Path unfinished = DurableFiles.temporary(directory);
		View view = this.views.retain();
		try {
			requireWhole(view);
			DirectoryEntries.makeDirectory(unfinished);
			Snapshot snapshot = write(directory, view, records, progress);
			DurableFiles.publish(unfinished, directory);
			return snapshot;
		}
		catch (IOException failure) {
			throw given(failure, unfinished);
		}
		catch (StorageException refused) {
			remove(unfinished);
			throw refused;
		}
		finally {
			view.release();
		}
	}

	private StorageException given(IOException failure, Path unfinished) {
		boolean full = this.disk.causedBy(failure);
		remove(unfinished);
		return full ? this.disk.exception() : new StorageFailedException(
				"a snapshot cannot be written to %s: %s".formatted(unfinished, failure), failure);
	}

	/**
	 * Refuses a snapshot that would lack data. Called with a reference to the view:
	 * tables are set aside before they leave the view.
	 */
	private void requireWhole(View view) {
		if (!this.aside.current().isEmpty()) {
			throw new StorageFailedException("the store is being rebuilt: its set-aside data would be missing", null);
		}
		Set<Long> quarantined = this.manifest.live().quarantined().keySet();
		for (TableHandle handle : view.tables()) {
			if (handle.table() instanceof DamagedTable || quarantined.contains(handle.meta().number())) {
				throw new StorageCorruptedException(this.store.resolve(SnapshotPaths.table(handle.meta().number())), 0,
						"a snapshot with it would be of no use", null);
			}
		}
	}

	private Snapshot write(Path directory, View view, Collection<String> records, FileProgress progress)
			throws IOException {
		Path unfinished = DurableFiles.temporary(directory);
		LiveFiles live = live(view);
		completeValues(live.valueFiles());
		Map<String, Listed> files = new TreeMap<>();
		long copied = link(unfinished, live, files, progress);
		Manifest.write(unfinished, live);
		files.put(Manifest.FILE_NAME, SnapshotList.written(unfinished.resolve(Manifest.FILE_NAME)));
		if (view.floors().version() > 0) {
			// Those of the view, whose tables are in the snapshot.
			SharesFile.write(unfinished, view.floors());
			files.put(SharesFile.FILE_NAME, SnapshotList.written(unfinished.resolve(SharesFile.FILE_NAME)));
		}
		List<String> beside = new ArrayList<>(OWN_RECORDS);
		beside.addAll(records);
		for (String name : beside) {
			if (Files.exists(this.store.resolve(name))) {
				DurableFiles.copy(this.store.resolve(name), unfinished.resolve(name));
				files.put(name, SnapshotList.written(unfinished.resolve(name)));
			}
		}
		SnapshotList list = new SnapshotList(TimeSource.SYSTEM.millis(), live.highestSequence(), files);
		list.write(unfinished);
		return new Snapshot(directory, list.sequence(), files.size() + 1, list.sizeBytes(), copied);
	}

	private LiveFiles live(View view) {
		Map<Long, TableMeta> tables = view.tableMetas()
			.stream()
			.collect(Collectors.toMap(TableMeta::number, (meta) -> meta));
		Set<Long> referred = new TreeSet<>(view.valueBytes().keySet());
		LiveFiles current = this.manifest.live();
		// Nothing of the log is in a snapshot, so nothing of it is missing.
		return new LiveFiles(tables, Map.of(), Map.of(), referred, current.log().unknown(), current.highestSequence());
	}

	private void completeValues(Set<Long> referred) throws IOException {
		try {
			this.values.finish(referred);
		}
		catch (IOException failure) {
			if (!this.disk.causedBy(failure)) {
				this.forceFailed.accept(new StorageFailedException(
						"a value file cannot be fsynced; restart the node: " + failure, failure));
			}
			throw failure;
		}
	}

	/**
	 * Links the files, and returns the bytes that were copied because no link was
	 * possible.
	 */
	private long link(Path unfinished, LiveFiles live, Map<String, Listed> files, FileProgress progress)
			throws IOException {
		for (String kind : List.of(SnapshotPaths.TABLES, SnapshotPaths.VALUES)) {
			DirectoryEntries.makeDirectory(unfinished.resolve(kind));
		}
		List<String> paths = new ArrayList<>();
		live.tables().keySet().forEach((number) -> paths.add(SnapshotPaths.table(number)));
		live.valueFiles().forEach((number) -> paths.add(SnapshotPaths.value(number)));
		progress.begin(FileProgress.Step.COPY, sizeBytes(paths));
		Copying copying = new Copying(unfinished, progress);
		long copied = 0;
		for (String path : paths) {
			long bytes = HardLink.give(this.store.resolve(path), unfinished.resolve(path), copying);
			Listed listed = SnapshotList.linked(unfinished.resolve(path));
			progress.done(listed.sizeBytes() - bytes);
			copied += bytes;
			files.put(path, listed);
		}
		progress.end();
		for (String kind : List.of(SnapshotPaths.TABLES, SnapshotPaths.VALUES)) {
			DurableFiles.forceDirectory(unfinished.resolve(kind));
		}
		return copied;
	}

	private long sizeBytes(List<String> paths) throws IOException {
		long bytes = 0;
		for (String path : paths) {
			bytes += Files.size(this.store.resolve(path));
		}
		return bytes;
	}

	private static void remove(Path unfinished) {
		try {
			DurableFiles.deleteTree(unfinished);
		}
		catch (IOException failure) {
			log.warn("{} was never finished and could not be removed: {}", unfinished, failure.toString());
		}
	}

	/** Breaks off the snapshot that is being written, and waits until it has ended. */
	@Override
	public void close() {
		this.closed = true;
		synchronized (this.writing) {
			log.debug("No snapshot is being written");
		}
	}

	/**
	 * The room check for copies: they leave as much room on their disk as the store
	 * requires on its own.
	 */
	private final class Copying implements HardLink.Copying {

		private final Path unfinished;

		private final FileProgress progress;

		private Copying(Path unfinished, FileProgress progress) {
			this.unfinished = unfinished;
			this.progress = progress;
		}

		@Override
		public void begin(long sizeBytes) throws IOException {
			DiskSpace there = DiskSpace.of(this.unfinished, SnapshotWriter.this.disk.requiredBytes());
			if (there.freeBytes() - sizeBytes < there.requiredBytes()) {
				throw new DiskFullException(this.unfinished, there.freeBytes(), there.requiredBytes() + sizeBytes);
			}
		}

		@Override
		public void copied(long bytes) {
			this.progress.done(bytes);
			requireOpen();
		}

	}

}
