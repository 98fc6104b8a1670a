package io.quorate.repair.comparison;

import java.util.List;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage.Item;
import org.jspecify.annotations.Nullable;

/**
 * The store of this node, for threads that may block. Every method throws a
 * {@link ComparisonFailedException} when the store fails.
 */
public interface OwnStore {

	/**
	 * Reads a page of headers.
	 * @param end end of the range, exclusive, or {@code null} for the end of the store
	 * @param limit most headers on the page
	 */
	HeaderPage headers(Key start, @Nullable Key end, int limit);

	/** The entry held of a key, or {@code null} for none. */
	@Nullable Entry read(Key key);

	/** Returns when the entries, or newer ones, are held durably. */
	void apply(List<Item> entries);

}
