package io.quorate.api.transport;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stalls of the event loops that serve clients: times for which a loop was frozen
 * with its process or its machine, in a pause of the garbage collector, or busy with one
 * task. Each loop notes its turns by a periodic task, from the moment when the port is
 * bound. Safe for any number of threads.
 */
final class Stalls implements AutoCloseable {

	/** Time between two turns that are noted. */
	static final Duration PERIOD = Duration.ofMillis(50);

	/** A shorter gap between two turns is no stall. */
	static final Duration LEAST = Duration.ofMillis(200);

	/** Number of turns that are remembered. */
	static final int REMEMBERED = 4;

	private static final Logger logger = LoggerFactory.getLogger(Stalls.class);

	/* A stall that requests with the default timeout feel. */
	private static final long SAID_FROM_NANOS = Duration.ofSeconds(1).toNanos();

	private final LongSupplier nanoTime;

	private final Map<EventExecutor, Loop> loops = new ConcurrentHashMap<>();

	/**
	 * The stalls of no loop yet.
	 * @param nanoTime a clock that never goes back
	 */
	Stalls(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/** A loop, whose turns are noted from now on at the latest. */
	Loop of(EventExecutor executor) {
		return this.loops.computeIfAbsent(executor, Loop::new);
	}

	/** Notes the turns of all loops in the group to which one belongs. */
	void watchAll(EventLoop one) {
		one.parent().forEach(this::of);
	}

	@Override
	public void close() {
		this.loops.values().forEach((loop) -> loop.noting.cancel(false));
	}

	/**
	 * One event loop. The time of all its stalls is one growing number: its difference
	 * between two moments is the time for which the loop has stood still between them. A
	 * stall that is not over counts already.
	 */
	final class Loop {

		private final EventExecutor executor;

		private final Future<?> noting;

		private volatile Turn last = new Turn(0, Stalls.this.nanoTime.getAsLong(), 0, new long[REMEMBERED]);

		private Loop(EventExecutor executor) {
			this.executor = executor;
			this.noting = executor.scheduleWithFixedDelay(this::note, PERIOD.toNanos(), PERIOD.toNanos(),
					TimeUnit.NANOSECONDS);
		}

		/*
		 * A task that throws is never run again: the loop would seem to stand still for
		 * ever.
		 */
		private void note() {
			try {
				turn();
			}
			catch (RuntimeException | Error bug) {
				logger.error("A turn of this event loop could not be noted", bug);
			}
		}

		/**
		 * Notes a turn, on the loop: it has looked at all of its connections and runs its
		 * own tasks.
		 */
		void turn() {
			Turn before = this.last;
			long now = Stalls.this.nanoTime.getAsLong();
			long stall = before.stall(now);
			this.last = before.next(now, stall);
			if (stall >= SAID_FROM_NANOS) {
				logger.info(
						"This event loop stood still for {} ms; requests that waited past their deadline are refused",
						TimeUnit.NANOSECONDS.toMillis(stall));
			}
		}

		/** Number of turns that were noted. */
		long turns() {
			return this.last.number;
		}

		/** Nanoseconds in which the loop has stood still, until now. */
		long stalledNanos() {
			Turn turn = this.last;
			return turn.stalledNanos + turn.stall(Stalls.this.nanoTime.getAsLong());
		}

		/**
		 * The value of {@link #stalledNanos()} before the last turns and all that came
		 * after them.
		 * @param turns at most {@value #REMEMBERED}
		 */
		long stalledNanosBefore(int turns) {
			return this.last.before[turns - 1];
		}

		/** Runs a task on the loop, later. */
		Future<?> schedule(Runnable task, long millis) {
			return this.executor.schedule(task, millis, TimeUnit.MILLISECONDS);
		}

	}

	/**
	 * A turn.
	 *
	 * @param before the time of stalls before this turn, before the one before it, and so
	 * on
	 */
	@SuppressWarnings("ArrayRecordComponent") // Never compared, never changed.
	private record Turn(long number, long nanos, long stalledNanos, long[] before) {

		private long stall(long now) {
			long gap = now - this.nanos;
			return (gap > LEAST.toNanos()) ? gap : 0;
		}

		private Turn next(long now, long stall) {
			long[] earlier = Arrays.copyOf(this.before, REMEMBERED);
			System.arraycopy(this.before, 0, earlier, 1, REMEMBERED - 1);
			earlier[0] = this.stalledNanos;
			return new Turn(this.number + 1, now, this.stalledNanos + stall, earlier);
		}

	}

}
