package io.quorate.storage.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntConsumer;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.merge.MergingCursor;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.thread.Uninterrupted;
import io.quorate.storage.values.ValueFiles;
import org.jspecify.annotations.Nullable;

/**
 * The read path: memtables on the calling thread, tables and value files on a bounded
 * pool whose tasks are never cancelled or interrupted.
 */
final class EntryReader implements AutoCloseable {

	private final Views views;

	private final ValueFiles values;

	private final Comparator<StoredEntry> byValue;

	private final ThreadPoolExecutor executor;

	private final int queue;

	private final ReadBudget budget;

	private final StoreMetrics metrics;

	private final IntConsumer excluded;

	EntryReader(Views views, ValueFiles values, int threads, int queue, ReadBudget budget, StoreMetrics metrics) {
		this.views = views;
		this.values = values;
		this.byValue = Comparator.comparing(values::valueOf);
		this.queue = queue;
		this.budget = budget;
		this.metrics = metrics;
		this.excluded = metrics::excluded;
		this.executor = new ThreadPoolExecutor(threads, threads, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(queue),
				Thread.ofPlatform().daemon().name("storage-read-", 0).factory());
	}

	CompletableFuture<ReadResult> read(Key key, Executor callbacks) {
		long begun = System.nanoTime();
		View view = this.views.hold();
		boolean handedOver = false;
		try {
			StoredEntry found = view.inMemory(key, this.byValue);
			List<TableHandle> candidates = view.candidates(key, found, this.excluded);
			if (candidates.isEmpty() && (found == null || !(found.payload() instanceof Reference))) {
				ReadResult answer = (found == null) ? ReadResult.Absent.INSTANCE
						: new ReadResult.Found(withValue(found));
				this.metrics.answeredFromMemory(System.nanoTime() - begun);
				return CompletableFuture.completedFuture(answer);
			}
			handedOver = true;
			return onPool(view, begun, callbacks, (taken) -> {
				ReadResult answer = result(probe(candidates, key, found), taken);
				this.metrics.answeredFromTables(System.nanoTime() - begun);
				return answer;
			});
		}
		finally {
			if (!handedOver) {
				view.letGo();
			}
		}
	}

	private @Nullable StoredEntry probe(List<TableHandle> candidates, Key key, @Nullable StoredEntry inMemory) {
		StoredEntry best = inMemory;
		int probed = 0;
		int found = 0;
		for (TableHandle handle : candidates) {
			if (View.isOlderThan(handle, best)) {
				break;
			}
			StoredEntry entry = handle.table().get(key);
			probed++;
			if (entry != null) {
				found++;
				best = (best == null) ? entry : Versioned.winner(best, entry, this.byValue);
			}
		}
		if (probed > 0) {
			this.metrics.probed(probed, found);
		}
		return best;
	}

	private ReadResult result(@Nullable StoredEntry found, ReadBudget.Taken taken) {
		return (found == null) ? ReadResult.Absent.INSTANCE : new ReadResult.Found(entry(found, taken));
	}

	CompletableFuture<ScanPage> page(Key start, @Nullable Key end, PageLimit limit, Executor callbacks) {
		long begun = System.nanoTime();
		View view = this.views.hold();
		return onPool(view, begun, callbacks, (taken) -> readPage(view, start, end, limit, taken));
	}

	private ScanPage readPage(View view, Key start, @Nullable Key end, PageLimit limit, ReadBudget.Taken taken) {
		MergingCursor cursor = new MergingCursor(view.cursors(start, end), this.byValue);
		List<ScanPage.Item> items = new ArrayList<>();
		long sizeBytes = 0;
		KeyedEntry next = cursor.next();
		while (next != null && (end == null || next.key().compareTo(end) < 0)) {
			long itemBytes = (long) next.key().size() + next.entry().valueSizeBytes();
			boolean full = items.size() == Math.min(limit.records(), limit.examined())
					|| sizeBytes + itemBytes > limit.sizeBytes();
			if (full && !items.isEmpty()) {
				return new ScanPage(items, next.key());
			}
			items.add(new ScanPage.Item(next.key(), entry(next.entry(), taken)));
			sizeBytes += itemBytes;
			next = cursor.next();
		}
		return new ScanPage(items, null);
	}

	private <T> CompletableFuture<T> onPool(View view, long begun, Executor callbacks,
			Function<ReadBudget.Taken, T> work) {
		CompletableFuture<T> future = new CompletableFuture<>();
		try {
			this.executor.execute(() -> {
				this.metrics.readBegun(System.nanoTime() - begun);
				ReadBudget.Taken taken = this.budget.nothing();
				tell(callbacks, outcome(view, work, taken, future), taken);
			});
		}
		catch (RejectedExecutionException full) {
			view.letGo();
			future.completeExceptionally(new StorageOverloadedException(Bound.READS, this.queue));
		}
		return future;
	}

	/** Does the work and says how the future is to be completed. */
	private static <T> Runnable outcome(View view, Function<ReadBudget.Taken, T> work, ReadBudget.Taken taken,
			CompletableFuture<T> future) {
		try {
			T result = work.apply(taken);
			return () -> future.complete(result);
		}
		catch (RuntimeException | Error failure) {
			return () -> future.completeExceptionally(failure);
		}
		finally {
			view.letGo();
		}
	}

	/** Whoever is told counts the bytes as theirs before the call returns. */
	private static void tell(Executor callbacks, Runnable completion, ReadBudget.Taken taken) {
		Runnable handOver = () -> {
			try {
				completion.run();
			}
			finally {
				taken.giveBack();
			}
		};
		try {
			callbacks.execute(handOver);
		}
		catch (RejectedExecutionException gone) {
			handOver.run();
		}
	}

	/** An entry as it is known outside the store, with its value read. */
	private Entry entry(StoredEntry stored, ReadBudget.Taken taken) {
		if (stored.payload() instanceof Reference reference) {
			taken.take(reference.length());
		}
		return withValue(stored);
	}

	private Entry withValue(StoredEntry stored) {
		if (stored.isTombstone()) {
			return new Entry.Tombstone(stored.timestamp(), stored.from());
		}
		return new Entry.Live(stored.timestamp(), stored.from(), stored.expiryMillis(), this.values.valueOf(stored));
	}

	Comparator<StoredEntry> byValue() {
		return this.byValue;
	}

	int queued() {
		return this.executor.getQueue().size();
	}

	@Override
	public void close() {
		Uninterrupted.shutDown(this.executor);
	}

}
