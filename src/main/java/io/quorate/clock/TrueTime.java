package io.quorate.clock;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * The time on which the clocks of the members agree: the middle of the tightest interval
 * that holds more than half of all of them, the own one included. While fewer than half
 * are wrong, and the others within 250 ms, it is within 500 ms of the true time, whatever
 * the wrong ones say; and where no interval of 500 ms holds so many, there is none.
 * <p>
 * A reading of another clock is taken in the middle of the time from the request for it
 * until it is recorded, and aged by the clock of this machine that goes on while it is
 * suspended. A first reading, a first one of a short round trip, or one that is apart
 * from the reading before by more than both may err, may mean that this machine stood
 * still with all of its clocks: then only readings are used that are asked for later.
 * Safe for any number of threads.
 */
public final class TrueTime {

	/** That there is no agreement: no value has expired by it. */
	public static final long UNKNOWN = Long.MIN_VALUE;

	private static final long MOST_ROUND_TRIP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long USED_FOR_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);

	private static final long MOST_APART_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	/* Of two readings of a clock that runs as it should, beside their round trips. */
	private static final long SAME_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	/* A clock that runs as it should drifts by less than a part of so many. */
	private static final long MOST_DRIFT = 1000;

	private final TimeSource own;

	private final LongSupplier bootNanos;

	private final Map<String, Reading> readings = new ConcurrentHashMap<>();

	/* By the clock of this machine, which may have stood still before. */
	private volatile long ranSinceNanos;

	/*
	 * A clock minus that of this machine, and the instants by the latter at which it was
	 * asked for and recorded.
	 */
	private record Reading(long offsetNanos, long askedNanos, long recordedNanos) {

		private boolean isExact() {
			return roundTripNanos() <= MOST_ROUND_TRIP_NANOS;
		}

		private boolean isOld(long nowNanos) {
			return nowNanos - this.recordedNanos > USED_FOR_NANOS;
		}

		private long roundTripNanos() {
			return this.recordedNanos - this.askedNanos;
		}

		private long driftNanos(long nowNanos) {
			return (nowNanos - this.recordedNanos) / MOST_DRIFT;
		}

		private boolean isFarFrom(Reading before) {
			long error = SAME_NANOS + (roundTripNanos() + before.roundTripNanos()) / 2
					+ before.driftNanos(this.recordedNanos);
			return Math.abs(this.offsetNanos - before.offsetNanos) > error;
		}

	}

	/**
	 * An agreement that knows only the own clock yet.
	 * @param bootNanos the clock of this machine since its start, such as
	 * {@link BootTime#nanos}
	 */
	public TrueTime(TimeSource own, LongSupplier bootNanos) {
		this.own = own;
		this.bootNanos = bootNanos;
		this.ranSinceNanos = bootNanos.getAsLong();
	}

	/** The clock of this machine, by which readings are aged. */
	public long nanos() {
		return this.bootNanos.getAsLong();
	}

	/**
	 * Records the time that another member has just reported of its physical clock.
	 * @param physicalMillis milliseconds since the epoch
	 * @param askedNanos instant at which it was asked for, by the clock of this machine
	 */
	public synchronized void heard(String member, long physicalMillis, long askedNanos) {
		long now = this.bootNanos.getAsLong();
		long offset = TimeUnit.MILLISECONDS.toNanos(physicalMillis) - askedNanos - (now - askedNanos) / 2;
		Reading reading = new Reading(offset, askedNanos, now);
		Reading before = this.readings.get(member);
		boolean isJump = before == null || (reading.isExact() && !before.isExact()) || reading.isFarFrom(before);
		if (isJump) {
			this.ranSinceNanos = now;
		}
		if (isJump || before == null || reading.isExact() || !before.isExact()
				|| before.driftNanos(now) > MOST_ROUND_TRIP_NANOS) {
			this.readings.put(member, reading);
		}
	}

	/**
	 * The time on which the members agree, in milliseconds since the epoch, or
	 * {@link #UNKNOWN}.
	 * @param members ids of all members
	 * @param self id of this one
	 */
	public long millis(Collection<String> members, String self) {
		return millis(members, self, null);
	}

	/**
	 * As {@link #millis(Collection, String)}, but {@link #UNKNOWN} until the clock of
	 * another member, if there is one, was asked for since an instant: if this machine
	 * stood still before that instant, it has noticed.
	 * @param sinceNanos the instant, by the clock of this machine
	 */
	public long millisSince(Collection<String> members, String self, long sinceNanos) {
		return millis(members, self, sinceNanos);
	}

	private long millis(Collection<String> members, String self, @Nullable Long sinceNanos) {
		long now = this.bootNanos.getAsLong();
		long ranSince = this.ranSinceNanos;
		long[] clocks = new long[members.size()];
		int count = 0;
		boolean isKnown = sinceNanos == null || members.size() == 1;
		for (String member : members) {
			if (member.equals(self)) {
				clocks[count++] = TimeUnit.MILLISECONDS.toNanos(this.own.millis()) - now;
				continue;
			}
			@Nullable Reading reading = this.readings.get(member);
			if (reading != null && reading.isExact() && !reading.isOld(now) && reading.askedNanos - ranSince >= 0) {
				clocks[count++] = reading.offsetNanos;
				isKnown |= sinceNanos != null && reading.askedNanos - sinceNanos >= 0;
			}
		}
		if (!isKnown) {
			return UNKNOWN;
		}
		long offset = middle(Arrays.copyOf(clocks, count), members.size(), MOST_APART_NANOS);
		return (offset != UNKNOWN) ? Math.floorDiv(now + offset, TimeUnit.MILLISECONDS.toNanos(1)) : UNKNOWN;
	}

	/**
	 * The middle of the tightest interval that holds more than half of all clocks.
	 * @param read those that were read
	 * @param all number of all
	 * @param mostApart greatest width of the interval
	 * @return the middle, or {@link #UNKNOWN} when no such interval is so tight
	 */
	static long middle(long[] read, int all, long mostApart) {
		int majority = all / 2 + 1;
		Arrays.sort(read);
		long middle = UNKNOWN;
		long tightest = mostApart;
		for (int i = 0; i + majority <= read.length; i++) {
			long width = read[i + majority - 1] - read[i];
			if (width < tightest || (width == tightest && middle == UNKNOWN)) {
				tightest = width;
				middle = read[i] + width / 2;
			}
		}
		return middle;
	}

}
