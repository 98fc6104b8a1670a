package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.security.LoggedKey;
import io.quorate.storage.Compression;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.sstable.PageCacheShare;
import io.quorate.storage.sstable.SortedTable;
import io.quorate.storage.sstable.TableBuilder;
import io.quorate.storage.sstable.TableFormat;
import io.quorate.storage.values.ValueFiles;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of the tables: gives them names and numbers, makes, opens and deletes them.
 */
final class Tables {

	private static final Logger log = LoggerFactory.getLogger(Tables.class);

	private final Path directory;

	private final TableFormat format;

	private final ValueFiles values;

	private final Executor cleaner;

	private final AtomicLong nextNumber;

	Tables(Path directory, TableFormat format, ValueFiles values, Executor cleaner, long nextNumber) {
		this.directory = directory;
		this.format = format;
		this.values = values;
		this.cleaner = cleaner;
		this.nextNumber = new AtomicLong(nextNumber);
	}

	/** Whether a file is that of the table with this number. */
	static boolean isNamed(Path file, long number) {
		return TableFormat.FILES.numberOf(file).equals(OptionalLong.of(number));
	}

	long reserve() {
		return this.nextNumber.getAndIncrement();
	}

	/** The number that is reserved next. */
	long next() {
		return this.nextNumber.get();
	}

	TableBuilder create(long number, long expectedEntries, Compression compression, PageCacheShare share)
			throws IOException {
		return this.format.create(path(number), expectedEntries, compression, share);
	}

	/**
	 * Opens a table. A damaged one is quarantined: it is in the view, and answers for
	 * none of the keys that it may hold.
	 * @param quarantinedAt offset at which damage was found before, {@code null} for none
	 */
	TableHandle open(TableMeta meta, @Nullable Long quarantinedAt) throws IOException {
		TableHandle handle = open(meta);
		if (quarantinedAt != null && handle.quarantine(new StorageCorruptedException(path(meta.number()), quarantinedAt,
				"damage was met there before", null))) {
			log.error(
					"{} is quarantined since damage was met in it at offset {}: reads of keys between {} and {} that"
							+ " it may hold fail",
					path(meta.number()), quarantinedAt, LoggedKey.of(meta.summary().keys().smallest()),
					LoggedKey.of(meta.summary().keys().largest()));
		}
		return handle;
	}

	private TableHandle open(TableMeta meta) throws IOException {
		SortedTable table;
		try {
			table = this.format.open(path(meta.number()));
		}
		catch (StorageCorruptedException damage) {
			log.error("A table is quarantined, and reads of keys between {} and {} that it may hold will fail: {}",
					LoggedKey.of(meta.summary().keys().smallest()), LoggedKey.of(meta.summary().keys().largest()),
					damage.getMessage());
			table = new DamagedTable(meta.summary(), damage, null);
		}
		catch (NoSuchFileException missing) {
			throw StorageStartException
				.atRisk("%s is missing: its %d entries between %s and %s, all of them acknowledged, are at risk"
					.formatted(path(meta.number()), meta.summary().counts().entries(),
							LoggedKey.of(meta.summary().keys().smallest()),
							LoggedKey.of(meta.summary().keys().largest())),
						missing);
		}
		return handle(meta, table);
	}

	/**
	 * Opens a table that was just written, before any table that it replaces is given up.
	 * If it is damaged already, it is refused like a failed write.
	 */
	TableHandle openWritten(TableMeta meta) throws IOException {
		try {
			return handle(meta, this.format.open(path(meta.number())));
		}
		catch (StorageCorruptedException damage) {
			throw new IOException("a table differs from the bytes just written: " + damage.getMessage(), damage);
		}
	}

	private TableHandle handle(TableMeta meta, SortedTable table) {
		this.values.retain(meta.summary().valueBytes().keySet());
		return new TableHandle(meta, table, this.cleaner, this::closed);
	}

	private void closed(TableMeta meta, boolean obsolete) {
		if (obsolete) {
			delete(meta.number());
		}
		this.values.release(meta.summary().valueBytes().keySet());
	}

	/** Deletes the file of a table that the manifest does not name. */
	void delete(long number) {
		try {
			DirectoryEntries.deleteIfExists(path(number));
		}
		catch (IOException failure) {
			log.warn("{} is not needed any more and could not be deleted; the next start tries again: {}", path(number),
					failure.toString());
		}
	}

	Path path(long number) {
		return TableFormat.FILES.path(this.directory, number);
	}

}
