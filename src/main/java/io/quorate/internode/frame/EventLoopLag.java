package io.quorate.internode.frame;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.netty.channel.EventLoop;
import io.quorate.internode.InternodeMeters;

/**
 * Measures the lateness of due tasks on event loops, by a periodic task on each loop. A
 * loop that has stood still makes up for every run that it has missed, so that a pause
 * weighs as much as it would have for requests.
 */
public final class EventLoopLag {

	static final Duration PERIOD = Duration.ofMillis(100);

	private final List<EventLoop> loops;

	private final LongSupplier nanoTime;

	private final Timer lag;

	private final List<Future<?>> probes = new ArrayList<>();

	/** Measures nothing before the start. */
	public EventLoopLag(List<EventLoop> loops, MeterRegistry registry) {
		this(loops, registry, System::nanoTime);
	}

	EventLoopLag(List<EventLoop> loops, MeterRegistry registry, LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.loops = List.copyOf(loops);
		this.lag = InternodeMeters.EVENT_LOOP_LAG.timer(registry);
	}

	/** Begins to measure. */
	public synchronized void start() {
		for (EventLoop loop : this.loops) {
			Probe probe = new Probe(this.nanoTime.getAsLong() + PERIOD.toNanos());
			this.probes.add(loop.scheduleAtFixedRate(probe, PERIOD.toNanos(), PERIOD.toNanos(), TimeUnit.NANOSECONDS));
		}
	}

	/** Ends that. */
	public synchronized void stop() {
		this.probes.forEach((probe) -> probe.cancel(false));
		this.probes.clear();
	}

	/**
	 * The periodic task of one event loop, whose own schedule goes by the same steps.
	 * Belongs to that loop.
	 */
	private final class Probe implements Runnable {

		private long dueNanos;

		Probe(long dueNanos) {
			this.dueNanos = dueNanos;
		}

		@Override
		public void run() {
			EventLoopLag.this.lag.record(Math.max(0, EventLoopLag.this.nanoTime.getAsLong() - this.dueNanos),
					TimeUnit.NANOSECONDS);
			this.dueNanos += PERIOD.toNanos();
		}

	}

}
