package io.quorate.storage.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.storage.PageLimit;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.sstable.TableCursor;
import org.jspecify.annotations.Nullable;

/**
 * A page that is being filled, up to its limits. Used by one thread.
 *
 * @param <T> type of its items
 */
final class PageBuilder<T> {

	private final ScanRange range;

	private final PageLimit limit;

	private final Predicate<KeyedEntry> leftOut;

	private final List<T> items = new ArrayList<>();

	private @Nullable Key next;

	/**
	 * An empty page.
	 * @param leftOut entries that are examined and not taken
	 */
	PageBuilder(ScanRange range, PageLimit limit, Predicate<KeyedEntry> leftOut) {
		this.range = range;
		this.limit = limit;
		this.leftOut = leftOut;
	}

	/**
	 * Takes entries as far as the limits permit. It examines at least one, which is taken
	 * unless it is left out.
	 * @param sizeOf number of bytes of the limit that an entry takes
	 * @param form makes the item of an entry, {@code null} for none
	 */
	void fill(TableCursor cursor, ToLongFunction<KeyedEntry> sizeOf, Function<KeyedEntry, ? extends @Nullable T> form) {
		long sizeBytes = 0;
		int examined = 0;
		KeyedEntry before = null;
		KeyedEntry entry = cursor.next();
		while (entry != null && !this.range.isPassedBy(entry.key())) {
			boolean taken = !this.leftOut.test(entry);
			long itemBytes = taken ? sizeOf.applyAsLong(entry) : 0;
			if (before != null && (examined == this.limit.examined() || (taken && isFull(sizeBytes + itemBytes)))) {
				this.next = this.range.isDescending() ? before.key() : entry.key();
				return;
			}
			T item = taken ? form.apply(entry) : null;
			if (item != null) {
				this.items.add(item);
				sizeBytes += itemBytes;
			}
			examined++;
			before = entry;
			entry = cursor.next();
		}
	}

	private boolean isFull(long sizeBytes) {
		return !this.items.isEmpty()
				&& (this.items.size() == this.limit.records() || sizeBytes > this.limit.sizeBytes());
	}

	List<T> items() {
		return this.items;
	}

	/**
	 * The border of the rest that was not examined: its first key, or, in descending
	 * order, its end, exclusive; {@code null} when there is none.
	 */
	@Nullable Key next() {
		return this.next;
	}

}
