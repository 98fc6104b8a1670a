package io.quorate.storage.engine;

import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.quorate.storage.StorageFailedException;
import org.jspecify.annotations.Nullable;

/** The view that is current, replaced as a whole. */
final class Views {

	private volatile View current;

	private volatile boolean closed;

	Views(View first) {
		this.current = first;
	}

	/** The current view without holding it: for counts and sizes only. */
	View peek() {
		return this.current;
	}

	/** The current view, held for the caller, who lets go of it. */
	View hold() {
		while (true) {
			View view = this.current;
			if (view.tryHold()) {
				return view;
			}
			if (this.closed) {
				throw new StorageFailedException("the store is closed", null);
			}
		}
	}

	/** Replaces the current view by what is made of it. */
	synchronized void replace(UnaryOperator<View> change) {
		View before = this.current;
		View after = change.apply(before);
		this.current = after;
		before.letGo();
	}

	/** Lets go of the current view; there is none from then on. */
	synchronized void close() {
		this.closed = true;
		this.current.letGo();
	}

	/** Runs something on the current view while it is held. */
	<T extends @Nullable Object> T with(Function<View, T> function) {
		View view = hold();
		try {
			return function.apply(view);
		}
		finally {
			view.letGo();
		}
	}

}
