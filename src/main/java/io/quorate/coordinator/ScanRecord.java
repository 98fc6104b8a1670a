package io.quorate.coordinator;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.entry.Versioned;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage;

/**
 * A record of a node in a scan: an entry, or, in a scan without values, its summary.
 *
 * @param state an {@link Entry} or a {@link Summary}; all of one scan are of one kind
 */
record ScanRecord(Key key, Versioned state) {

	static ScanRecord of(ScanPage.Item item) {
		return new ScanRecord(item.key(), item.entry());
	}

	static ScanRecord of(HeaderPage.Header header) {
		return new ScanRecord(header.key(), header.summary());
	}

	/** Approximate bytes of memory that it takes. */
	long sizeBytes() {
		return (long) this.key.size() + ((this.state instanceof Entry entry) ? ReadTally.valueBytes(entry)
				: HeaderPage.Header.OVERHEAD_BYTES);
	}

	/** The one of two states that wins. */
	static Versioned winner(Versioned one, Versioned other) {
		if (one instanceof Entry left && other instanceof Entry right) {
			return Entry.merge(left, right);
		}
		return ((Summary) one).isAtLeast((Summary) other) ? one : other;
	}

}
