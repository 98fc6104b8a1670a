package io.quorate.api.batch;

import io.quorate.api.request.BatchOperation;
import io.quorate.api.request.ClientRequest;
import io.quorate.api.request.Operation;
import io.quorate.api.watch.RequestMetrics.BatchEnd;
import io.quorate.api.watch.RequestMetrics;
import io.quorate.api.watch.SlowRequests;
import io.quorate.coordinator.RequestTimeline;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * The observation of one batch as a whole: its items are counted, and the one that takes
 * longest is remembered for the log of slow requests. Used by one thread at a time.
 */
final class BatchObservation {

	private final ClientRequest request;

	private final int items;

	private final RequestMetrics metrics;

	private final SlowRequests slow;

	private final long beginNanos;

	private int done;

	private long doneNanos;

	private long longestNanos = -1;

	private BatchOperation operation = BatchOperation.INVALID;

	private @Nullable Key key;

	private RequestTimeline timeline;

	/**
	 * The observation of a batch that begins.
	 * @param items number of its items
	 */
	BatchObservation(ClientRequest request, int items, RequestMetrics metrics, SlowRequests slow) {
		this.request = request;
		this.items = items;
		this.metrics = metrics;
		this.slow = slow;
		this.timeline = request.timeline();
		this.beginNanos = this.timeline.beginNanos();
		this.doneNanos = this.beginNanos;
	}

	/**
	 * Returns the timeline of an item that begins. That of the first one is that of the
	 * request, because the head of the answer waits for it and no other.
	 */
	RequestTimeline begin(int line) {
		return (line == 0) ? this.request.timeline() : this.request.timeline().beside(System.nanoTime());
	}

	/** Notes that an item has its answer. */
	void done(BatchOperation itsOperation, Key itsKey, RequestTimeline itsTimeline, int status) {
		done(itsOperation, status);
		long nanos = this.doneNanos - itsTimeline.beginNanos();
		if (itsTimeline != this.request.timeline()) {
			itsTimeline.close(this.doneNanos);
		}
		if (nanos > this.longestNanos) {
			this.longestNanos = nanos;
			this.operation = itsOperation;
			this.key = itsKey;
			this.timeline = itsTimeline;
		}
	}

	/** Notes the answer to a line that has not begun. */
	void done(BatchOperation itsOperation, int status) {
		this.metrics.batchItem(itsOperation, status);
		this.doneNanos = System.nanoTime();
		this.done++;
	}

	/**
	 * Notes the end of the batch.
	 * @param isSent whether all answers have left
	 */
	void end(boolean isSent) {
		long now = System.nanoTime();
		this.metrics.batchEnded(isSent ? BatchEnd.COMPLETE : BatchEnd.CANCELLED, now - this.beginNanos);
		long nanos = ((this.done == this.items) ? this.doneNanos : now) - this.beginNanos;
		if (this.slow.isSlow(nanos)) {
			this.metrics.wasSlow(Operation.BATCH);
			this.slow.log(new SlowRequests.SlowBatch(this.items, this.done, nanos, this.request.consistency(),
					new SlowRequests.SlowItem(this.operation, this.key, this.timeline)));
		}
	}

}
