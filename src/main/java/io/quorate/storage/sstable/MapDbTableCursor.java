package io.quorate.storage.sstable;

import java.util.function.Supplier;

import io.quorate.entry.Key;
import io.quorate.storage.record.KeyedEntry;
import org.jspecify.annotations.Nullable;

/**
 * A cursor of a table. It copies one page at a time, the first one at the first
 * {@link #next()}, and holds memory for one page from then to the end.
 */
final class MapDbTableCursor implements TableCursor {

	private final MapDbTable table;

	private final @Nullable Key start;

	private final Supplier<PageWalk> begin;

	private @Nullable PageWalk walk;

	private boolean ended;

	private long entries;

	MapDbTableCursor(MapDbTable table, @Nullable Key start, Supplier<PageWalk> begin) {
		this.table = table;
		this.start = start;
		this.begin = begin;
	}

	@Override
	public Key from() {
		Key smallest = this.table.summary().smallest();
		return (this.start != null && this.start.compareTo(smallest) > 0) ? this.start : smallest;
	}

	@Override
	public @Nullable KeyedEntry next() {
		if (this.ended) {
			return null;
		}
		PageWalk now = (this.walk != null) ? this.walk : this.begin.get();
		this.walk = now;
		try {
			KeyedEntry next = next(now);
			if (next == null) {
				this.ended = true;
				this.walk = null;
				requireAll();
			}
			this.entries++;
			return next;
		}
		catch (RuntimeException | AssertionError | InternalError ex) {
			throw this.table.readingFailure(Math.max(0, now.page()), ex);
		}
	}

	private @Nullable KeyedEntry next(PageWalk now) {
		if (now.page() < 0) {
			enterFirst(now);
		}
		KeyedEntry next = now.next();
		while (next == null && now.page() + 1 < this.table.pages()) {
			now.enter(now.page() + 1);
			next = now.next();
		}
		return next;
	}

	private void enterFirst(PageWalk now) {
		if (this.start == null) {
			now.enter(0);
		}
		else {
			now.enter(this.table.pageOf(this.start));
			now.skipTo(this.start.array());
		}
	}

	private void requireAll() {
		long expected = this.table.summary().entries();
		if (this.start == null && this.entries != expected) {
			throw new IllegalStateException("%d entries of %d".formatted(this.entries, expected));
		}
	}

}
