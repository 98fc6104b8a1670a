package io.quorate.storage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.quorate.entry.Key;
import io.quorate.entry.KeyRanges;
import io.quorate.entry.Summary;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The latest arrivals of a store, by their sequence numbers: the last {@value #KEPT}, and
 * of long keys so many as have {@value #KEPT_BYTES} bytes. They are kept from the first
 * request for them until none has come for {@value #IDLE_MINUTES} minutes, in memory
 * alone; while they are not kept, a batch of writes costs a lock that no thread holds.
 * <p>
 * Safe for any number of threads. The thread that writes waits for a reader at most as
 * long as that takes to look through {@value #EXAMINED} arrivals.
 */
public final class Arrivals {

	private static final Logger log = LoggerFactory.getLogger(Arrivals.class);

	/** Greatest number of arrivals that are kept. */
	public static final int KEPT = 32_768;

	/** The present, in the place of a sequence number. */
	public static final long NOW = -1;

	static final int KEPT_BYTES = 16 << 20;

	static final int EXAMINED = 4096;

	static final int IDLE_MINUTES = 10;

	static final int MOST_WAITERS = 1024;

	private final LongSupplier nanoTime;

	private final LongSupplier epochs;

	/* All below is guarded by this. */
	private final List<Waiter> waiters = new ArrayList<>();

	private boolean isKept;

	private @Nullable Name[] ring = new Name[0];

	/* Places of the arrivals that are kept: the first, and the one behind the last. */
	private long first;

	private long end;

	private long keptBytes;

	/* Highest number of what is not kept any more. */
	private long lost;

	private long last;

	private long askedNanos;

	private long epoch;

	/**
	 * The arrivals of a store, none of which is kept yet.
	 * @param last highest sequence number that the store has given
	 * @param nanoTime the monotonic clock
	 */
	public Arrivals(long last, LongSupplier nanoTime) {
		this(last, nanoTime, () -> ThreadLocalRandom.current().nextLong());
	}

	/**
	 * As above, with another source of epochs.
	 * @param epochs random numbers
	 */
	public Arrivals(long last, LongSupplier nanoTime, LongSupplier epochs) {
		this.last = last;
		this.nanoTime = nanoTime;
		this.epochs = epochs;
		this.epoch = epochs.getAsLong();
	}

	/**
	 * The arrival of an entry.
	 *
	 * @param sequence number of its arrival
	 * @param summary the entry without its value
	 * @param isCertain whether it was the newest of the key that was held; if not, only a
	 * read can tell
	 */
	public record Name(Key key, long sequence, Summary summary, boolean isCertain) {

		/** The arrival of an entry that was the newest of its key. */
		public Name(Key key, long sequence, Summary summary) {
			this(key, sequence, summary, true);
		}

		/** Number of bytes that it counts towards a bound. */
		public int sizeBytes() {
			return HeaderPage.Header.sizeBytes(this.key, this.summary);
		}

	}

	/**
	 * Arrivals in their order.
	 *
	 * @param epoch random number, another one after each start of the store and each time
	 * that its data was set aside: numbers of arrival mean something within it alone
	 * @param through number up to which all arrivals in the ranges are among these
	 * @param isGap whether some are not kept any more, or the epoch is another one; then
	 * there are no names, and {@code through} is the highest number now
	 * @param hasMore whether more may have arrived when these were asked for
	 */
	public record Page(List<Name> names, long epoch, long through, boolean isGap, boolean hasMore) {

		public Page {
			names = List.copyOf(names);
		}

		/** All that had arrived, or a gap. */
		public Page(List<Name> names, long epoch, long through, boolean isGap) {
			this(names, epoch, through, isGap, false);
		}

		/** The first of them, at least one, as far as they have so many bytes. */
		public Page upTo(int sizeBytes) {
			int bytes = 0;
			for (int i = 0; i < this.names.size(); i++) {
				bytes += this.names.get(i).sizeBytes();
				if (bytes > sizeBytes && i > 0) {
					return new Page(this.names.subList(0, i), this.epoch, this.names.get(i - 1).sequence(), false,
							true);
				}
			}
			return this;
		}

	}

	/**
	 * Takes note that a batch can be read, and wakes those that wait for one of it. Its
	 * writers are answered afterwards, so that a reader that asks when a write is
	 * acknowledged finds its arrival. Called by one thread.
	 * @param sequence highest number of the batch
	 * @param batch makes its arrivals in the order of their numbers; not called unless
	 * they are kept
	 */
	public void arrived(long sequence, Supplier<List<Name>> batch) {
		List<Runnable> woken;
		synchronized (this) {
			if (this.isKept) {
				batch.get().forEach(this::add);
			}
			this.last = sequence;
			woken = this.waiters.isEmpty() ? List.of() : woken();
		}
		wake(woken);
	}

	private void add(Name name) {
		if (this.end - this.first == KEPT) {
			loseFirst();
		}
		this.ring[(int) (this.end % KEPT)] = name;
		this.end++;
		this.keptBytes += name.sizeBytes();
		while (this.keptBytes > KEPT_BYTES) {
			loseFirst();
		}
		for (Waiter waiter : this.waiters) {
			waiter.isMet |= waiter.ranges.contains(name.key()) || this.end - waiter.place > KEPT / 2;
		}
	}

	private void loseFirst() {
		Name former = at(this.first);
		this.lost = former.sequence();
		this.keptBytes -= former.sizeBytes();
		this.ring[(int) (this.first % KEPT)] = null;
		this.first++;
	}

	/** Wakes those that have waited for long enough; called at times. */
	public void tick() {
		List<Runnable> woken;
		synchronized (this) {
			woken = woken();
			long idle = this.nanoTime.getAsLong() - this.askedNanos;
			if (this.isKept && this.waiters.isEmpty() && idle > TimeUnit.MINUTES.toNanos(IDLE_MINUTES)) {
				this.isKept = false;
				this.ring = new Name[0];
			}
		}
		wake(woken);
	}

	/* One that fails must end neither the log nor the wait of others. */
	private static void wake(List<Runnable> woken) {
		for (Runnable each : woken) {
			try {
				each.run();
			}
			catch (RuntimeException bug) {
				log.error("Bug: who waits for arrivals has failed when it was woken", bug);
			}
		}
	}

	private List<Runnable> woken() {
		long now = this.nanoTime.getAsLong();
		List<Runnable> woken = new ArrayList<>();
		for (Iterator<Waiter> each = this.waiters.iterator(); each.hasNext();) {
			Waiter waiter = each.next();
			if (waiter.isMet || now - waiter.untilNanos >= 0) {
				woken.add(waiter.wake);
				each.remove();
			}
		}
		return woken;
	}

	/**
	 * The arrivals in ranges behind a number, in their order. Does not wait; from now on
	 * arrivals are kept.
	 * @param itsEpoch the one of the number
	 * @param after the number, or {@link #NOW}, of any epoch, for none
	 * @param most greatest number of arrivals
	 */
	public synchronized Page after(long itsEpoch, long after, KeyRanges ranges, int most) {
		this.askedNanos = this.nanoTime.getAsLong();
		if (!this.isKept) {
			this.ring = new Name[KEPT];
			this.isKept = true;
			forget();
		}
		if (after == NOW) {
			return new Page(List.of(), this.epoch, this.last, false, false);
		}
		if (itsEpoch != this.epoch || after < this.lost || after > this.last) {
			return new Page(List.of(), this.epoch, this.last, true, false);
		}
		List<Name> names = new ArrayList<>();
		long begin = firstBehind(after);
		long until = Math.min(this.end, begin + EXAMINED);
		for (long place = begin; place < until; place++) {
			Name name = at(place);
			if (ranges.contains(name.key())) {
				names.add(name);
				if (names.size() == most) {
					return new Page(names, this.epoch, name.sequence(), false, true);
				}
			}
		}
		long through = (until < this.end) ? at(until - 1).sequence() : this.last;
		return new Page(names, this.epoch, through, false, until < this.end);
	}

	private void forget() {
		Arrays.fill(this.ring, null);
		this.first = 0;
		this.end = 0;
		this.keptBytes = 0;
		this.lost = this.last;
	}

	private long firstBehind(long after) {
		long low = this.first;
		long high = this.end;
		while (low < high) {
			long middle = (low + high) >>> 1;
			if (at(middle).sequence() > after) {
				high = middle;
			}
			else {
				low = middle + 1;
			}
		}
		return low;
	}

	private Name at(long place) {
		Name name = this.ring[(int) (place % KEPT)];
		if (name == null) {
			throw new IllegalStateException("no arrival at place " + place);
		}
		return name;
	}

	/**
	 * Wakes a caller once: soon after the next arrival in ranges, or at a time. It is
	 * woken at once by an arrival behind those that it knows, when some of these may be
	 * lost, or when {@value #MOST_WAITERS} others wait.
	 * @param known what the caller knows
	 * @param untilNanos the time, by the clock of the store
	 * @param wake does not block and does not fail; may run on the thread that writes
	 * @return ends the wait
	 */
	public Runnable await(Page known, KeyRanges ranges, long untilNanos, Runnable wake) {
		synchronized (this) {
			Waiter waiter = new Waiter(ranges, this.end, untilNanos, wake);
			Page now = after(known.epoch(), known.through(), ranges, 1);
			boolean isUpToDate = !now.isGap() && now.names().isEmpty() && now.through() == this.last;
			if (isUpToDate && this.waiters.size() < MOST_WAITERS) {
				this.waiters.add(waiter);
				return () -> leave(waiter);
			}
		}
		wake(List.of(wake));
		return () -> {
		};
	}

	private synchronized void leave(Waiter waiter) {
		this.waiters.remove(waiter);
	}

	/** Begins another epoch: what has arrived before is not the store's any more. */
	public void renew() {
		List<Runnable> woken;
		synchronized (this) {
			this.epoch = this.epochs.getAsLong();
			forget();
			this.waiters.forEach((waiter) -> waiter.isMet = true);
			woken = woken();
		}
		wake(woken);
	}

	/** A caller that waits. */
	private static final class Waiter {

		private final KeyRanges ranges;

		/*
		 * Behind the last arrival when it came: it is not to lose the place in the ring.
		 */
		private final long place;

		private final long untilNanos;

		private final Runnable wake;

		private boolean isMet;

		private Waiter(KeyRanges ranges, long place, long untilNanos, Runnable wake) {
			this.ranges = ranges;
			this.place = place;
			this.untilNanos = untilNanos;
			this.wake = wake;
		}

	}

}
