package io.quorate.repair.comparison;

import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * A range of keys.
 *
 * @param start first key, inclusive
 * @param end end of the range, exclusive, or {@code null} for the end of the store
 */
public record KeyRange(Key start, @Nullable Key end) {

	/** All keys. */
	public static final KeyRange ALL = new KeyRange(Key.wrap(new byte[1]), null);

	public KeyRange {
		if (end != null && start.compareTo(end) >= 0) {
			throw new IllegalArgumentException("the end of a range must be behind its start");
		}
	}

	/** Whether it is the whole of a store. */
	public boolean isAll() {
		return equals(ALL);
	}

}
