package io.quorate.watch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * The watches of a node by their ranges. Those of a key are found in a time with the
 * logarithm of their number; the first search after a change takes time with the number.
 * Used by one thread at a time.
 */
final class WatchIndex {

	/*
	 * By their starts: a tree, the root of each part of which is in its middle. Greatest
	 * ends of the parts are at their roots, null for the end of all keys.
	 */
	private final List<Listener> all = new ArrayList<>();

	private @Nullable Key[] ends = {};

	private boolean isChanged;

	void add(Listener watch) {
		this.all.add(watch);
		this.isChanged = true;
	}

	void remove(Listener watch) {
		this.isChanged |= this.all.remove(watch);
	}

	boolean isEmpty() {
		return this.all.isEmpty();
	}

	/** All watches, whatever happens to them meanwhile. */
	List<Listener> all() {
		return List.copyOf(this.all);
	}

	/** The watches of a key. */
	List<Listener> of(Key key) {
		List<Listener> found = new ArrayList<>();
		var _ = any(key, (watch) -> !found.add(watch));
		return found;
	}

	/**
	 * Whether one of the watches of a key is as is asked for: the others are left out.
	 */
	boolean any(Key key, Predicate<Listener> which) {
		if (this.isChanged && !this.all.isEmpty()) {
			this.all.sort(Comparator.comparing((watch) -> watch.range().start()));
			this.ends = new Key[this.all.size()];
			var _ = end(0, this.all.size());
			this.isChanged = false;
		}
		return any(key, 0, this.all.size(), which);
	}

	/* Of a part that is not empty. */
	private @Nullable Key end(int low, int high) {
		int middle = (low + high) >>> 1;
		Key end = this.all.get(middle).range().end();
		end = (low < middle) ? later(end, end(low, middle)) : end;
		end = (middle + 1 < high) ? later(end, end(middle + 1, high)) : end;
		this.ends[middle] = end;
		return end;
	}

	private static @Nullable Key later(@Nullable Key one, @Nullable Key other) {
		if (one == null || other == null) {
			return null;
		}
		return (one.compareTo(other) < 0) ? other : one;
	}

	private boolean any(Key key, int low, int high, Predicate<Listener> which) {
		if (low == high) {
			return false;
		}
		int middle = (low + high) >>> 1;
		Key end = this.ends[middle];
		if (end != null && end.compareTo(key) <= 0) {
			return false;
		}
		if (any(key, low, middle, which)) {
			return true;
		}
		Listener watch = this.all.get(middle);
		if (watch.range().start().compareTo(key) > 0) {
			return false;
		}
		return (watch.covers(key) && which.test(watch)) || any(key, middle + 1, high, which);
	}

}
