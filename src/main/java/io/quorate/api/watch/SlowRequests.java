package io.quorate.api.watch;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.quorate.api.request.BatchOperation;
import io.quorate.api.request.ClientRequest;
import io.quorate.api.request.Operation;
import io.quorate.api.request.Outcome;
import io.quorate.api.watch.Traces.Trace;
import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.RequestTimeline;
import io.quorate.entry.Key;
import io.quorate.security.LoggedKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of slow requests: the timeline of each of them, with the hash of its key and
 * never the key. At most {@value #LINES_A_SECOND} lines a second.
 */
public final class SlowRequests {

	/** Its own name, so that it can be sent elsewhere. */
	static final String LOGGER = "io.quorate.slow";

	static final int LINES_A_SECOND = 10;

	private static final long SECOND_NANOS = 1_000_000_000;

	private static final Logger logger = LoggerFactory.getLogger(LOGGER);

	private final long thresholdNanos;

	private final LongSupplier nanoTime;

	private long secondBeganNanos;

	private int lines;

	private long leftOut;

	/**
	 * A log without any slow request yet.
	 * @param threshold time from which on a request is slow; zero for never
	 * @param nanoTime the clock for the rate of lines
	 */
	SlowRequests(Duration threshold, LongSupplier nanoTime) {
		this.thresholdNanos = TimeUnit.NANOSECONDS.convert(threshold);
		this.nanoTime = nanoTime;
		this.secondBeganNanos = nanoTime.getAsLong();
	}

	/**
	 * Whether a request that has ended was slow, and not because of its client. A batch
	 * has not, when the head of its answer is handed over.
	 */
	public boolean isSlow(ClientRequest request) {
		return request.operation() != Operation.BATCH && isSlow(request.timeline().totalNanos());
	}

	/** Whether so much time is slow. */
	public boolean isSlow(long nanos) {
		return this.thresholdNanos > 0 && nanos >= this.thresholdNanos;
	}

	/** Logs a slow request, unless there were too many in this second. */
	public void log(Operation operation, ClientRequest request, Outcome outcome, @Nullable Trace trace) {
		long before = tryTake();
		if (before >= 0) {
			logger.warn("Slow request: {} {}, key hash {}, value {}, replicas {}, {}{}{}", operation.word(),
					outcome.word(), LoggedKey.of(request.key()), size(request.sizeBytes()),
					replicas(request.consistency()), ServerTiming.of(request.timeline()), traceId(trace),
					leftOut(before));
		}
	}

	/** Logs a slow batch, unless there were too many slow requests in this second. */
	public void log(SlowBatch batch) {
		long before = tryTake();
		if (before >= 0) {
			logger.warn(
					"Slow request: batch of {} items, {} of them done after {} ms, replicas {}; the slowest is a {}, key hash {}, {}{}",
					batch.items, batch.done, TimeUnit.NANOSECONDS.toMillis(batch.nanos), replicas(batch.consistency),
					batch.slowest.operation.word(), LoggedKey.of(batch.slowest.key),
					ServerTiming.of(batch.slowest.timeline), leftOut(before));
		}
	}

	private static String leftOut(long before) {
		return (before > 0) ? "; left out before: " + before : "";
	}

	private static String traceId(@Nullable Trace trace) {
		return (trace != null) ? "; trace " + trace.parent().traceId() : "";
	}

	private static String size(long sizeBytes) {
		return (sizeBytes >= 0) ? sizeBytes + " bytes" : "none";
	}

	private static String replicas(@Nullable Consistency consistency) {
		return (consistency != null) ? consistency.ack() + "/" + consistency.from() : "unknown";
	}

	/**
	 * Number of lines that were left out since the last one, negative if this one is,
	 * too.
	 */
	private synchronized long tryTake() {
		long now = this.nanoTime.getAsLong();
		if (now - this.secondBeganNanos >= SECOND_NANOS) {
			this.secondBeganNanos = now;
			this.lines = 0;
		}
		if (this.lines == LINES_A_SECOND) {
			this.leftOut++;
			return -1;
		}
		this.lines++;
		long before = this.leftOut;
		this.leftOut = 0;
		return before;
	}

	/**
	 * A slow batch.
	 *
	 * @param items number of its items
	 * @param done number of those that were done
	 * @param nanos time from the end of its body until the last of them was done
	 * @param slowest the item that took longest
	 */
	public record SlowBatch(int items, int done, long nanos, @Nullable Consistency consistency, SlowItem slowest) {
	}

	/**
	 * An item of a batch.
	 *
	 * @param timeline its timeline, which is closed
	 */
	public record SlowItem(BatchOperation operation, @Nullable Key key, RequestTimeline timeline) {
	}

}
