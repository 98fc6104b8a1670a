package io.quorate.storage.sstable;

import java.util.Iterator;
import java.util.Map;

import io.quorate.entry.Key;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.Nullable;

/** A position in a table, which reads a node of a page at a time, the first one late. */
final class MapDbTableCursor implements TableCursor {

	private final MapDbTable table;

	private final @Nullable Key start;

	private @Nullable Iterator<Map.Entry<byte[], StoredEntry>> entries;

	private Key latest;

	MapDbTableCursor(MapDbTable table, @Nullable Key start) {
		this.table = table;
		this.start = start;
		this.latest = (start != null) ? start : table.summary().smallest();
	}

	@Override
	public @Nullable KeyedEntry next() {
		try {
			if (this.entries == null) {
				this.entries = this.table.entriesFrom(this.start);
			}
			if (!this.entries.hasNext()) {
				return null;
			}
			Map.Entry<byte[], StoredEntry> entry = this.entries.next();
			this.latest = Key.wrap(entry.getKey());
			return new KeyedEntry(this.latest, entry.getValue());
		}
		catch (RuntimeException | AssertionError | InternalError ex) {
			throw this.table.readingFailure(this.latest, ex);
		}
	}

}
