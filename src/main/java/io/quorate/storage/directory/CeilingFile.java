package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.quorate.clock.ClockCeiling;
import io.quorate.clock.HybridClock;
import io.quorate.clock.TimeSource;
import io.quorate.clock.Timestamp;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.thread.Uninterrupted;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ceiling of the hybrid clock in the file {@code CLOCK}. A thread of its own keeps it
 * some seconds ahead of the clock, so that normally no write waits for it.
 * <p>
 * Safe for any number of threads; only opening and closing wait for the disk. Invariant:
 * the recorded time is fsynced before {@link #durableHybrid()} returns it. If the ceiling
 * is far above the clock, because the physical clock was wrong for a while, it is lowered
 * again.
 * <p>
 * The lead is counted from physical time. A hybrid clock that is ahead of physical time,
 * as after a kill, advances only by its counter and needs only a step. With a whole lead,
 * each kill would drive it further ahead.
 */
public final class CeilingFile implements ClockCeiling, AutoCloseable {

	/** Lead of the ceiling over the physical clock. */
	static final Duration LEAD = Duration.ofSeconds(5);

	/** Lead over a hybrid clock that peers drive ahead of this machine's clock. */
	static final Duration LEAD_OF_DRIVEN = Duration.ofSeconds(1);

	/**
	 * Lead over a clock that only counts: each such step is more than 65,536 timestamps.
	 */
	static final Duration STEP = Duration.ofMillis(10);

	private static final Logger logger = LoggerFactory.getLogger(CeilingFile.class);

	/* Less than half of the least lead over a clock that moves with time. */
	private static final long CHECK_NANOS = Duration.ofMillis(250).toNanos();

	private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long LEAD_HYBRID = hybrid(LEAD);

	private final Recorder recorder;

	private final TimeSource time;

	private final long lowestStart;

	private final AtomicReference<@Nullable Ask> pending = new AtomicReference<>();

	private final Thread thread;

	private volatile @Nullable HybridClock clock;

	private volatile long durable;

	private volatile boolean closed;

	private boolean failing;

	private CeilingFile(Recorder recorder, TimeSource time, long lowestStart) {
		this.recorder = recorder;
		this.time = time;
		this.lowestStart = lowestStart;
		this.durable = lowestStart;
		this.thread = Thread.ofPlatform().daemon().name("clock-ceiling").unstarted(this::run);
	}

	private static long hybrid(Duration time) {
		return Timestamp.hybridOfMillis(time.toMillis());
	}

	private record Ask(long hybrid, CompletableFuture<Void> done) {
	}

	/**
	 * Opens the file of a directory, or makes it. Records a first ceiling ahead of the
	 * present and of all earlier timestamps.
	 * @throws StorageStartException when it is damaged, of a newer format, or cannot be
	 * read or written
	 */
	static CeilingFile open(Path directory, TimeSource time) {
		return open(directory, time, FutureStamps.KEPT);
	}

	/**
	 * As {@link #open(Path, TimeSource)}. If the recorded ceiling is too far in the
	 * future, the start is refused before anything is recorded, or the ceiling is
	 * ignored.
	 */
	static CeilingFile open(Path directory, TimeSource time, FutureStamps future) {
		try {
			CeilingSlots slots = CeilingSlots.open(directory);
			return open(slots, time, believed(slots, directory, future));
		}
		catch (IOException ex) {
			throw new StorageStartException(
					"%s cannot be read or written: %s".formatted(directory.resolve(CeilingSlots.FILE_NAME), ex), ex);
		}
	}

	private static long believed(CeilingSlots slots, Path directory, FutureStamps future) throws IOException {
		Timestamp recorded = new Timestamp(slots.hybrid(), 0);
		try {
			future.requireCeiling("the ceiling of the clock in " + directory.resolve(CeilingSlots.FILE_NAME), recorded);
		}
		catch (StorageStartException refused) {
			slots.close();
			throw refused;
		}
		return future.isBeyond(recorded) ? 0 : recorded.hybrid();
	}

	/** Reads the hybrid time in the file of a directory, and does not change the file. */
	public static long recordedHybrid(Path directory) throws IOException {
		return CeilingSlots.recorded(directory);
	}

	static CeilingFile open(Recorder recorder, TimeSource time, long recorded) throws IOException {
		CeilingFile file = new CeilingFile(recorder, time, recorded);
		try {
			file.raise(recorded);
		}
		catch (IOException failure) {
			recorder.close();
			throw failure;
		}
		file.thread.start();
		return file;
	}

	/**
	 * Hybrid time from which the clock must continue: no timestamp issued before this
	 * start is above it. 0 for a new directory.
	 */
	public long lowestStart() {
		return this.lowestStart;
	}

	/**
	 * Keeps the ceiling above this clock, also when it runs ahead of the physical one. At
	 * close, records the last timestamp that the clock issued or observed, so that the
	 * next start need not run ahead.
	 */
	public void follow(HybridClock clock) {
		this.clock = clock;
	}

	@Override
	public long durableHybrid() {
		return this.durable;
	}

	/**
	 * {@inheritDoc} It completes on this file's own thread, which must not be blocked.
	 */
	@Override
	public CompletableFuture<Void> raiseAbove(long hybrid) {
		if (this.durable > hybrid) {
			return CompletableFuture.completedFuture(null);
		}
		Ask ask = this.pending.updateAndGet((before) -> (before == null) ? new Ask(hybrid, new CompletableFuture<>())
				: new Ask(Math.max(before.hybrid(), hybrid), before.done()));
		CompletableFuture<Void> done = Objects.requireNonNull(ask).done().copy();
		if (this.closed) {
			refusePending();
		}
		LockSupport.unpark(this.thread);
		return done;
	}

	/**
	 * Records the last timestamp of the clock and stops. From then on the clock issues no
	 * timestamps, and callers must not ask for any. Closing again does nothing.
	 */
	@Override
	public void close() {
		this.closed = true;
		LockSupport.unpark(this.thread);
		Uninterrupted.join(this.thread);
		refusePending();
	}

	private void run() {
		long retryAtNanos = System.nanoTime();
		while (!this.closed) {
			long waitNanos = this.failing ? retryAtNanos - System.nanoTime() : 0;
			if (waitNanos <= 0 && (this.pending.get() != null || isLeadHalfUsed() || isFarAhead())) {
				tryRaise(this.pending.getAndSet(null));
				retryAtNanos = System.nanoTime() + RETRY_NANOS;
			}
			else {
				LockSupport.parkNanos(this, (waitNanos > 0) ? waitNanos : CHECK_NANOS);
			}
		}
		finish();
	}

	private boolean isLeadHalfUsed() {
		long aheadOfClock = this.durable - lastHybrid();
		return this.durable - physical() < LEAD_HYBRID / 2 || aheadOfClock < leadOfClock() / 2;
	}

	/* A clock that peers drive has moved away from where it started. */
	private long leadOfClock() {
		long step = hybrid(STEP);
		return (lastHybrid() - this.lowestStart < step / 2) ? step : hybrid(LEAD_OF_DRIVEN);
	}

	/**
	 * Whether the physical clock was far ahead for a while, and no timestamp followed it.
	 */
	private boolean isFarAhead() {
		return this.clock != null && this.durable - present() > 2 * LEAD_HYBRID;
	}

	private void tryRaise(@Nullable Ask ask) {
		try {
			if (ask == null && isFarAhead()) {
				takeBack();
			}
			else {
				raise((ask != null) ? ask.hybrid() : this.lowestStart);
			}
			if (this.failing) {
				logger.info("The ceiling of the clock is recorded again");
			}
			this.failing = false;
			if (ask != null) {
				ask.done().complete(null);
			}
		}
		catch (IOException | RuntimeException | Error ex) {
			if (!this.failing) {
				logger.error("The ceiling of the clock cannot be recorded; no timestamps are issued beyond {} ms",
						Timestamp.millisOfHybrid(this.durable), ex);
			}
			this.failing = true;
			if (ask != null) {
				ask.done()
					.completeExceptionally(
							new StorageFailedException("the ceiling of the clock cannot be recorded", ex));
			}
		}
	}

	/**
	 * Lowers the ceiling. Meanwhile no timestamp is issued, so that the clock's last one
	 * stays the highest.
	 */
	private void takeBack() throws IOException {
		long aheadMillis = Timestamp.millisOfHybrid(this.durable - present());
		this.durable = Long.MIN_VALUE;
		raise(this.lowestStart);
		logger.warn("The ceiling of the clock was {} ms ahead of the present and is taken back", aheadMillis);
	}

	private void raise(long asked) throws IOException {
		long ceiling = Math.max(physical() + LEAD_HYBRID, Math.max(asked, lastHybrid()) + leadOfClock());
		this.recorder.record(ceiling);
		this.durable = ceiling;
	}

	private long present() {
		return Math.max(physical(), lastHybrid());
	}

	private long physical() {
		return Timestamp.hybridOfMillis(this.time.millis());
	}

	private long lastHybrid() {
		HybridClock followed = this.clock;
		return (followed != null) ? followed.lastHybrid() : this.lowestStart;
	}

	private void finish() {
		this.durable = Long.MIN_VALUE;
		try (this.recorder) {
			HybridClock followed = this.clock;
			if (followed != null) {
				this.recorder.record(followed.lastHybrid());
			}
		}
		catch (IOException ex) {
			logger.warn("The last timestamp of the clock could not be recorded; the next start may run ahead by {}",
					LEAD, ex);
		}
	}

	private void refusePending() {
		Ask ask = this.pending.getAndSet(null);
		if (ask != null) {
			ask.done().completeExceptionally(new StorageFailedException("the ceiling of the clock is closed", null));
		}
	}

	/** Records hybrid times durably, from one thread at a time. */
	interface Recorder extends AutoCloseable {

		void record(long hybrid) throws IOException;

		@Override
		void close() throws IOException;

	}

}
