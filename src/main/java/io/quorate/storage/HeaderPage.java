package io.quorate.storage;

import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage;
import io.quorate.entry.LineageCodec;
import io.quorate.entry.Summary;
import io.quorate.entry.Versioned;
import org.jspecify.annotations.Nullable;

/**
 * A part of a key range without the values, in the order of its range.
 *
 * @param headers of the entries, including tombstones and expired ones that must not be
 * purged yet
 * @param next border of the rest of the range, of which nothing was examined: its first
 * key, or, in descending order, its end, exclusive; {@code null} when the range ends
 */
public record HeaderPage(List<Header> headers, @Nullable Key next) {

	public HeaderPage {
		headers = List.copyOf(headers);
	}

	/**
	 * One entry without its value.
	 *
	 * @param sequence number of its first arrival in this store
	 */
	public record Header(Key key, Summary summary, long sequence) implements Versioned {

		/** Number of bytes that a header counts besides key and lineage. */
		public static final int OVERHEAD_BYTES = Timestamp.SIZE_BYTES + 2 + 2 * Long.BYTES + Integer.BYTES;

		@Override
		public Timestamp timestamp() {
			return this.summary.timestamp();
		}

		@Override
		public @Nullable Lineage lineage() {
			return this.summary.lineage();
		}

		@Override
		public boolean isTombstone() {
			return this.summary.isTombstone();
		}

		@Override
		public long expiryMillis() {
			return this.summary.expiryMillis();
		}

		@Override
		public int from() {
			return this.summary.from();
		}

		/** Number of bytes of the value, wherever it is stored; 0 for a tombstone. */
		public int valueSizeBytes() {
			return this.summary.valueSizeBytes();
		}

		/** Number of bytes that the header counts towards the limit of a page. */
		public int sizeBytes() {
			return sizeBytes(this.key, this.summary);
		}

		/** Number of bytes that the header of an entry counts towards the limit. */
		public static int sizeBytes(Key key, Versioned entry) {
			return key.size() + OVERHEAD_BYTES + LineageCodec.size(entry);
		}

	}

}
