package io.quorate.storage.memtable;

import java.util.random.RandomGenerator;

import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a memtable in their order: a skip list (W. Pugh, Skip Lists, 1990) into
 * which one thread inserts, and from which nothing is removed. Threads that read
 * meanwhile find every key whose insertion has ended.
 */
final class KeyOrder {

	private static final int HIGHEST = 1 << (2 * (KeyNodes.MOST_LEVELS - 1));

	private final KeyNodes nodes;

	private final EntryBytes bytes;

	private final RandomGenerator random;

	private final int[] before = new int[KeyNodes.MOST_LEVELS];

	private volatile int levels = 1;

	/**
	 * An order without keys.
	 * @param random chooses the number of levels of a key
	 */
	KeyOrder(KeyNodes nodes, EntryBytes bytes, RandomGenerator random) {
		this.nodes = nodes;
		this.bytes = bytes;
		this.random = random;
	}

	/** Adds a key that is not in the order yet, and returns its node. */
	int add(Key key) {
		int height = height();
		if (height > this.levels) {
			this.levels = height;
		}
		search(key, this.before);
		int node = this.nodes.add(this.bytes.add(key), height);
		for (int level = 0; level < height; level++) {
			this.nodes.link(node, level, this.nodes.next(this.before[level], level));
		}
		for (int level = 0; level < height; level++) {
			this.nodes.link(this.before[level], level, node);
		}
		return node;
	}

	/* One of four nodes of a level stands on the next one, too. */
	private int height() {
		return 1 + Integer.numberOfTrailingZeros(this.random.nextInt() | HIGHEST) / 2;
	}

	/**
	 * The node of a key, {@link KeyNodes#HEAD} for none. The node that was compared last
	 * is returned: the link to it may lead by now to another key, inserted in front of
	 * it.
	 */
	int find(Key key) {
		int node = search(key, null);
		return (node != KeyNodes.HEAD && this.bytes.isAt(this.nodes.key(node), key)) ? node : KeyNodes.HEAD;
	}

	/** The last node whose key is less, {@link KeyNodes#HEAD} when there is none. */
	int lastBefore(Key key) {
		int[] onEachLevel = new int[KeyNodes.MOST_LEVELS];
		search(key, onEachLevel);
		return onEachLevel[0];
	}

	/** The last node, {@link KeyNodes#HEAD} when there is none. */
	int last() {
		int at = KeyNodes.HEAD;
		for (int level = this.levels - 1; level >= 0; level--) {
			for (int next = this.nodes.next(at, level); next != KeyNodes.HEAD; next = this.nodes.next(at, level)) {
				at = next;
			}
		}
		return at;
	}

	/**
	 * The first node whose key is not less, {@link KeyNodes#HEAD} when there is none.
	 * Each link is read once.
	 * @param lastBefore takes the last node on each level whose key is less
	 */
	private int search(Key key, int @Nullable [] lastBefore) {
		int at = KeyNodes.HEAD;
		int notLess = KeyNodes.HEAD;
		for (int level = this.levels - 1; level >= 0; level--) {
			int next = this.nodes.next(at, level);
			// A node that was found too large on the level above need not be compared
			// again.
			while (next != KeyNodes.HEAD && next != notLess && this.bytes.compare(this.nodes.key(next), key) < 0) {
				at = next;
				next = this.nodes.next(at, level);
			}
			notLess = next;
			if (lastBefore != null) {
				lastBefore[level] = at;
			}
		}
		return notLess;
	}

}
