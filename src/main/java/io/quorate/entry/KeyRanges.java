package io.quorate.entry;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * A set of keys as ranges with keys between them, in the order of their starts: at most
 * {@value #MOST}. A look-up takes time with the logarithm of their number. Immutable.
 *
 * @param ranges the ranges, all of them ascending and none of them empty
 */
public record KeyRanges(List<ScanRange> ranges) {

	/** Greatest number of ranges of a set. */
	public static final int MOST = 64;

	/** Bytes of the starts and ends of several ranges of a set that is made, about. */
	static final int MOST_BYTES = 8 * 1024;

	/** No key. */
	public static final KeyRanges NONE = new KeyRanges(List.of());

	/**
	 * A set of ranges.
	 * @throws IllegalArgumentException when they are too many, descending, empty, or not
	 * apart in ascending order
	 */
	public KeyRanges {
		ranges = List.copyOf(ranges);
		if (ranges.size() > MOST) {
			throw new IllegalArgumentException("%d ranges, more than %d".formatted(ranges.size(), MOST));
		}
		ScanRange before = null;
		for (ScanRange range : ranges) {
			if (range.isDescending() || range.isEmpty() || (before != null && !isApart(before, range))) {
				throw new IllegalArgumentException("ranges that are not apart in ascending order: " + ranges);
			}
			before = range;
		}
	}

	private static boolean isApart(ScanRange before, ScanRange range) {
		return before.end() != null && before.end().compareTo(range.start()) < 0;
	}

	/**
	 * The least set of ranges that has all keys of the given ones. Beyond {@value #MOST}
	 * ranges, or {@value #MOST_BYTES} bytes of them, neighbours become one, together with
	 * the keys between them.
	 */
	public static KeyRanges of(Collection<ScanRange> given) {
		List<ScanRange> apart = new ArrayList<>();
		given.stream()
			.filter((range) -> !range.isEmpty())
			.sorted(Comparator.comparing(ScanRange::start))
			.forEach((range) -> add(range, apart));
		int bytes = apart.stream().mapToInt(KeyRanges::sizeBytes).sum();
		int each = Math.max(Math.ceilDiv(apart.size(), MOST), Math.ceilDiv(bytes, MOST_BYTES));
		List<ScanRange> joined = new ArrayList<>();
		for (int first = 0; first < apart.size(); first += each) {
			ScanRange last = apart.get(Math.min(first + each, apart.size()) - 1);
			joined.add(ScanRange.ascending(apart.get(first).start(), last.end()));
		}
		return new KeyRanges(joined);
	}

	private static int sizeBytes(ScanRange range) {
		return range.start().size() + ((range.end() != null) ? range.end().size() : 0);
	}

	private static void add(ScanRange range, List<ScanRange> apart) {
		ScanRange last = apart.isEmpty() ? null : apart.getLast();
		if (last == null || isApart(last, range)) {
			apart.add(ScanRange.ascending(range.start(), range.end()));
			return;
		}
		Key end = last.end();
		boolean isLonger = end != null && (range.end() == null || range.end().compareTo(end) > 0);
		if (isLonger) {
			apart.set(apart.size() - 1, ScanRange.ascending(last.start(), range.end()));
		}
	}

	/** Whether a key is in one of the ranges. */
	public boolean contains(Key key) {
		int low = 0;
		int high = this.ranges.size() - 1;
		while (low <= high) {
			int middle = (low + high) >>> 1;
			ScanRange range = this.ranges.get(middle);
			if (key.compareTo(range.start()) < 0) {
				high = middle - 1;
			}
			else if (range.isPassedBy(key)) {
				low = middle + 1;
			}
			else {
				return true;
			}
		}
		return false;
	}

	/** Whether all keys of a range are in one of these. */
	public boolean covers(ScanRange range) {
		return range.isEmpty() || this.ranges.stream()
			.anyMatch((each) -> each.start().compareTo(range.start()) <= 0
					&& (each.end() == null || (range.end() != null && range.end().compareTo(each.end()) <= 0)));
	}

}
