package io.quorate.storage.snapshot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;

import io.quorate.storage.FileProgress;
import io.quorate.storage.PageVerification;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.manifest.LiveFiles;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.sstable.MapDbTableFormat;
import io.quorate.storage.sstable.SortedTable;
import io.quorate.storage.sstable.TableCursor;
import io.quorate.storage.sstable.TableFormat;
import io.quorate.storage.values.ValueFiles;
import org.jspecify.annotations.Nullable;

/**
 * Verifies that the files of a snapshot, wherever they lie, are those that were written:
 * every size, every checksum of the list, every page of every table, and every value that
 * an entry refers to. Reads everything, changes nothing. Used by one thread.
 */
public final class SnapshotCheck {

	private final Path directory;

	private final SnapshotList list;

	private final FileProgress progress;

	private final UncachedReader reader;

	private final TableFormat format = new MapDbTableFormat(PageVerification.FIRST_TOUCH);

	private SnapshotCheck(Path directory, SnapshotList list, FileProgress progress) {
		this.directory = directory;
		this.list = list;
		this.progress = progress;
		this.reader = new UncachedReader(progress::done);
	}

	/**
	 * Verifies all files.
	 * @param directory directory of the files
	 * @param list the list of the snapshot
	 * @param progress receives the bytes of tables and large values that were read
	 * @return number of entries in the tables
	 * @throws StorageCorruptedException when a file is damaged or missing
	 * @throws io.quorate.storage.StorageStartException when the manifest is damaged
	 */
	public static long run(Path directory, SnapshotList list, FileProgress progress) throws IOException {
		return new SnapshotCheck(directory, list, progress).run();
	}

	private long run() throws IOException {
		for (var listed : this.list.files().entrySet()) {
			// Behind the last value that an entry refers to, a crash may have taken some
			// values.
			boolean mayBeShorter = listed.getKey().startsWith(SnapshotPaths.VALUES + "/");
			requireAsListed(this.directory.resolve(listed.getKey()), listed.getValue(), mayBeShorter);
		}
		requireListed(Manifest.FILE_NAME);
		LiveFiles live = Manifest.read(this.directory);
		for (long number : live.valueFiles()) {
			requireListed(SnapshotPaths.value(number));
		}
		Path values = this.directory.resolve(SnapshotPaths.VALUES);
		try (ValueFiles files = new ValueFiles(values, live.valueFiles(), 0, (_, _) -> {
		}, (_) -> {
		})) {
			return tables(live.tables().values(), files);
		}
	}

	private static void requireAsListed(Path file, SnapshotList.Listed listed, boolean mayBeShorter)
			throws IOException {
		if (!Files.isRegularFile(file)) {
			throw new StorageCorruptedException(file, 0, "the file is missing", null);
		}
		long size = Files.size(file);
		if (mayBeShorter ? size > listed.sizeBytes() : size != listed.sizeBytes()) {
			throw new StorageCorruptedException(file, Math.min(size, listed.sizeBytes()),
					"it has %d bytes, %d were written".formatted(size, listed.sizeBytes()), null);
		}
		if (listed.checksum() != null && !listed.equals(SnapshotList.written(file))) {
			throw new StorageCorruptedException(file, 0, "its checksum is wrong", null);
		}
	}

	private void requireListed(String path) {
		if (!this.list.files().containsKey(path)) {
			throw new StorageCorruptedException(this.directory.resolve(SnapshotList.FILE_NAME), 0,
					path + " is missing in it", null);
		}
	}

	private long tables(Collection<TableMeta> metas, ValueFiles values) throws IOException {
		this.progress.begin(FileProgress.Step.VERIFY,
				metas.stream().mapToLong((meta) -> meta.summary().bytesWithValues()).sum());
		long entries = 0;
		for (TableMeta meta : metas) {
			requireListed(SnapshotPaths.table(meta.number()));
			Path file = this.directory.resolve(SnapshotPaths.table(meta.number()));
			try (SortedTable table = this.format.open(file)) {
				if (!table.summary().equals(meta.summary())) {
					throw new StorageCorruptedException(file, 0, "it is another table than the manifest says", null);
				}
				table.verify(this.reader, (damage) -> {
					throw damage;
				});
				if (!meta.summary().valueBytes().isEmpty()) {
					values(table, values);
				}
			}
			entries += meta.summary().counts().entries();
		}
		this.progress.end();
		return entries;
	}

	private void values(SortedTable table, ValueFiles values) {
		TableCursor cursor = table.cursor(null);
		@Nullable KeyedEntry next = cursor.next();
		while (next != null) {
			if (next.entry().payload() instanceof Reference reference) {
				values.read(reference);
				this.progress.done(reference.length());
			}
			next = cursor.next();
		}
	}

}
