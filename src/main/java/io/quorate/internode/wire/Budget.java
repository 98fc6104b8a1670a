package io.quorate.internode.wire;

import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * A bound on an amount in flight, which any thread takes and releases. A budget may be a
 * part of another one, which bounds several parts together. When nothing is taken of a
 * budget, the next taker succeeds, however much it needs: so each part goes on, whatever
 * the other parts have taken of the whole.
 */
public final class Budget {

	private final long limit;

	private final @Nullable Budget whole;

	private final AtomicLong taken = new AtomicLong();

	public Budget(long limit) {
		this(limit, null);
	}

	/**
	 * A part of a budget.
	 * @param whole budget of which all amounts of its parts are taken, too, or
	 * {@code null} for none
	 */
	public Budget(long limit, @Nullable Budget whole) {
		this.limit = limit;
		this.whole = whole;
	}

	/** Takes an amount, or nothing when there is no room. */
	public boolean tryTake(long amount) {
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

	/** Takes an amount, even beyond the limit. */
	public void take(long amount) {
		this.taken.addAndGet(amount);
		if (this.whole != null) {
			this.whole.take(amount);
		}
	}

	public void release(long amount) {
		this.taken.addAndGet(-amount);
		if (this.whole != null) {
			this.whole.release(amount);
		}
	}

	public long taken() {
		return this.taken.get();
	}

	public long limit() {
		return this.limit;
	}

}
