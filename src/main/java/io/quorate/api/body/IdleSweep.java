package io.quorate.api.body;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Checks, about twice a second, all bodies and answers under way that may stand still, so
 * that no request needs a timer of its own. One thread; starts before the server and
 * stops after it.
 */
@Component
public final class IdleSweep implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(IdleSweep.class);

	private static final long PERIOD_MILLIS = 500;

	private final Set<Watched> watched = ConcurrentHashMap.newKeySet();

	private volatile @Nullable ScheduledExecutorService executor;

	/** Checks a body or an answer until it is forgotten. */
	void watch(Watched something) {
		this.watched.add(something);
	}

	/** Ends the checks of a body or an answer. */
	void forget(Watched something) {
		this.watched.remove(something);
	}

	/** Number of bodies and answers that are checked. */
	public int size() {
		return this.watched.size();
	}

	@Override
	public void start() {
		ScheduledExecutorService fresh = Executors
			.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("api-idle-sweep").factory());
		var _ = fresh.scheduleWithFixedDelay(this::sweep, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
		this.executor = fresh;
	}

	@Override
	public void stop() {
		ScheduledExecutorService running = this.executor;
		if (running != null) {
			running.shutdownNow();
			this.executor = null;
		}
	}

	@Override
	public boolean isRunning() {
		return this.executor != null;
	}

	@Override
	public int getPhase() {
		return 0;
	}

	private void sweep() {
		long now = System.nanoTime();
		for (Watched one : this.watched) {
			try {
				one.check(now);
			}
			catch (RuntimeException | Error bug) {
				// A scheduled task that throws is never run again, which would switch off
				// the watch over all other requests.
				logger.error("Could not check whether a request stands still", bug);
			}
		}
	}

	/** A body or an answer that may stand still. */
	interface Watched {

		/**
		 * Ends the body or answer if it has stood still for too long.
		 * @param nowNanos the present in the terms of {@link System#nanoTime()}
		 */
		void check(long nowNanos);

	}

}
