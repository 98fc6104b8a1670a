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
 * A reading of another clock is taken in the middle of the round trip that has brought
 * it, and aged by the clock of this machine that goes on while it is suspended. One that
 * is far from the reading before may mean that this machine stood still with all of its
 * clocks: then the readings of all other members are wrong as well, and forgotten. Safe
 * for any number of threads.
 */
public final class TrueTime {

	/** That there is no agreement: no value has expired by it. */
	public static final long UNKNOWN = Long.MIN_VALUE;

	private static final long MOST_ROUND_TRIP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long USED_FOR_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);

	private static final long MOST_APART_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	/* More than the errors of two readings of a clock that runs as it should. */
	private static final long SAME_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	private final TimeSource own;

	private final LongSupplier bootNanos;

	private final Map<String, Reading> readings = new ConcurrentHashMap<>();

	/* A clock minus that of this machine, and the instant by the latter. */
	private record Reading(long offsetNanos, long takenNanos) {
	}

	/**
	 * An agreement that knows only the own clock yet.
	 * @param bootNanos the clock of this machine since its start, such as
	 * {@link BootTime#nanos}
	 */
	public TrueTime(TimeSource own, LongSupplier bootNanos) {
		this.own = own;
		this.bootNanos = bootNanos;
	}

	/**
	 * Records the time that another member has just reported of its physical clock.
	 * @param physicalMillis milliseconds since the epoch
	 * @param roundTripNanos time from the request for it until now, by the clock of this
	 * machine
	 */
	public void heard(String member, long physicalMillis, long roundTripNanos) {
		long now = this.bootNanos.getAsLong();
		long offset = TimeUnit.MILLISECONDS.toNanos(physicalMillis) + roundTripNanos / 2 - now;
		Reading before = this.readings.get(member);
		if (before != null && now - before.takenNanos <= USED_FOR_NANOS
				&& Math.abs(offset - before.offsetNanos) > SAME_NANOS + roundTripNanos / 2) {
			this.readings.clear();
		}
		if (roundTripNanos <= MOST_ROUND_TRIP_NANOS) {
			this.readings.put(member, new Reading(offset, now));
		}
	}

	/**
	 * The time on which the members agree, in milliseconds since the epoch, or
	 * {@link #UNKNOWN}.
	 * @param members ids of all members
	 * @param self id of this one
	 */
	public long millis(Collection<String> members, String self) {
		long now = this.bootNanos.getAsLong();
		long[] clocks = new long[members.size()];
		int count = 0;
		for (String member : members) {
			if (member.equals(self)) {
				clocks[count++] = TimeUnit.MILLISECONDS.toNanos(this.own.millis()) - now;
				continue;
			}
			@Nullable Reading reading = this.readings.get(member);
			if (reading != null && now - reading.takenNanos <= USED_FOR_NANOS) {
				clocks[count++] = reading.offsetNanos;
			}
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
