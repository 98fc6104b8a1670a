package io.quorate.api.range;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quorate.api.transport.Outflow;
import io.quorate.api.watch.RequestMetrics.ScanEnd;
import io.quorate.api.watch.RequestMetrics;
import io.quorate.coordinator.RangeScan.Row;
import io.quorate.coordinator.RangeScan;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The records of one scan while they are sent to one client. A page is requested when the
 * operating system has taken the one before, so there is never more than one in memory; a
 * page is flushed once, at its end.
 * <p>
 * With a limit, the head of the answer waits until it is known whether there is more
 * behind the limit, because it says so; but for no more than {@value #HELD_BYTES} bytes
 * of records, and half of the time that the client allows for the first byte. The scan
 * looks for one record more than the limit permits.
 * <p>
 * An error before the head is sent is the publisher's error, for a problem document. A
 * later one closes the connection, because nothing else shows the client that this is not
 * the whole range. Used by one subscriber; its fields are touched by one signal at a
 * time.
 */
final class RangeAnswer {

	private static final int HELD_BYTES = 256 * 1024;

	private static final Logger logger = LoggerFactory.getLogger(RangeAnswer.class);

	private final RangeScan scan;

	private final RangeRequest range;

	private final RecordFormat format;

	private final Outflow outflow;

	private final List<Row> held = new ArrayList<>();

	private long heldBytes;

	private long records;

	private @Nullable Key last;

	private boolean hasMore;

	private boolean isFirst = true;

	private volatile boolean begun;

	private volatile boolean ended;

	private final RequestMetrics metrics;

	private final AtomicBoolean measured = new AtomicBoolean();

	private final long beginNanos = System.nanoTime();

	/**
	 * The answer to a request.
	 * @param scan the scan of the range, of {@link #mostRows} at most
	 */
	RangeAnswer(RangeScan scan, RangeRequest range, RecordFormat format, Outflow outflow, RequestMetrics metrics) {
		this.scan = scan;
		this.range = range;
		this.format = format;
		this.outflow = outflow;
		this.metrics = metrics;
	}

	/** The limit of the scan of a range. */
	static long mostRows(RangeRequest range) {
		return range.isLimited() ? range.limit() + 1 : range.limit();
	}

	/** Sends the records, each in a buffer, which becomes a chunk. */
	Mono<Void> send(ServerHttpResponse response) {
		Mono<Void> hold = this.range.isLimited() ? hold() : Mono.empty();
		return hold.then(Mono.defer(() -> {
			String next = next();
			if (next != null) {
				response.getHeaders().add(HttpHeaders.LINK, "<%s>; rel=\"next\"".formatted(next));
			}
			return response.writeWith(records(response.bufferFactory()));
		}));
	}

	private Mono<Void> hold() {
		return Mono.defer(() -> this.scan.nextPage(!this.held.isEmpty()))
			.doOnSuccess(this::noteEnd)
			.doOnNext((page) -> takeIn(page).forEach(this::hold))
			.repeat(this::isHeadHeld)
			.then();
	}

	private void hold(Row row) {
		this.held.add(row);
		this.heldBytes += row.sizeBytes();
	}

	private boolean isHeadHeld() {
		return !this.ended && this.heldBytes <= HELD_BYTES
				&& System.nanoTime() - this.beginNanos < this.range.timeout().toNanos() / 2;
	}

	private Flux<DataBuffer> records(DataBufferFactory buffers) {
		Flux<DataBuffer> pages = Mono.defer(this.scan::nextPage)
			.doOnSuccess(this::noteEnd)
			.flatMapMany((page) -> send(takeIn(page), buffers))
			.repeat(() -> !this.ended);
		return Flux.defer(() -> this.held.isEmpty() ? Flux.empty() : send(List.copyOf(this.held), buffers))
			.doOnComplete(this.held::clear)
			.concatWith(Flux.defer(() -> this.ended ? Flux.empty() : pages))
			.concatWith(Mono.fromSupplier(() -> this.format.writeEnd(this.records, next(), buffers)))
			.doOnComplete(() -> measure(ScanEnd.COMPLETE))
			.onErrorResume(this::breakOff)
			.doOnCancel(this::left);
	}

	/** Notes the end of the range, which is a missing page. */
	private void noteEnd(@Nullable List<Row> page) {
		this.ended = page == null;
	}

	/** Returns the rows of a page within the limit. */
	private List<Row> takeIn(List<Row> page) {
		List<Row> rows = page;
		long room = this.range.limit() - this.records;
		if (page.size() > room) {
			rows = page.subList(0, (int) room);
			this.hasMore = true;
			this.ended = true;
		}
		this.records += rows.size();
		this.last = rows.isEmpty() ? this.last : rows.getLast().key();
		return rows;
	}

	/** The request for the rest of the range, {@code null} if there is none. */
	private @Nullable String next() {
		Key behind = this.last;
		return (this.hasMore && behind != null) ? this.range.next(behind) : null;
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

	private Flux<DataBuffer> send(List<Row> page, DataBufferFactory buffers) {
		this.begun = true;
		return Flux.fromIterable(page)
			.map((row) -> write(row, buffers))
			.concatWith(this.outflow.drained().cast(DataBuffer.class));
	}

	private DataBuffer write(Row row, DataBufferFactory buffers) {
		DataBuffer record = this.format.write(row, this.isFirst, buffers);
		this.isFirst = false;
		return record;
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
