package io.quorate.bench;

import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.bench.CompactionProfiler.Merged;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.engine.LsmStore;
import org.jspecify.annotations.Nullable;

/** Our own store, through its public door. */
final class QuorateEngine implements Engine {

	/** Writes that a loading thread leaves under way. */
	static final int OUTSTANDING = 1024;

	private static final Executor SAME_THREAD = Runnable::run;

	private static final long PAUSE_NANOS = 100_000;

	private static final int PAGE_SIZE_BYTES = 256 << 10;

	private final AtomicLong time = new AtomicLong(Timestamp.hybridOfMillis(1_700_000_000_000L));

	private final Semaphore loading = new Semaphore(OUTSTANDING);

	private final Queue<Loaded> refused = new ConcurrentLinkedQueue<>();

	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	private final MeterRegistry meters = new SimpleMeterRegistry();

	private final LsmStore store;

	QuorateEngine(Path directory, Sync sync) {
		this.store = Stores.open(directory, sync);
	}

	private QuorateEngine(Path directory) {
		this.store = Stores.openUnlimited(directory, this.meters);
	}

	/** One whose merges neither rest nor have a rate, and which has meters. */
	static QuorateEngine unlimited(Path directory) {
		return new QuorateEngine(directory);
	}

	/*
	 * A store that is behind with its flushes refuses, where RocksDB would stall the caller:
	 * so the caller waits here, and the wait counts.
	 */
	@Override
	public void put(byte[] key, byte[] value) throws ExecutionException, InterruptedException {
		while (true) {
			try {
				apply(key, value).get();
				return;
			}
			catch (ExecutionException ex) {
				if (!(ex.getCause() instanceof StorageOverloadedException)) {
					throw ex;
				}
				LockSupport.parkNanos(PAUSE_NANOS);
			}
		}
	}

	@Override
	public void load(byte[] key, byte[] value) throws InterruptedException {
		this.loading.acquire();
		loadAdmitted(new Loaded(key, value));
		for (Loaded again = this.refused.poll(); again != null; again = this.refused.poll()) {
			LockSupport.parkNanos(PAUSE_NANOS);
			loadAdmitted(again);
		}
	}

	private void loadAdmitted(Loaded record) {
		var _ = apply(record.key(), record.value()).whenComplete((_, failed) -> {
			if (failed instanceof StorageOverloadedException) {
				this.refused.add(record);
				return;
			}
			if (failed != null) {
				this.failure.set(failed);
			}
			this.loading.release();
		});
	}

	/** Starts a write. */
	CompletableFuture<ApplyResult> apply(byte[] key, byte[] value) {
		Timestamp now = new Timestamp(this.time.incrementAndGet(), 1);
		return this.store.apply(Key.wrap(key), new Entry.Live(now, 1, Entry.NEVER, Value.wrap(value)), SAME_THREAD);
	}

	@Override
	public void settle() throws ExecutionException, InterruptedException {
		while (!this.loading.tryAcquire(OUTSTANDING, 1, TimeUnit.MILLISECONDS)) {
			Loaded again = this.refused.poll();
			if (again != null) {
				loadAdmitted(again);
			}
		}
		this.loading.release(OUTSTANDING);
		Throwable failed = this.failure.get();
		if (failed != null) {
			throw new IllegalStateException("a load failed", failed);
		}
		this.store.flush().get();
		this.store.compacted().get();
	}

	@Override
	public Merged merged() {
		return new Merged(this.meters.get("quorate.storage.compacted").tag("direction", "written").counter().count(),
				this.meters.get("quorate.storage.compaction")
					.tag("outcome", "success")
					.timer()
					.totalTime(TimeUnit.SECONDS));
	}

	@Override
	public int get(byte[] key) throws ExecutionException, InterruptedException {
		return switch (this.store.read(Key.wrap(key), Runnable::run).get()) {
			case ReadResult.Found(Entry.Live live) -> live.value().size();
			case ReadResult.Found(Entry.Tombstone _) -> -1;
			case ReadResult.Summarized(var summary) -> summary.valueSizeBytes();
			case ReadResult.Absent _ -> -1;
		};
	}

	@Override
	public int scan(byte[] start, int limit) throws ExecutionException, InterruptedException {
		int count = 0;
		Key next = Key.wrap(start);
		while (next != null && count < limit) {
			ScanPage page = this.store.page(next, null, new PageLimit(limit - count, PAGE_SIZE_BYTES, 65_536), Runnable::run).get();
			count += page.records().size();
			next = page.next();
		}
		return count;
	}

	@Override
	public void close() {
		this.store.close();
	}

	@SuppressWarnings("ArrayRecordComponent") // never compared
	private record Loaded(byte[] key, byte[] value) {
	}

}
