package io.quorate.api.transport;

import java.time.Duration;
import java.util.Arrays;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The turns of one event loop, and the time in which it has stood still: frozen with its
 * process or its machine, in a pause of the garbage collector, or busy with one task.
 * <p>
 * The time of all stalls is one growing number: its difference between two moments is the
 * time for which the loop has stood still between them. A stall that is not over counts
 * already. {@link #turn()} is called by the loop, the other methods by any thread.
 */
final class LoopTurns {

	/** Time between two turns that are noted. */
	static final Duration PERIOD = Duration.ofMillis(50);

	/** A shorter gap between two turns is no stall. */
	static final Duration LEAST_STALL = Duration.ofMillis(200);

	/** Number of turns that are remembered. */
	static final int REMEMBERED = 4;

	private final LongSupplier nanoTime;

	private final LongConsumer stalls;

	private volatile Turn last;

	/**
	 * A loop that turns now.
	 * @param nanoTime a clock that never goes back
	 * @param stalls receives the nanoseconds of each stall when it is over
	 */
	LoopTurns(LongSupplier nanoTime, LongConsumer stalls) {
		this.nanoTime = nanoTime;
		this.stalls = stalls;
		this.last = new Turn(0, nanoTime.getAsLong(), 0, new long[REMEMBERED]);
	}

	/**
	 * Notes a turn: the loop has looked at all of its connections and runs its own tasks.
	 */
	void turn() {
		Turn before = this.last;
		long now = this.nanoTime.getAsLong();
		long stall = stall(before, now);
		this.last = before.next(now, stall);
		if (stall > 0) {
			this.stalls.accept(stall);
		}
	}

	private static long stall(Turn last, long now) {
		long gap = now - last.nanos;
		return (gap > LEAST_STALL.toNanos()) ? gap : 0;
	}

	/** Number of turns that were noted. */
	long number() {
		return this.last.number;
	}

	/** Nanoseconds in which the loop has stood still, until now. */
	long stalledNanos() {
		Turn turn = this.last;
		return turn.stalledNanos + stall(turn, this.nanoTime.getAsLong());
	}

	/**
	 * The value of {@link #stalledNanos()} before the last turns and all that came after
	 * them.
	 * @param turns at most {@value #REMEMBERED}
	 */
	long stalledNanosBefore(int turns) {
		return this.last.before[turns - 1];
	}

	/**
	 * A turn.
	 *
	 * @param before the time of stalls before this turn, before the one before it, and so
	 * on
	 */
	@SuppressWarnings("ArrayRecordComponent") // Never compared, never changed.
	private record Turn(long number, long nanos, long stalledNanos, long[] before) {

		private Turn next(long now, long stall) {
			long[] earlier = Arrays.copyOf(this.before, REMEMBERED);
			System.arraycopy(this.before, 0, earlier, 1, REMEMBERED - 1);
			earlier[0] = this.stalledNanos;
			return new Turn(this.number + 1, now, this.stalledNanos + stall, earlier);
		}

	}

}
