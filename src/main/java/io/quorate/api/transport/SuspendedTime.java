package io.quorate.api.transport;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A clock in nanoseconds that never goes back, and that goes on while the machine is
 * suspended: the monotonic clock of Linux stands still then, the physical one is set when
 * the machine is resumed. Where the physical clock runs ahead of the monotonic one by
 * more than {@link #LEAST} at once, the difference counts as time in which the machine
 * was suspended. Nothing tells a clock that is set forward from that.
 * <p>
 * Safe for any number of threads; takes no lock.
 */
final class SuspendedTime implements LongSupplier {

	/** The least step of the physical clock that counts. */
	static final Duration LEAST = Duration.ofMillis(500);

	/* Of the physical clock, as it is read. */
	private static final long PRECISION_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final LongSupplier monotonicNanos;

	private final LongSupplier physicalMillis;

	/* Of the physical clock, ahead of the monotonic one. */
	private final AtomicLong ahead;

	private final AtomicLong suspended = new AtomicLong();

	/**
	 * A clock that begins with the monotonic one.
	 * @param physicalMillis milliseconds since the epoch
	 */
	SuspendedTime(LongSupplier monotonicNanos, LongSupplier physicalMillis) {
		this.monotonicNanos = monotonicNanos;
		this.physicalMillis = physicalMillis;
		this.ahead = new AtomicLong(aheadNanos(monotonicNanos.getAsLong()));
	}

	private long aheadNanos(long monotonic) {
		return TimeUnit.MILLISECONDS.toNanos(this.physicalMillis.getAsLong()) - monotonic;
	}

	@Override
	public long getAsLong() {
		long monotonic = this.monotonicNanos.getAsLong();
		long before = this.ahead.get();
		long now = aheadNanos(monotonic);
		long after = this.monotonicNanos.getAsLong();
		// Of a thread that has stood still between the two clocks nothing is believed.
		boolean areRead = after - monotonic < PRECISION_NANOS;
		long step = now - before;
		// Whatever is visible is followed, so that slow drift adds up to no step; of the
		// threads that see one only one takes it.
		if (areRead && Math.abs(step) > PRECISION_NANOS && this.ahead.compareAndSet(before, now)
				&& step > LEAST.toNanos()) {
			this.suspended.addAndGet(step);
		}
		return after + this.suspended.get();
	}

}
