package io.quorate.storage.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.StorageExpiredException;
import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.sstable.TableCursor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/** Reads that wait for their turn, on a disk that takes 10 ms for each. */
@Timeout(60)
class ReadLaneTests {

	private static final int PLACES = 1000;

	private static final int THREADS = 4;

	private static final long READ_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private static final Key KEY = Key.of("large");

	private final AtomicInteger read = new AtomicInteger();

	private final AtomicInteger held = new AtomicInteger();

	@TempDir
	Path directory;

	@Test
	void nothingIsReadForThoseWhoDoNotWaitAnyMore() {
		try (ReadLane lane = lane(); Gate jam = new Gate()) {
			List<CompletableFuture<Integer>> begun = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				begun.add(submit(lane, Deadline.none(), () -> jam.execute(() -> {
				})));
			}
			jam.awaitThread();
			List<CompletableFuture<Integer>> expired = new ArrayList<>();
			for (int i = 0; i < PLACES - 20; i++) {
				expired.add(submit(lane, Deadline.after(Duration.ZERO), this::slowRead));
			}
			List<CompletableFuture<Integer>> awaited = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				awaited.add(submit(lane, Deadline.after(Duration.ofMinutes(1)), this::slowRead));
			}
			jam.open();
			awaited.forEach((future) -> assertThat(await(future)).isOne());
			assertThat(expired)
				.allSatisfy((future) -> assertThat(failure(future)).isInstanceOf(StorageExpiredException.class));
			begun.forEach(TestStores::await);
		}
		assertThat(this.read).as("reads that the disk has done").hasValue(20);
		assertThat(this.held).as("sources that are held").hasValue(0);
	}

	/*
	 * A jam would otherwise leave each read begun too late for its answer, and none in
	 * time.
	 */
	@Test
	void aReadThatCannotEndInTimeIsNotBegun() {
		AtomicReference<CompletableFuture<Integer>> hurried = new AtomicReference<>();
		try (ReadLane lane = lane(1)) {
			for (int i = 0; i < 20; i++) {
				await(submit(lane, Deadline.none(), this::slowRead));
			}
			await(submit(lane, Deadline.none(), () -> {
				slowRead();
				// Begun at once it would end 5 ms after this, if the machine is not slow.
				hurried.set(submit(lane, Deadline.after(Duration.ofMillis(15)), this::slowRead));
			}));
			assertThat(failure(hurried.get())).isInstanceOf(StorageExpiredException.class);
			assertThat(await(submit(lane, Deadline.after(Duration.ofMinutes(1)), this::slowRead))).isOne();
		}
		assertThat(this.read).hasValue(22);
		assertThat(this.held).hasValue(0);
	}

	@Test
	void moreThanThePlacesAreRefused() {
		try (ReadLane lane = lane(); Gate jam = new Gate()) {
			List<CompletableFuture<Integer>> taken = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				taken.add(submit(lane, Deadline.none(), () -> jam.execute(() -> {
				})));
			}
			jam.awaitThread();
			for (int i = 0; i < PLACES + THREADS; i++) {
				taken.add(submit(lane, Deadline.none(), () -> {
				}));
			}
			assertThat(failure(taken.getLast())).isInstanceOfSatisfying(StorageOverloadedException.class,
					(full) -> assertThat(full.bound()).isEqualTo(Bound.READS));
		}
		assertThat(this.held).hasValue(0);
	}

	@Test
	void readsDoNotWaitForPagesNorPagesForReads() {
		try (LsmStore store = filled(); Gate pages = new Gate(); Gate reads = new Gate()) {
			PageLimit limit = new PageLimit(10, 1 << 20, 10);
			CompletableFuture<ScanPage> heldPage = store.page(KEY, null, limit, pages);
			pages.awaitThread();
			CompletableFuture<ScanPage> waitingPage = store.page(KEY, null, limit, Runnable::run);
			assertThat(await(store.read(KEY, Runnable::run))).isInstanceOf(ReadResult.Found.class);
			assertThat(waitingPage).isNotDone();
			pages.open();
			assertThat(await(heldPage).records()).hasSameSizeAs(await(waitingPage).records());
			List<CompletableFuture<ReadResult>> heldReads = List.of(store.read(KEY, reads), store.read(KEY, reads));
			reads.awaitThread();
			assertThat(await(store.page(KEY, null, limit, Runnable::run)).records()).hasSize(1);
			reads.open();
			heldReads.forEach(TestStores::await);
		}
	}

	@Test
	void theStoreHandsTheDeadlineDown() {
		try (LsmStore store = filled()) {
			Deadline passed = Deadline.after(Duration.ZERO);
			PageLimit limit = new PageLimit(10, 1 << 20, 10);
			assertThat(failure(store.read(KEY, Integer.MAX_VALUE, passed, Runnable::run)))
				.isInstanceOf(StorageExpiredException.class);
			assertThat(failure(store.page(KEY, null, limit, passed, Runnable::run)))
				.isInstanceOf(StorageExpiredException.class);
			assertThat(failure(store.headers(KEY, null, limit, passed, Runnable::run)))
				.isInstanceOf(StorageExpiredException.class);
		}
	}

	/** With a value in a file, which is never read on the calling thread. */
	private LsmStore filled() {
		LsmStore store = TestStores.open(this.directory, () -> 0);
		Entry entry = new Entry.Live(Timestamp.ofMillis(1), 1, Entry.NEVER, Value.copyOf(new byte[50_000]));
		await(store.apply(KEY, entry, Runnable::run));
		return store;
	}

	private ReadLane lane() {
		return lane(THREADS);
	}

	private ReadLane lane(int threads) {
		return new ReadLane("test-read-", threads, PLACES, Bound.READS, ReadBudget.ofHeap(),
				new StoreEvents(StoreMetrics.none(), (_) -> {
				}));
	}

	private CompletableFuture<Integer> submit(ReadLane lane, Deadline deadline, Runnable work) {
		Source source = new Held();
		this.held.incrementAndGet();
		return lane.submit(source, System.nanoTime(), deadline, Runnable::run, (_) -> {
			work.run();
			return 1;
		});
	}

	private void slowRead() {
		this.read.incrementAndGet();
		long end = System.nanoTime() + READ_NANOS;
		while (System.nanoTime() < end) {
			LockSupport.parkNanos(end - System.nanoTime());
		}
	}

	private static Throwable failure(CompletableFuture<?> future) {
		Throwable failure = await(future.handle((_, thrown) -> thrown));
		assertThat(failure).isNotNull();
		return (failure instanceof CompletionException wrapped && wrapped.getCause() != null) ? wrapped.getCause()
				: failure;
	}

	private final class Held extends Source {

		@Override
		List<TableCursor> cursors(ScanRange range) {
			return List.of();
		}

		@Override
		void dispose() {
			ReadLaneTests.this.held.decrementAndGet();
		}

	}

}
