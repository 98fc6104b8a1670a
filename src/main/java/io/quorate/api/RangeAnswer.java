package io.quorate.api;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quorate.api.RequestMetrics.ScanEnd;
import io.quorate.api.transport.Outflow;
import io.quorate.coordinator.RangeScan.Row;
import io.quorate.coordinator.RangeScan;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;

/**
 * The records of one scan while they are sent to one client. A page is requested when the
 * operating system has taken the one before, so there is never more than one in memory; a
 * page is flushed once, at its end.
 * <p>
 * An error before the first record is the publisher's error, for a problem document. A
 * later one closes the connection, because nothing else shows the client that this is not
 * the whole range. Used by one subscriber; its fields are touched by one signal at a
 * time.
 */
final class RangeAnswer {

	private static final Logger logger = LoggerFactory.getLogger(RangeAnswer.class);

	private final RangeScan scan;

	private final RecordFormat format;

	private final Outflow outflow;

	private volatile boolean begun;

	private volatile boolean ended;

	private final RequestMetrics metrics;

	private final AtomicBoolean measured = new AtomicBoolean();

	private final long beginNanos = System.nanoTime();

	RangeAnswer(RangeScan scan, RecordFormat format, Outflow outflow, RequestMetrics metrics) {
		this.scan = scan;
		this.format = format;
		this.outflow = outflow;
		this.metrics = metrics;
	}

	/** The records, each a buffer, which becomes a chunk. */
	Flux<DataBuffer> records(DataBufferFactory buffers) {
		return Mono.defer(this.scan::nextPage)
			.doOnSuccess(this::noteEnd)
			.flatMapMany((page) -> send(page, buffers))
			.repeat(() -> !this.ended)
			.doOnComplete(() -> measure(ScanEnd.COMPLETE))
			.onErrorResume(this::breakOff)
			.doOnCancel(this::left);
	}

	private void left() {
		if (this.begun) {
			measure(ScanEnd.CANCELLED);
		}
	}

	private void measure(ScanEnd end) {
		if (this.measured.compareAndSet(false, true)) {
			this.metrics.scanEnded(end, System.nanoTime() - this.beginNanos);
		}
	}

	/** Notes the end of the range, which is a missing page. */
	private void noteEnd(@Nullable List<Row> page) {
		this.ended = page == null;
	}

	private Flux<DataBuffer> send(List<Row> page, DataBufferFactory buffers) {
		this.begun = true;
		return Flux.fromIterable(page)
			.map((row) -> this.format.write(row, buffers))
			.concatWith(this.outflow.drained().cast(DataBuffer.class));
	}

	private Flux<DataBuffer> breakOff(Throwable error) {
		if (!this.begun) {
			return Flux.error(error);
		}
		measure(ScanEnd.BROKEN);
		logger.warn("Broke off a scan under way: {}", error.toString());
		this.outflow.abort();
		return Flux.never();
	}

}
