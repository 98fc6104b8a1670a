package io.quorate.repair.antientropy;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.meter.MeterByTag;
import io.quorate.repair.comparison.PassObserver;
import io.quorate.repair.meter.RepairMeters;

/** The meters of the comparisons with one peer. All series exist from the start. */
final class PeerMetrics {

	private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final long NEVER = Long.MIN_VALUE;

	private final Counter completed;

	private final Counter interrupted;

	private final Counter sent;

	private final Counter received;

	private final MeterByTag<PassObserver.Kind, Counter> transferred;

	private volatile long agreedNanos = NEVER;

	PeerMetrics(MeterRegistry registry, String peer) {
		this.completed = RepairMeters.COMPARISONS.counter(registry, peer, "completed");
		this.interrupted = RepairMeters.COMPARISONS.counter(registry, peer, "interrupted");
		this.sent = RepairMeters.ENTRIES.counter(registry, peer, "sent");
		this.received = RepairMeters.ENTRIES.counter(registry, peer, "received");
		this.transferred = new MeterByTag<>(PassObserver.Kind.class,
				(kind) -> RepairMeters.TRANSFERRED.counter(registry, peer, MeterByTag.word(kind)));
		RepairMeters.COMPARISON_AGE.gauge(registry, this, PeerMetrics::ageSeconds, peer);
	}

	/** Seconds since the last completed round began, or NaN. */
	double ageSeconds() {
		long agreed = this.agreedNanos;
		return (agreed == NEVER) ? Double.NaN : (System.nanoTime() - agreed) / NANOS_PER_SECOND;
	}

	/**
	 * Records a completed round of the whole stores, led by either node, that began so
	 * long ago.
	 */
	void agreed(long agoNanos) {
		long began = System.nanoTime() - agoNanos;
		if (this.agreedNanos == NEVER || began - this.agreedNanos > 0) {
			this.agreedNanos = began;
		}
	}

	void completed() {
		this.completed.increment();
	}

	void interrupted() {
		this.interrupted.increment();
	}

	void transferred(PassObserver.Kind kind, long bytes) {
		this.transferred.of(kind).increment((double) bytes);
	}

	void sent(int entries) {
		this.sent.increment(entries);
	}

	void received(int entries) {
		this.received.increment(entries);
	}

}
