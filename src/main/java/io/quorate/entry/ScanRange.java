package io.quorate.entry;

import java.util.Comparator;

import org.jspecify.annotations.Nullable;

/**
 * A range of keys, and the direction in which a scan goes through it.
 *
 * @param start first key, inclusive
 * @param end end of the range, exclusive, or {@code null} for the end of all keys
 * @param isDescending whether the scan goes from the end to the start
 */
public record ScanRange(Key start, @Nullable Key end, boolean isDescending) {

	/** A range from its start to its end. */
	public static ScanRange ascending(Key start, @Nullable Key end) {
		return new ScanRange(start, end, false);
	}

	/** A range from its end to its start. */
	public static ScanRange descending(Key start, @Nullable Key end) {
		return new ScanRange(start, end, true);
	}

	/** The range of one key. */
	public static ScanRange only(Key key) {
		return ascending(key, key.next());
	}

	/** Whether no key can be in the range. */
	public boolean isEmpty() {
		return this.end != null && this.end.compareTo(this.start) <= 0;
	}

	/** The order of keys in the direction of the scan. */
	public Comparator<Key> order() {
		return this.isDescending ? Comparator.reverseOrder() : Comparator.naturalOrder();
	}

	/**
	 * Whether a key that is not before the range, in the direction of the scan, is behind
	 * it.
	 */
	public boolean isPassedBy(Key key) {
		return this.isDescending ? key.compareTo(this.start) < 0 : this.end != null && key.compareTo(this.end) >= 0;
	}

	/** Whether the range, in the direction of the scan, begins before a key. */
	public boolean beginsBefore(Key key) {
		return this.isDescending ? this.end == null || this.end.compareTo(key) > 0 : this.start.compareTo(key) < 0;
	}

	/**
	 * The rest of the range.
	 * @param border the first key of the rest, or, if the range is descending, its end,
	 * exclusive
	 */
	public ScanRange restFrom(Key border) {
		return this.isDescending ? descending(this.start, border) : ascending(border, this.end);
	}

}
