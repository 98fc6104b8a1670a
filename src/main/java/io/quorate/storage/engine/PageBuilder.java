package io.quorate.storage.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

import io.quorate.entry.Key;
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

	private final @Nullable Key end;

	private final PageLimit limit;

	private final Predicate<KeyedEntry> leftOut;

	private final List<T> items = new ArrayList<>();

	private @Nullable Key next;

	/**
	 * An empty page.
	 * @param end end of the range, exclusive, or {@code null} for the end of the store
	 * @param leftOut entries that are examined and not taken
	 */
	PageBuilder(@Nullable Key end, PageLimit limit, Predicate<KeyedEntry> leftOut) {
		this.end = end;
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
		KeyedEntry entry = cursor.next();
		while (entry != null && (this.end == null || entry.key().compareTo(this.end) < 0)) {
			boolean taken = !this.leftOut.test(entry);
			long itemBytes = taken ? sizeOf.applyAsLong(entry) : 0;
			if (examined == this.limit.examined() || (taken && isFull(sizeBytes + itemBytes))) {
				this.next = entry.key();
				return;
			}
			T item = taken ? form.apply(entry) : null;
			if (item != null) {
				this.items.add(item);
				sizeBytes += itemBytes;
			}
			examined++;
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

	/** The first key that was not examined, or {@code null} at the end of the range. */
	@Nullable Key next() {
		return this.next;
	}

}
