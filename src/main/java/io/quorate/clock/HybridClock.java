package io.quorate.clock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * A hybrid logical clock: as close to physical time as it can be while each timestamp is
 * above every one that it gave out or observed before.
 * <p>
 * Safe for any number of threads; never blocks. Invariants: (1) two calls of
 * {@link #tryNow()} never return equal timestamps; (2) a timestamp is above each one
 * observed before; (3) a timestamp is below the durable ceiling, so 1 and 2 hold over
 * restarts.
 */
public final class HybridClock {

	/*
	 * A ceiling may be lowered. The thread that lowers it reads the last timestamp
	 * afterwards, and a thread that takes a timestamp reads the ceiling after that
	 * timestamp has become the last: so one of the two threads sees the change of the
	 * other.
	 */
	private final TimeSource time;

	private final int node;

	private final ClockCeiling ceiling;

	private final AtomicLong last;

	/**
	 * A clock that continues after {@code lastSeen}.
	 * @param node ordinal of this node in the timestamps
	 * @param lastSeen hybrid time of the highest timestamp found on disk or recorded as
	 * ceiling
	 */
	public HybridClock(TimeSource time, int node, ClockCeiling ceiling, long lastSeen) {
		this.time = time;
		this.node = node;
		this.ceiling = ceiling;
		this.last = new AtomicLong(lastSeen);
	}

	/**
	 * The next timestamp, or {@code null} when it would reach the durable ceiling (the
	 * physical clock jumped forward, or the disk is slow to record): then wait for
	 * {@link #whenCeilingRaised()} and try again.
	 */
	public @Nullable Timestamp tryNow() {
		long physical = Timestamp.hybridOfMillis(this.time.millis());
		while (true) {
			long seen = this.last.get();
			long next = Math.max(physical, seen + 1);
			if (next >= this.ceiling.durableHybrid()) {
				return null;
			}
			if (this.last.compareAndSet(seen, next)) {
				return (next < this.ceiling.durableHybrid()) ? new Timestamp(next, this.node) : null;
			}
		}
	}

	/**
	 * Completes when a timestamp can be given out again; asks for a higher ceiling if
	 * need be.
	 */
	public CompletableFuture<Void> whenCeilingRaised() {
		// Above the next timestamp, not only the last: a ceiling right above the last
		// permits none.
		return this.ceiling.raiseAbove(currentHybrid() + 1);
	}

	/**
	 * Moves the clock to a timestamp seen elsewhere, so that the next one is above it.
	 */
	public void observe(Timestamp seen) {
		if (this.last.get() < seen.hybrid()) {
			this.last.accumulateAndGet(seen.hybrid(), Math::max);
		}
	}

	/** The highest hybrid time that was given out, observed, or passed at the start. */
	public long lastHybrid() {
		return this.last.get();
	}

	/**
	 * The present in hybrid time, for judging expiry; gives out no timestamp and does not
	 * move the clock.
	 */
	public long currentHybrid() {
		return Math.max(this.last.get(), Timestamp.hybridOfMillis(this.time.millis()));
	}

	/** The present in milliseconds since the epoch, by this clock. */
	public long currentMillis() {
		return Timestamp.millisOfHybrid(currentHybrid());
	}

}
