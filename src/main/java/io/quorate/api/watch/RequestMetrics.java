package io.quorate.api.watch;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quorate.api.request.BatchOperation;
import io.quorate.api.request.Operation;
import io.quorate.api.request.Outcome;
import io.quorate.meter.MeterByTag;
import org.springframework.stereotype.Component;

/**
 * Measures the requests of clients. All series are there from the beginning, with zero.
 */
@Component
public final class RequestMetrics {

	private final MeterByTag<Operation, MeterByTag<Outcome, Timer>> requests;

	private final MeterByTag<ScanEnd, Timer> scans;

	private final MeterByTag<BatchEnd, Timer> batches;

	private final MeterByTag<BatchOperation, Map<Integer, Counter>> batchItems;

	private final MeterByTag<Operation, Counter> slow;

	private final DistributionSummary sizesIn;

	private final DistributionSummary sizesOut;

	RequestMetrics(MeterRegistry registry) {
		this.requests = new MeterByTag<>(Operation.class, (operation) -> new MeterByTag<>(Outcome.class,
				(outcome) -> ApiMeters.REQUEST.timer(registry, operation.word(), outcome.word())));
		this.scans = new MeterByTag<>(ScanEnd.class, (end) -> ApiMeters.SCAN.timer(registry, MeterByTag.word(end)));
		this.batches = new MeterByTag<>(BatchEnd.class, (end) -> ApiMeters.BATCH.timer(registry, MeterByTag.word(end)));
		this.batchItems = new MeterByTag<>(BatchOperation.class, (operation) -> operation.statuses()
			.stream()
			.collect(Collectors.toUnmodifiableMap(Function.identity(),
					(status) -> ApiMeters.BATCH_ITEMS.counter(registry, operation.word(), Integer.toString(status)))));
		this.slow = new MeterByTag<>(Operation.class,
				(operation) -> ApiMeters.SLOW_REQUESTS.counter(registry, operation.word()));
		this.sizesIn = ApiMeters.VALUE_SIZE.summary(registry, "in");
		this.sizesOut = ApiMeters.VALUE_SIZE.summary(registry, "out");
	}

	/** Measures a request that has ended. */
	public void ended(Operation operation, Outcome outcome, long nanos) {
		this.requests.of(operation).of(outcome).record(nanos, TimeUnit.NANOSECONDS);
	}

	/** Counts a slow request. */
	public void wasSlow(Operation operation) {
		this.slow.of(operation).increment();
	}

	/** Measures a value of a write. */
	public void valueCame(int sizeBytes) {
		this.sizesIn.record(sizeBytes);
	}

	/** Measures a value of an answer. */
	public void valueGoes(int sizeBytes) {
		this.sizesOut.record(sizeBytes);
	}

	/** Measures a range that has ended. */
	public void scanEnded(ScanEnd end, long nanos) {
		this.scans.of(end).record(nanos, TimeUnit.NANOSECONDS);
	}

	/** Measures a batch that has ended. */
	public void batchEnded(BatchEnd end, long nanos) {
		this.batches.of(end).record(nanos, TimeUnit.NANOSECONDS);
	}

	/** Counts an item; one with a status that its operation cannot have as an error. */
	public void batchItem(BatchOperation operation, int status) {
		Map<Integer, Counter> counters = this.batchItems.of(operation);
		Objects.requireNonNull(counters.getOrDefault(status, counters.get(BatchOperation.ERROR))).increment();
	}

	/** The outcomes of a batch whose items have begun. */
	public enum BatchEnd {

		/** All answers are sent. */
		COMPLETE,

		/** The client has disconnected, or was disconnected because it took nothing. */
		CANCELLED

	}

	/** The outcomes of a scan whose answer has begun. */
	public enum ScanEnd {

		/** All of it is sent. */
		COMPLETE,

		/** The scan could not go on. */
		BROKEN,

		/** The client has disconnected, or was disconnected because it took nothing. */
		CANCELLED

	}

}
