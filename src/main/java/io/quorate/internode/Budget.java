package io.quorate.internode;

import java.util.concurrent.atomic.AtomicLong;

/**
 * An amount of something that may be in flight, taken and given back by any thread. One
 * taker is always let in when nothing is taken, however much it needs.
 */
final class Budget {

	private final long limit;

	private final AtomicLong taken = new AtomicLong();

	Budget(long limit) {
		this.limit = limit;
	}

	/** Takes an amount, or nothing. */
	boolean tryTake(long amount) {
		long before = this.taken.get();
		while (before == 0 || before + amount <= this.limit) {
			if (this.taken.compareAndSet(before, before + amount)) {
				return true;
			}
			before = this.taken.get();
		}
		return false;
	}

	/** Takes an amount, beyond the limit too. */
	void take(long amount) {
		this.taken.addAndGet(amount);
	}

	void giveBack(long amount) {
		this.taken.addAndGet(-amount);
	}

	long taken() {
		return this.taken.get();
	}

	long limit() {
		return this.limit;
	}

}
