package io.quorate.storage.sstable;

/**
 * Where in a table an entry lies: its page, the node in the page, and the position in the
 * node, 16 bits of a {@code long} each. That is enough for every table: it has 2 GiB in
 * pages of 32 KiB at least, a page has fewer nodes than bytes, and a node fewer items.
 */
final class Place {

	/** Of what is nowhere. */
	static final long NONE = -1;

	/** Number of bits of a place; those above are zero. */
	static final int BITS = 48;

	private static final int PAGE_SHIFT = 32;

	private static final int NODE_SHIFT = 16;

	private static final int MASK = 0xffff;

	private Place() {
	}

	static long of(int page, int node, int position) {
		if (((page | node | position) & ~MASK) != 0) {
			throw new IllegalArgumentException(
					"page %d, node %d, position %d: each has 16 bits".formatted(page, node, position));
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
