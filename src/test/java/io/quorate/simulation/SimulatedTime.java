package io.quorate.simulation;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The time of a simulation, in which one thing happens after the other. A piece of work
 * that waits has other things happen meanwhile ({@link #await}), on the same stack.
 */
public final class SimulatedTime {

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private final Consumer<PowerFailure> failed;

	private long nanos;

	private long number;

	/** Time in which nothing happens yet, and no node loses its power. */
	public SimulatedTime() {
		this((failure) -> {
			throw failure;
		});
	}

	/**
	 * Time in which nothing happens yet.
	 * @param failed ends the process of a node that an event has interrupted
	 */
	SimulatedTime(Consumer<PowerFailure> failed) {
		this.failed = failed;
	}

	private record Event(long nanos, long number, Runnable run) implements Comparable<Event> {

		@Override
		public int compareTo(Event other) {
			return (this.nanos != other.nanos) ? Long.compare(this.nanos, other.nanos)
					: Long.compare(this.number, other.number);
		}

	}

	/** The monotonic clock. */
	public long nanos() {
		return this.nanos;
	}

	long millis() {
		return this.nanos / 1_000_000;
	}

	/** Has something happen after a time. */
	public void in(Duration delay, Runnable event) {
		at(delay.toNanos(), event);
	}

	void at(long delayNanos, Runnable event) {
		this.events.add(new Event(this.nanos + Math.max(delayNanos, 0), this.number++, event));
	}

	/** Has something happen again and again. */
	void each(Duration period, Runnable event) {
		in(period, () -> {
			event.run();
			each(period, event);
		});
	}

	/** Has happen what happens in a time. */
	public void run(Duration time) {
		long end = this.nanos + time.toNanos();
		while (!this.events.isEmpty() && this.events.element().nanos <= end) {
			step();
		}
		this.nanos = Math.max(this.nanos, end);
	}

	/**
	 * Has things happen until a future is done.
	 * @param isAwaited whether it is still awaited
	 */
	void await(Future<?> future, BooleanSupplier isAwaited) {
		while (!future.isDone() && isAwaited.getAsBoolean()) {
			step();
		}
	}

	private void step() {
		Event next = this.events.remove();
		this.nanos = Math.max(this.nanos, next.nanos);
		try {
			next.run.run();
		}
		catch (PowerFailure failure) {
			this.failed.accept(failure);
		}
	}

}
