package io.quorate.api.transport;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes the turns of the event loops that serve clients, from the moment when the port is
 * bound. Safe for any number of threads.
 */
final class EventLoopWatch implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(EventLoopWatch.class);

	/* A stall that requests with the default timeout feel. */
	private static final long SAID_FROM_NANOS = Duration.ofSeconds(1).toNanos();

	private final LongSupplier nanoTime;

	private final LongConsumer stalls;

	private final Map<EventExecutor, Watched> loops = new ConcurrentHashMap<>();

	/**
	 * A watch of no loop yet.
	 * @param stalls receives the nanoseconds of each stall of a loop, on that loop
	 */
	EventLoopWatch(LongSupplier nanoTime, LongConsumer stalls) {
		this.nanoTime = nanoTime;
		this.stalls = stalls;
	}

	/** The turns of a loop, which are noted from now on at the latest. */
	LoopTurns of(EventExecutor loop) {
		return this.loops.computeIfAbsent(loop, this::begin).turns;
	}

	/** Notes the turns of all loops in the group to which one belongs. */
	void watchAll(EventLoop one) {
		one.parent().forEach(this::of);
	}

	private Watched begin(EventExecutor loop) {
		LoopTurns turns = new LoopTurns(this.nanoTime, this::stalled);
		long period = LoopTurns.PERIOD.toNanos();
		return new Watched(turns, loop.scheduleWithFixedDelay(() -> note(turns), period, period, TimeUnit.NANOSECONDS));
	}

	/*
	 * A task that throws is never run again: the loop would seem to stand still for ever.
	 */
	private static void note(LoopTurns turns) {
		try {
			turns.turn();
		}
		catch (RuntimeException | Error bug) {
			logger.error("A turn of this event loop could not be noted", bug);
		}
	}

	private void stalled(long nanos) {
		this.stalls.accept(nanos);
		if (nanos >= SAID_FROM_NANOS) {
			logger.info("This event loop stood still for {} ms; requests that waited past their deadline are refused",
					TimeUnit.NANOSECONDS.toMillis(nanos));
		}
	}

	@Override
	public void close() {
		this.loops.values().forEach((watched) -> watched.noting.cancel(false));
	}

	private record Watched(LoopTurns turns, Future<?> noting) {
	}

}
