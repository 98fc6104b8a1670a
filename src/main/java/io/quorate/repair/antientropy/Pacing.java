package io.quorate.repair.antientropy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import io.quorate.repair.comparison.PassObserver;
import io.quorate.repair.rate.RateLimiter;
import io.quorate.replica.Failure.Reason;
import io.quorate.storage.thread.ThreadTime;

/**
 * Counts the work of a pass, and pauses it so that it keeps to its rate limit and to its
 * share of the time. The slower the peer answers small requests, the longer are the
 * pauses, because slow answers show that the peer is busy.
 */
final class Pacing implements PassObserver {

	/* Least pause after a question to a peer, in multiples of the peer's latency. */
	private static final int PAUSES_PER_LATENCY = 4;

	/* A comparison that is given up ends so early. */
	private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Limits limits;

	private final PeerMetrics metrics;

	private final CopyObserver observer;

	private final Runnable wanted;

	private final LongAdder keys = new LongAdder();

	private final LongAdder ranges = new LongAdder();

	private final LongAdder sent = new LongAdder();

	private final LongAdder received = new LongAdder();

	private final LongAdder bytes = new LongAdder();

	/* Bytes transferred since the last answer, counted by the thread of the pass. */
	private long unpaid;

	/**
	 * The limits of a pass.
	 *
	 * @param share part of the time that it may take
	 * @param latencyNanos latency of small requests to the peer
	 */
	record Limits(RateLimiter rateLimiter, TimeShare share, LongSupplier latencyNanos, ThreadTime time) {
	}

	/**
	 * The pacing of a pass that has not begun.
	 * @param wanted look whether the pass is to go on, which fails if it is not
	 */
	Pacing(Limits limits, PeerMetrics metrics, CopyObserver observer, Runnable wanted) {
		this.limits = limits;
		this.metrics = metrics;
		this.observer = observer;
		this.wanted = wanted;
	}

	@Override
	public void read(int entries, long entryBytes) {
		this.keys.add(entries);
		pauseAfter(entryBytes, 0);
	}

	@Override
	public void differing(int found) {
		this.ranges.add(found);
	}

	@Override
	public void transferred(Kind kind, long moved) {
		this.bytes.add(moved);
		this.unpaid += moved;
		this.metrics.transferred(kind, moved);
		if (kind == Kind.ENTRIES) {
			this.observer.received(moved);
		}
	}

	@Override
	public void answered() {
		long moved = this.unpaid;
		this.unpaid = 0;
		pauseAfter(moved, Math.min(LONGEST_PAUSE_NANOS, PAUSES_PER_LATENCY * this.limits.latencyNanos().getAsLong()));
	}

	private void pauseAfter(long moved, long leastNanos) {
		long now = this.limits.time().nanos();
		pause(Math.max(leastNanos,
				Math.max(this.limits.share().pauseNanos(now), this.limits.rateLimiter().pauseNanos(moved, now))));
		this.limits.share().resumed(this.limits.time().nanos());
	}

	@Override
	public void sent(int entries) {
		this.sent.add(entries);
		this.metrics.sent(entries);
	}

	@Override
	public void received(int entries) {
		this.received.add(entries);
		this.metrics.received(entries);
		this.observer.passed(entries);
	}

	@Override
	public void compared(long entries) {
		this.observer.passed(Math.toIntExact(entries));
	}

	private void pause(long nanos) {
		long end = this.limits.time().nanos() + nanos;
		long left = nanos;
		this.wanted.run();
		while (left > 0) {
			if (Thread.currentThread().isInterrupted()) {
				throw Await.failed(Reason.DRAINING, "this node stops");
			}
			this.limits.time().rest(Math.min(left, LOOK_AGAIN_NANOS));
			this.wanted.run();
			left = end - this.limits.time().nanos();
		}
	}

	/**
	 * What it has counted until now.
	 * @param keysBefore the estimate for the keys of this pass
	 */
	ComparisonProgress.Counts counts(long keysBefore) {
		return new ComparisonProgress.Counts(this.keys.sum(), keysBefore, this.ranges.sum(), this.sent.sum(),
				this.received.sum(), this.bytes.sum());
	}

}
