package io.quorate.api.batch;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.quorate.api.request.ApiProperties;
import io.quorate.clock.TimeSource;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/** Readers of batches, which share the threads for large lines. */
@Component
final class BatchReaders {

	private static final Duration IDLE = Duration.ofSeconds(10);

	private final Executor apart = threads();

	private final int maxItems;

	private final TimeSource time;

	BatchReaders(ApiProperties properties, TimeSource time) {
		this.maxItems = properties.batch().maxItems();
		this.time = time;
	}

	/*
	 * For large lines: half of the processors are left to the event loops. The queue is
	 * bounded by the batches that are admitted: each has one line in it that is read, and
	 * the items of its lines that are under way. The threads end when there is nothing to
	 * do.
	 */
	private static Executor threads() {
		int number = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
		ThreadPoolExecutor threads = new ThreadPoolExecutor(number, number, IDLE.toMillis(), TimeUnit.MILLISECONDS,
				new LinkedBlockingQueue<>(), Thread.ofPlatform().name("batch-lines-", 1).daemon().factory());
		threads.allowCoreThreadTimeOut(true);
		return threads;
	}

	/**
	 * Finds the lines of a batch, as {@link BatchLines#of(byte[], int, Executor)} does.
	 */
	Mono<BatchLines> lines(byte[] body, Executor turns) {
		return BatchLines.of(body, this.maxItems, turns);
	}

	/** A reader of the items in these lines. */
	BatchItemReader of(BatchLines lines) {
		return new BatchItemReader(lines, this.apart, this.time);
	}

}
