package io.quorate.storage.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.quorate.storage.StorageFailedException;
import io.quorate.storage.values.ValueFiles;
import org.jspecify.annotations.Nullable;

/** The view that is current, replaced as a whole. */
final class Views {

	private volatile View current;

	private volatile boolean closed;

	Views(View first) {
		this.current = first;
	}

	/** The current view without a reference: for counts and sizes only. */
	View peek() {
		return this.current;
	}

	/** The current view, with a reference that the caller releases. */
	View retain() {
		while (true) {
			View view = this.current;
			if (view.tryRetain()) {
				return view;
			}
			if (this.closed) {
				throw new StorageFailedException("the store is closed", null);
			}
		}
	}

	/** Replaces the current view by one made from it. */
	synchronized void replace(UnaryOperator<View> change) {
		View before = this.current;
		View after = change.apply(before);
		this.current = after;
		before.release();
	}

	/** Seals the active memtable, and begins that of a segment of the log. */
	void seal(long segment, ValueFiles values) {
		MemtableHandle next = new MemtableHandle(peek().active().memtable().next(segment), values);
		replace((view) -> {
			List<MemtableHandle> sealed = new ArrayList<>(view.sealed());
			sealed.add(view.active());
			return new View(next, sealed, view.tables(), view.floors());
		});
	}

	/** Releases the current view; there is none from then on. */
	synchronized void close() {
		this.closed = true;
		this.current.release();
	}

	/** Applies a function to the current view while holding a reference to it. */
	<T extends @Nullable Object> T with(Function<View, T> function) {
		View view = retain();
		try {
			return function.apply(view);
		}
		finally {
			view.release();
		}
	}

}
