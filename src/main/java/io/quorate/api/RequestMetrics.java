package io.quorate.api;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quorate.meter.MeterByTag;

import org.springframework.stereotype.Component;

/**
 * Measures the requests of clients. All series are there from the beginning, with zero.
 */
@Component
final class RequestMetrics {

	private final MeterByTag<Operation, MeterByTag<Outcome, Timer>> requests;

	private final MeterByTag<ScanEnd, Timer> scans;

	private final MeterByTag<Operation, Counter> slow;

	private final Timer stalls;

	private final DistributionSummary sizesIn;

	private final DistributionSummary sizesOut;

	RequestMetrics(MeterRegistry registry) {
		this.requests = new MeterByTag<>(Operation.class, (operation) -> new MeterByTag<>(Outcome.class,
				(outcome) -> ApiMeters.REQUEST.timer(registry, operation.word(), outcome.word())));
		this.scans = new MeterByTag<>(ScanEnd.class, (end) -> ApiMeters.SCAN.timer(registry, MeterByTag.word(end)));
		this.slow = new MeterByTag<>(Operation.class,
				(operation) -> ApiMeters.SLOW_REQUESTS.counter(registry, operation.word()));
		this.stalls = ApiMeters.EVENT_LOOP_STALLS.timer(registry);
		this.sizesIn = ApiMeters.VALUE_SIZE.summary(registry, "in");
		this.sizesOut = ApiMeters.VALUE_SIZE.summary(registry, "out");
	}

	void stalled(long nanos) {
		this.stalls.record(nanos, TimeUnit.NANOSECONDS);
	}

	void ended(Operation operation, Outcome outcome, long nanos) {
		this.requests.of(operation).of(outcome).record(nanos, TimeUnit.NANOSECONDS);
	}

	void wasSlow(Operation operation) {
		this.slow.of(operation).increment();
	}

	void valueCame(int sizeBytes) {
		this.sizesIn.record(sizeBytes);
	}

	void valueGoes(int sizeBytes) {
		this.sizesOut.record(sizeBytes);
	}

	void scanEnded(ScanEnd end, long nanos) {
		this.scans.of(end).record(nanos, TimeUnit.NANOSECONDS);
	}

	/** The outcomes of a scan whose answer has begun. */
	enum ScanEnd {

		/** All of it is sent. */
		COMPLETE,

		/** The scan could not go on. */
		BROKEN,

		/** The client has disconnected, or was disconnected because it took nothing. */
		CANCELLED

	}

}
