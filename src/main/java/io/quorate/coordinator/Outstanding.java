package io.quorate.coordinator;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The reference count of a write's bytes. The last reference gives them back. Safe for
 * any number of threads.
 */
final class Outstanding {

	private final Runnable end;

	private final AtomicInteger holders = new AtomicInteger(1);

	/**
	 * A count of one.
	 * @param end runs when the last one has gone
	 */
	Outstanding(Runnable end) {
		this.end = end;
	}

	void oneMore() {
		this.holders.incrementAndGet();
	}

	void oneLess() {
		if (this.holders.decrementAndGet() == 0) {
			this.end.run();
		}
	}

}
