package io.quorate.storage.engine;

import java.util.function.Consumer;

import io.quorate.entry.Key;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.PageCacheShare;
import io.quorate.storage.sstable.SortedTable;
import io.quorate.storage.sstable.TableCursor;
import io.quorate.storage.sstable.TableSummary;
import org.jspecify.annotations.Nullable;

/**
 * A damaged table in quarantine: it answers for none of the keys that it may hold.
 *
 * @param opened the table, which knows these keys; {@code null} if it could not be
 * opened: then it may hold every key within its bounds
 */
record DamagedTable(TableSummary summary, StorageCorruptedException damage,
		@Nullable SortedTable opened) implements SortedTable {

	@Override
	public long uncompressedBytes() {
		return this.summary.sizeBytes();
	}

	@Override
	public boolean mayContain(Key key, long hash) {
		return (this.opened != null) ? this.opened.mayContain(key, hash) : this.summary.covers(key);
	}

	/*
	 * A reader that meets the damage has more to do than a thread that must not wait may
	 * do.
	 */
	@Override
	public boolean isInMemory(Key key, long hash) {
		return false;
	}

	@Override
	public @Nullable StoredEntry get(Key key, long hash) {
		throw refuse();
	}

	/** Returns a cursor that fails where the first entry would be. */
	@Override
	public TableCursor cursor(@Nullable Key start) {
		Key smallest = this.summary.keys().smallest();
		return new Refusal((start != null && start.compareTo(smallest) > 0) ? start : smallest);
	}

	@Override
	public TableCursor descending(@Nullable Key end) {
		Key largest = this.summary.keys().largest();
		return new Refusal((end != null && end.compareTo(largest) < 0) ? end : largest);
	}

	@Override
	public TableCursor wholeOnce(UncachedReader reader, PageCacheShare share) {
		return cursor(null);
	}

	@Override
	public TableCursor intact(Consumer<StorageCorruptedException> damaged) {
		throw refuse();
	}

	@Override
	public long verify(UncachedReader reader, Consumer<StorageCorruptedException> damaged) {
		damaged.accept(this.damage);
		return 0;
	}

	@Override
	public void close() {
	}

	private StorageCorruptedException refuse() {
		return new StorageCorruptedException(this.damage.file(), this.damage.offset(), "the table is quarantined",
				this.damage);
	}

	/** A cursor that fails at its first key. */
	private final class Refusal implements TableCursor {

		private final Key from;

		private Refusal(Key from) {
			this.from = from;
		}

		@Override
		public Key from() {
			return this.from;
		}

		@Override
		public @Nullable KeyedEntry next() {
			throw refuse();
		}

	}

}
