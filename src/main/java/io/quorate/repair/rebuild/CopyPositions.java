package io.quorate.repair.rebuild;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * The next page to copy of each source of a rebuild, and to merge back of the data that
 * is set aside: an attempt that fails is followed by one that goes on from there, within
 * one process. That is safe for members' pages because their horizons are read after the
 * last page of all. Used by one thread.
 */
final class CopyPositions {

	private static final Key FIRST = Key.wrap(new byte[1]);

	private final Map<String, Key> next = new HashMap<>();

	private final Set<String> done = new HashSet<>();

	private Merge merge = new Merge(false, FIRST, Counts.NONE);

	/**
	 * The progress of the merge of the data that was set aside.
	 *
	 * @param complete whether only those entries are merged that no member can bring
	 * @param next first key that was not looked at, {@code null} when all were
	 */
	record Merge(boolean complete, @Nullable Key next, Counts counts) {

		Merge reached(@Nullable Key key, Counts more) {
			return new Merge(this.complete, key, this.counts.plus(more));
		}

	}

	/**
	 * Counts of the entries that were set aside.
	 *
	 * @param merged entries that are merged back
	 * @param alone those of them that are merged back only because no other node can hold
	 * them
	 * @param left entries that are not merged back
	 */
	record Counts(long merged, long alone, long left) {

		static final Counts NONE = new Counts(0, 0, 0);

		Counts plus(Counts more) {
			return new Counts(this.merged + more.merged, this.alone + more.alone, this.left + more.left);
		}

	}

	/** Those of the given members that are not copied to the end. */
	Set<String> missingOf(Set<String> members) {
		Set<String> missing = new TreeSet<>(members);
		missing.removeAll(this.done);
		return missing;
	}

	/** First key of a member that was not copied. */
	Key nextOf(String member) {
		return this.next.getOrDefault(member, FIRST);
	}

	/**
	 * Records that a page of a member is in the store.
	 * @param key first key that was not copied, {@code null} when all were
	 */
	void copied(String member, @Nullable Key key) {
		if (key == null) {
			this.done.add(member);
		}
		else {
			this.next.put(member, key);
		}
	}

	/** Progress of the merge of one kind; a merge of the other kind begins anew. */
	Merge mergeOf(boolean complete) {
		if (this.merge.complete() != complete) {
			this.merge = new Merge(complete, FIRST, Counts.NONE);
		}
		return this.merge;
	}

	/** Records that a page of the data that was set aside is in the store. */
	void merged(Merge reached) {
		this.merge = reached;
	}

}
