package io.quorate.storage.sstable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.Random;
import java.util.function.Consumer;

import io.quorate.entry.Key;
import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;

/**
 * Writes a table of each compression and reads all of it, without a test library, for
 * other class loaders.
 */
public final class TableRoundTrip implements Consumer<Path> {

	@Override
	public void accept(Path file) {
		NavigableMap<Key, StoredEntry> entries = TableFixtures.randomEntries(new Random(1), 2000);
		TableFormat format = new MapDbTableFormat(PageVerification.FIRST_TOUCH, new KeyCache(10_000),
				new BlockCache(1 << 20), TableListener.NONE);
		try {
			for (Compression compression : Compression.values()) {
				Path table = file.resolveSibling(compression + "-" + file.getFileName());
				TableFixtures.write(format, table, entries, compression);
				try (SortedTable opened = format.open(table)) {
					readAll(opened, entries);
					opened.verify();
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void readAll(SortedTable table, NavigableMap<Key, StoredEntry> entries) {
		TableCursor cursor = table.cursor(null);
		entries.forEach((key, entry) -> {
			if (!entry.equals(table.get(key)) || !new KeyedEntry(key, entry).equals(cursor.next())) {
				throw new IllegalStateException("'%s' is not what was written".formatted(key));
			}
		});
	}

}
