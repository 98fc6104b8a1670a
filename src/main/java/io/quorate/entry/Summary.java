package io.quorate.entry;

import java.util.Comparator;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * An entry without its value. Timestamps are unique: entries of a key with equal
 * summaries are the same entry.
 *
 * @param timestamp timestamp of the write
 * @param isTombstone whether it marks a deletion
 * @param from number of nodes that it was written to
 * @param expiryMillis instant from which on it reads as absent, in milliseconds since the
 * epoch, or {@link Versioned#NEVER}
 * @param valueSizeBytes number of bytes of its value; 0 for a tombstone
 * @param lineage place in the history of the key, {@code null} for a plain write
 */
public record Summary(Timestamp timestamp, boolean isTombstone, int from, long expiryMillis, int valueSizeBytes,
		@Nullable Lineage lineage) implements Versioned {

	public Summary {
		if (valueSizeBytes < 0 || (isTombstone && valueSizeBytes > 0)) {
			throw new IllegalArgumentException(
					"a %s of %d bytes".formatted(isTombstone ? "tombstone" : "value", valueSizeBytes));
		}
	}

	/** The summary of an entry of a plain write. */
	public Summary(Timestamp timestamp, boolean isTombstone, int from, long expiryMillis, int valueSizeBytes) {
		this(timestamp, isTombstone, from, expiryMillis, valueSizeBytes, null);
	}

	/** The summary of an entry. */
	public static Summary of(Entry entry) {
		int sizeBytes = (entry instanceof Entry.Live live) ? live.value().size() : 0;
		return new Summary(entry.timestamp(), entry.isTombstone(), entry.from(), entry.expiryMillis(), sizeBytes,
				entry.lineage());
	}

	/**
	 * Whether this is the same entry, or a newer one, by the order of merge as far as the
	 * values do not decide it.
	 */
	public boolean isAtLeast(Summary other) {
		return Versioned.compare(this, other, Comparator.comparingInt(Summary::valueSizeBytes)) >= 0;
	}

}
