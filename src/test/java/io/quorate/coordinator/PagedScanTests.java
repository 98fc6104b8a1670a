package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.clock.ClockCeiling;
import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.replica.PageReply;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

class PagedScanTests {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private final DeadlineSweep deadlines = new DeadlineSweep();

	private final AtomicInteger pages = new AtomicInteger();

	@AfterEach
	void close() {
		this.deadlines.close();
	}

	@Test
	void anyNumberOfPagesWithoutRowsIsPassed() {
		RangeScan scan = scan(50_000, 1, 1);
		StepVerifier.create(scan.nextPage())
			.assertNext((rows) -> assertThat(rows).extracting(RangeScan.Row::key).containsExactly(key(50_000)))
			.expectComplete()
			.verify(LIMIT);
		StepVerifier.create(scan.nextPage()).expectComplete().verify(LIMIT);
	}

	@Test
	void fewRowsBehindManyDeletionsTakeFewPages() {
		RangeScan scan = scan(2000, 1024, 1);
		StepVerifier.create(scan.nextPage())
			.assertNext((rows) -> assertThat(rows).extracting(RangeScan.Row::key).containsExactly(key(2000)))
			.expectComplete()
			.verify(LIMIT);
		assertThat(this.pages).hasValueLessThan(5);
		StepVerifier.create(scan.nextPage()).expectComplete().verify(LIMIT);
	}

	private RangeScan scan(int deleted, int mostOnAPage, long limit) {
		ClockCeiling ceiling = new ClockCeiling() {

			@Override
			public long durableHybrid() {
				return Long.MAX_VALUE;
			}

			@Override
			public CompletableFuture<Void> raiseAbove(long hybrid) {
				return CompletableFuture.completedFuture(null);
			}

		};
		return new PagedScan(new Deleted(deleted, mostOnAPage), key(0), null, limit, LIMIT,
				new HybridClock(() -> 1000, 1, ceiling, 0), this.deadlines);
	}

	private static Key key(int number) {
		return Key.of("k%09d".formatted(number));
	}

	/**
	 * Holds deletions and, behind them, ten rows, and answers before the call returns.
	 */
	private final class Deleted implements Replica {

		private final int deleted;

		private final int mostOnAPage;

		private Deleted(int deleted, int mostOnAPage) {
			this.deleted = deleted;
			this.mostOnAPage = mostOnAPage;
		}

		@Override
		public Mono<PageReply> page(Key start, @Nullable Key end, PageLimit limit, Deadline deadline) {
			PagedScanTests.this.pages.incrementAndGet();
			int first = Integer.parseInt(start.toString().substring(1));
			int next = Math.min(first + Math.min(limit.records(), this.mostOnAPage), this.deleted + 10);
			List<ScanPage.Item> items = new ArrayList<>();
			for (int i = first; i < next; i++) {
				Timestamp stamp = Timestamp.ofMillis(1);
				items.add(new ScanPage.Item(key(i), (i < this.deleted) ? new Entry.Tombstone(stamp, 1)
						: new Entry.Live(stamp, 1, Entry.NEVER, Value.EMPTY)));
			}
			return Mono.just(new PageReply.Page(new ScanPage(items, (next < this.deleted + 10) ? key(next) : null)));
		}

		@Override
		public String nodeId() {
			return "a";
		}

		@Override
		public Mono<WriteReply> apply(Key key, Entry entry, Deadline deadline) {
			throw new UnsupportedOperationException("only scanned");
		}

		@Override
		public Mono<ReadReply> read(Key key, Deadline deadline) {
			throw new UnsupportedOperationException("only scanned");
		}

	}

}
