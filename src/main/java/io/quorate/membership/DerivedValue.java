package io.quorate.membership;

import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A value that is derived from the current layout. Changed by one thread at a time, read
 * by any.
 */
final class DerivedValue<T> implements Supplier<T> {

	private final Function<Layout, T> form;

	private volatile T value;

	DerivedValue(Function<Layout, T> form, Layout first) {
		this.form = form;
		this.value = form.apply(first);
	}

	/** Derives the value of a later layout; the change that is returned sets it. */
	Runnable changeTo(Layout later) {
		T next = this.form.apply(later);
		return () -> this.value = next;
	}

	@Override
	public T get() {
		return this.value;
	}

}
