package io.quorate.client;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A part of a range, complete.
 *
 * @param <R> the kind of record
 * @param records the records
 * @param cursor the place of the rest, for {@link RangeQuery#cursor}; {@code null} at the
 * end of the range
 */
public record Page<R>(List<R> records, @Nullable String cursor) {

	/** Creates a page with a copy of the records. */
	public Page {
		records = List.copyOf(records);
	}

}
