package io.quorate.internode;

import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * An amount of something that may be in flight, taken and given back by any thread. It
 * may be a part of another one, which bounds several together. A taker is always let in
 * when nothing is taken of its budget, however much it needs: so each part goes on,
 * whatever the others have taken of the whole.
 */
final class Budget {

	private final long limit;

	private final @Nullable Budget whole;

	private final AtomicLong taken = new AtomicLong();

	Budget(long limit) {
		this(limit, null);
	}

	/**
	 * A part of a budget.
	 * @param whole has taken what all of its parts have, or {@code null} for none
	 */
	Budget(long limit, @Nullable Budget whole) {
		this.limit = limit;
		this.whole = whole;
	}

	/** Takes an amount, or nothing. */
	boolean tryTake(long amount) {
		long before = this.taken.get();
		while (before == 0 || before + amount <= this.limit) {
			if (this.taken.compareAndSet(before, before + amount)) {
				return before == 0 ? takeOfWhole(amount) : tryTakeOfWhole(amount);
			}
			before = this.taken.get();
		}
		return false;
	}

	private boolean takeOfWhole(long amount) {
		if (this.whole != null) {
			this.whole.take(amount);
		}
		return true;
	}

	private boolean tryTakeOfWhole(long amount) {
		if (this.whole == null || this.whole.tryTake(amount)) {
			return true;
		}
		this.taken.addAndGet(-amount);
		return false;
	}

	/** Takes an amount, beyond the limit too. */
	void take(long amount) {
		this.taken.addAndGet(amount);
		if (this.whole != null) {
			this.whole.take(amount);
		}
	}

	void giveBack(long amount) {
		this.taken.addAndGet(-amount);
		if (this.whole != null) {
			this.whole.giveBack(amount);
		}
	}

	long taken() {
		return this.taken.get();
	}

	long limit() {
		return this.limit;
	}

}
