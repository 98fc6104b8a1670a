package io.quorate.storage.engine;

import io.quorate.entry.Key;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.SortedTable;
import io.quorate.storage.sstable.TableCursor;
import io.quorate.storage.sstable.TableSummary;
import org.jspecify.annotations.Nullable;

/**
 * Stands for a table that could not be opened: it may hold every key within its bounds,
 * and answers for none of them.
 */
record DamagedTable(TableSummary summary, StorageCorruptedException damage) implements SortedTable {

	@Override
	public long uncompressedBytes() {
		return this.summary.sizeBytes();
	}

	@Override
	public boolean mayContain(Key key, long hash) {
		return this.summary.covers(key);
	}

	@Override
	public @Nullable StoredEntry get(Key key) {
		throw refuse();
	}

	@Override
	public TableCursor cursor(@Nullable Key start) {
		throw refuse();
	}

	@Override
	public long verify() {
		throw refuse();
	}

	@Override
	public void close() {
	}

	private StorageCorruptedException refuse() {
		return new StorageCorruptedException(this.damage.file(), this.damage.offset(), "quarantined since the start",
				this.damage);
	}

}
