package io.quorate.storage;

import java.util.List;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * A part of a key range, in the order of its range.
 *
 * @param records the entries, including tombstones and expired ones that must not be
 * purged yet; possibly none, also before the end
 * @param next border of the rest of the range, of which nothing was examined: its first
 * key, or, in descending order, its end, exclusive; {@code null} when the range ends
 */
public record ScanPage(List<Item> records, @Nullable Key next) {

	public ScanPage {
		records = List.copyOf(records);
	}

	/** One entry and its key. */
	public record Item(Key key, Entry entry) {
	}

}
