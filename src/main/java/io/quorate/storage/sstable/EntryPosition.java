package io.quorate.storage.sstable;

/**
 * The position of an entry in a table: its page, the node in the page, and the position
 * in the node, packed in one {@code long}. Every possible table fits: a page has at most
 * a million bytes, and a file of 2 GiB has fewer pages than that.
 */
final class EntryPosition {

	/** The absence of a position. */
	static final long NONE = -1;

	private static final int PAGE_SHIFT = 40;

	private static final int NODE_SHIFT = 20;

	private static final int MASK = (1 << 20) - 1;

	private EntryPosition() {
	}

	static long of(int page, int node, int position) {
		if (((page | node | position) & ~MASK) != 0) {
			throw new IllegalArgumentException(
					"page %d, node %d, position %d: each has 20 bits".formatted(page, node, position));
		}
		return (long) page << PAGE_SHIFT | (long) node << NODE_SHIFT | position;
	}

	static int page(long place) {
		return (int) (place >>> PAGE_SHIFT);
	}

	static int node(long place) {
		return (int) (place >>> NODE_SHIFT) & MASK;
	}

	static int position(long place) {
		return (int) place & MASK;
	}

}
