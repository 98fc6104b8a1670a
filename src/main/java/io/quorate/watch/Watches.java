package io.quorate.watch;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.quorate.coordinator.RefusedException;
import io.quorate.coordinator.RefusedException.Why;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/**
 * The watches of clients at this node: at most {@value #MOST}, half of them of one
 * principal. One thread runs all of them, and ticks every {@value #TICK_MILLIS} ms. A
 * watch ends by itself after 30 to 60 minutes, at random, so that watches spread over the
 * nodes again.
 * <p>
 * Safe for any number of threads.
 */
public final class Watches implements ChangeSource, AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(Watches.class);

	/** Greatest number of watches. */
	public static final int MOST = 4096;

	static final int TICK_MILLIS = 100;

	private static final long LEAST_MINUTES = 30;

	private static final long MOST_MINUTES = 60;

	private final Surroundings surroundings;

	private final Duration grace;

	private final long stopNanos;

	private final WatchMetrics metrics;

	private final Feed feed;

	private final Set<Watch> watches = new HashSet<>();

	private final Map<String, Integer> byPrincipal = new HashMap<>();

	private int all;

	private volatile boolean isEnding;

	private Runnable close = () -> {
	};

	/**
	 * Watches, all of whose state is of the thread of the surroundings' turns.
	 * @param grace time for which deletions are kept at least
	 * @param stop time in which a node that is about to stop ends them, at random
	 */
	Watches(Surroundings surroundings, Duration grace, Duration stop, WatchMetrics metrics) {
		this.surroundings = surroundings;
		this.grace = grace;
		this.stopNanos = stop.toNanos();
		this.metrics = metrics;
		this.feed = new Feed(surroundings, metrics);
	}

	/**
	 * The executor of one thread on which watches run. When it is closed watches are
	 * refused, and answers that come yet are for none.
	 */
	static ScheduledThreadPoolExecutor executor() {
		return new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("watch").factory(),
				new ThreadPoolExecutor.DiscardPolicy()) {

			@Override
			public void execute(Runnable turn) {
				super.execute(() -> guarded(turn));
			}

		};
	}

	/**
	 * Ticks on the executor until closed.
	 * @param also what else to do at each tick
	 */
	Watches ticking(ScheduledThreadPoolExecutor executor, Runnable also) {
		var _ = executor.scheduleWithFixedDelay(() -> guarded(() -> {
			also.run();
			tick();
		}), TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
		this.close = executor::shutdown;
		return this;
	}

	private static void guarded(Runnable turn) {
		try {
			turn.run();
		}
		catch (RuntimeException | Error bug) {
			log.error("Bug: a turn of the watches has failed", bug);
		}
	}

	@Override
	public void close() {
		this.close.run();
	}

	/** Does what time demands. A turn. */
	void tick() {
		this.feed.tick();
		int live = 0;
		int stalled = 0;
		for (Watch watch : this.watches) {
			live += (watch.isLive() && !watch.isStalled()) ? 1 : 0;
			stalled += watch.isStalled() ? 1 : 0;
		}
		this.metrics.count(live, this.watches.size() - live - stalled, stalled);
	}

	@Override
	public Flux<WatchBatch> watch(WatchTerms terms) {
		return Flux.create((sink) -> {
			if (this.isEnding) {
				sink.error(new RefusedException(Why.DRAINING, "the node is about to stop"));
			}
			else {
				turn(() -> begin(terms, sink));
			}
		}, FluxSink.OverflowStrategy.ERROR);
	}

	private void turn(Runnable turn) {
		this.surroundings.turns().execute(turn);
	}

	private void begin(WatchTerms terms, FluxSink<WatchBatch> sink) {
		WatchCursor cursor = terms.cursor();
		String lost = (cursor != null) ? lost(cursor) : null;
		if (lost != null && !terms.isReset()) {
			sink.error(new CursorLostException(lost));
		}
		else if (!enter(terms.principal())) {
			sink.error(new RefusedException(Why.REQUESTS,
					"watches at the limit of %d, half of it for one".formatted(MOST)));
		}
		else {
			WatchTerms begun = (lost != null) ? new WatchTerms(terms.range(), WatchCursor.START, terms.hasValues(),
					true, terms.principal(), terms.mayRead()) : terms;
			Watch watch = new Watch(begun, this.feed, new Client(sink), endNanos(), this.grace.toMillis(),
					lost != null);
			sink.onDispose(() -> turn(() -> leave(terms.principal(), watch)));
			if (sink.requestedFromDownstream() > 0) {
				// The client learns at once that it is watching.
				sink.next(new WatchBatch(List.of(), null));
			}
			this.watches.add(watch);
			this.feed.add(watch);
			sink.onRequest((more) -> turn(() -> watch.demanded(more)));
			if (this.isEnding) {
				endSoon(watch);
			}
		}
	}

	private @Nullable String lost(WatchCursor cursor) {
		if (cursor.equals(WatchCursor.START)) {
			return null;
		}
		if (this.surroundings.isApart(cursor)) {
			return "the cluster was restored since";
		}
		long ageMillis = this.surroundings.clocks().millis().getAsLong() - cursor.origin().millis();
		return (ageMillis >= this.grace.toMillis()) ? "deletions since may have been purged" : null;
	}

	private long endNanos() {
		long nanos = ThreadLocalRandom.current()
			.nextLong(TimeUnit.MINUTES.toNanos(LEAST_MINUTES), TimeUnit.MINUTES.toNanos(MOST_MINUTES));
		return this.feed.now() + nanos;
	}

	private void endSoon(Watch watch) {
		watch.endAt(this.feed.now() + ThreadLocalRandom.current().nextLong(this.stopNanos + 1), "draining");
	}

	private boolean enter(String principal) {
		int own = this.byPrincipal.getOrDefault(principal, 0);
		if (this.all >= MOST || own >= MOST / 2) {
			return false;
		}
		this.byPrincipal.put(principal, own + 1);
		this.all++;
		return true;
	}

	private void leave(String principal, Watch watch) {
		this.watches.remove(watch);
		watch.cancel();
		this.byPrincipal.computeIfPresent(principal, (_, count) -> (count > 1) ? count - 1 : null);
		this.all--;
	}

	/** Refuses watches and ends all, from the beginning of a stop on. */
	@EventListener
	void readinessChanged(AvailabilityChangeEvent<ReadinessState> event) {
		this.isEnding = event.getState() == ReadinessState.REFUSING_TRAFFIC;
		if (this.isEnding) {
			turn(() -> List.copyOf(this.watches).forEach(this::endSoon));
		}
	}

	/** A client behind a sink. */
	private record Client(FluxSink<WatchBatch> sink) implements Watch.Client {

		@Override
		public void send(WatchBatch batch) {
			this.sink.next(batch);
		}

		@Override
		public void end() {
			this.sink.complete();
		}

	}

}
