package io.quorate.process;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.quorate.client.RangeQuery;
import io.quorate.client.Watch;
import io.quorate.client.WatchEvent;
import io.quorate.client.WatchOptions;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.watch.WatchCursors;
import io.quorate.watch.WatchedState;
import org.jspecify.annotations.Nullable;

/**
 * A client that watches keys at one node after another, with its cursor, or stays at one
 * when it is told so. It runs on one thread; any other one may look at it.
 */
final class WatchingClient {

	private static final Duration LOOK = Duration.ofMillis(50);

	private static final int MOST_MILLIS_AT_A_NODE = 5000;

	/* One of so many moves takes longer. */
	private static final int RESTS = 8;

	/* Deletions that were missed may be purged meanwhile. */
	private static final int MOST_MILLIS_AWAY = 13_000;

	private final String name;

	private final Nodes nodes;

	private final WatchJudge judge;

	private final WatchOptions options;

	private final WatchedState state;

	private final Duration grace;

	private @Nullable String cursor;

	private boolean isFromState;

	/* The instants of the last news of each key. */
	private final Map<String, Long> learned = new ConcurrentHashMap<>();

	private final Map<String, String> versions = new ConcurrentHashMap<>();

	private final List<Long> gapMillis = new CopyOnWriteArrayList<>();

	private final AtomicInteger moves = new AtomicInteger();

	private final AtomicInteger stalls = new AtomicInteger();

	private volatile String stay = "";

	private volatile Sign sign = Sign.NONE;

	private volatile String at = "";

	private volatile boolean isSettled;

	private volatile boolean isOver;

	/** The last word of a watch about its cover. */
	enum Sign {

		NONE, LIVE, STALLED

	}

	/** The nodes that clients may go to. */
	interface Nodes {

		/** A client of a node. */
		NodeClient client(String name);

		/** Any that may serve. */
		String any();

	}

	/** The keys of a watch. */
	record Keys(WatchOptions options, ScanRange range) {

		static Keys prefix(String prefix) {
			return new Keys(WatchOptions.prefix(prefix),
					ScanRange.ascending(Key.of(prefix), Key.of(prefix + Character.MAX_VALUE)));
		}

		static Keys between(String start, String end) {
			return new Keys(WatchOptions.range(RangeQuery.between(start, end)),
					ScanRange.ascending(Key.of(start), Key.of(end)));
		}

		static Keys key(String key) {
			return new Keys(WatchOptions.key(key), ScanRange.only(Key.of(key)));
		}

		Keys withValues() {
			return new Keys(this.options.withValues(), this.range);
		}

	}

	/**
	 * A client that has not begun.
	 * @param isFromState whether it asks for the present state first
	 */
	WatchingClient(String name, Nodes nodes, WatchJudge judge, Keys keys, boolean isFromState, Duration grace) {
		this.name = name;
		this.nodes = nodes;
		this.judge = judge;
		this.options = keys.options();
		this.state = judge.client(name, keys.range(), isFromState);
		this.isFromState = isFromState;
		this.grace = grace;
	}

	/** Watches until it is over. */
	void run(SplittableRandom random) throws InterruptedException {
		while (!this.isOver) {
			String stayed = this.stay;
			String node = stayed.isEmpty() ? this.nodes.any() : stayed;
			this.moves.incrementAndGet();
			this.sign = Sign.NONE;
			this.at = node;
			if (this.cursor == null) {
				synchronized (this.judge) {
					this.state.begin();
				}
			}
			long end = System.nanoTime() + Duration.ofMillis(random.nextInt(100, MOST_MILLIS_AT_A_NODE)).toNanos();
			try (Watch watch = this.nodes.client(node).watch(options())) {
				follow(watch, () -> System.nanoTime() < end || this.isSettled || this.stay.equals(node));
			}
			this.at = "";
			if (random.nextInt(RESTS) == 0) {
				rest(Duration.ofMillis(random.nextInt(MOST_MILLIS_AWAY)));
			}
		}
	}

	private void rest(Duration time) {
		Pace look = new Pace(LOOK);
		long end = System.nanoTime() + time.toNanos();
		while (System.nanoTime() < end && this.stay.isEmpty() && !this.isSettled && !this.isOver) {
			look.await();
		}
	}

	private WatchOptions options() {
		String from = this.cursor;
		return (from != null) ? this.options.fromCursor(from)
				: this.isFromState ? this.options.fromState() : this.options;
	}

	private void follow(Watch watch, Supplier<Boolean> isHere) throws InterruptedException {
		while (!this.isOver && isHere.get()) {
			WatchEvent event = watch.next(LOOK).orElse(null);
			if (event instanceof WatchEvent.Disconnected) {
				new Pace(LOOK).await();
				return;
			}
			if (event != null) {
				take(event);
			}
		}
	}

	private void take(WatchEvent event) {
		String before = this.cursor;
		this.cursor = (event.cursor() != null) ? event.cursor() : before;
		switch (event) {
			case WatchEvent.Put put -> {
				this.judge.put(this.state, this.name, put);
				learned(put.key(), put.etag());
			}
			case WatchEvent.Delete delete -> {
				this.judge.deleted(this.state, this.name, delete);
				learned(delete.key(), delete.etag());
			}
			case WatchEvent.Live live -> {
				this.judge.live(this.state, live.asOf());
				this.sign = Sign.LIVE;
			}
			case WatchEvent.Stalled _ -> {
				this.sign = Sign.STALLED;
				this.stalls.incrementAndGet();
			}
			case WatchEvent.Gap _ -> {
				forget(before);
			}
			case WatchEvent.Disconnected _ -> {
			}
		}
	}

	private void forget(@Nullable String lost) {
		this.gapMillis.add((lost != null) ? System.currentTimeMillis() - WatchCursors.madeMillis(lost) : 0);
		this.cursor = null;
		this.isFromState = true;
		synchronized (this.judge) {
			this.state.reset();
		}
	}

	private void learned(String key, String etag) {
		if (!etag.equals(this.versions.put(key, etag))) {
			this.learned.put(key, System.nanoTime());
		}
	}

	/** Stays at a node, or goes on if there is none. */
	void stayAt(String node) {
		this.stay = node;
	}

	/** Stays at its node as long as that serves. */
	void settle() {
		this.isSettled = true;
	}

	/** Ends the watch. */
	void end() {
		this.isOver = true;
	}

	/** Whether it was told this by a node last. */
	boolean isAt(String node, Sign last) {
		return this.at.equals(node) && this.sign == last;
	}

	/** Whether its watch has cover. */
	boolean isLive() {
		return this.sign == Sign.LIVE;
	}

	WatchedState state() {
		return this.state;
	}

	/** The instant of the last news of a key, {@code null} for none. */
	@Nullable Long learnedNanos(String key) {
		return this.learned.get(key);
	}

	/** The version of which it has learned last. */
	@Nullable String version(String key) {
		return this.versions.get(key);
	}

	int moves() {
		return this.moves.get();
	}

	int stalls() {
		return this.stalls.get();
	}

	int gaps() {
		return this.gapMillis.size();
	}

	/**
	 * Number of those of cursors younger than the grace period: a deletion that is older
	 * was not settled.
	 */
	int earlyGaps() {
		return (int) this.gapMillis.stream().filter((age) -> age < this.grace.toMillis()).count();
	}

	@Override
	public String toString() {
		return "%s at %s, %s".formatted(this.name, this.at, this.sign);
	}

}
