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

	private final @Nullable Key border;

	private final boolean isDescending;

	private final Supplier<PageWalk> begin;

	private @Nullable PageWalk walk;

	private boolean ended;

	private long entries;

	private MapDbTableCursor(MapDbTable table, @Nullable Key border, boolean isDescending, Supplier<PageWalk> begin) {
		this.table = table;
		this.border = border;
		this.isDescending = isDescending;
		this.begin = begin;
	}

	/** From {@code start}, inclusive, or the first entry, to the last one. */
	static MapDbTableCursor ascending(MapDbTable table, @Nullable Key start, Supplier<PageWalk> begin) {
		return new MapDbTableCursor(table, start, false, begin);
	}

	/** From {@code end}, exclusive, or the last entry, to the first one. */
	static MapDbTableCursor descending(MapDbTable table, @Nullable Key end, Supplier<PageWalk> begin) {
		return new MapDbTableCursor(table, end, true, begin);
	}

	@Override
	public Key from() {
		Key outermost = this.isDescending ? this.table.summary().keys().largest()
				: this.table.summary().keys().smallest();
		boolean isInside = this.border != null && (this.border.compareTo(outermost) < 0) == this.isDescending;
		return (this.border != null && isInside) ? this.border : outermost;
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
		return this.isDescending ? before(now) : behind(now);
	}

	private @Nullable KeyedEntry behind(PageWalk now) {
		KeyedEntry next = now.next();
		while (next == null && now.page() + 1 < this.table.pages()) {
			now.enter(now.page() + 1);
			next = now.next();
		}
		return next;
	}

	private @Nullable KeyedEntry before(PageWalk now) {
		KeyedEntry next = now.previous();
		while (next == null && now.page() > 0) {
			now.enterAtEnd(now.page() - 1);
			next = now.previous();
		}
		return next;
	}

	private void enterFirst(PageWalk now) {
		if (this.isDescending) {
			now.enterAtEnd((this.border != null) ? this.table.pageOf(this.border) : this.table.pages() - 1);
			if (this.border != null) {
				now.skipBackTo(this.border.array());
			}
		}
		else {
			now.enter((this.border != null) ? this.table.pageOf(this.border) : 0);
			if (this.border != null) {
				now.skipTo(this.border.array());
			}
		}
	}

	private void requireAll() {
		long expected = this.table.summary().counts().entries();
		if (this.border == null && this.entries != expected) {
			throw new IllegalStateException("%d entries of %d".formatted(this.entries, expected));
		}
	}

}
