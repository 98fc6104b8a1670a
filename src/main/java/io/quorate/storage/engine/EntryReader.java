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
import java.util.function.Supplier;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.StorageOverloadedException;
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

	EntryReader(Views views, ValueFiles values, int threads, int queue) {
		this.views = views;
		this.values = values;
		this.byValue = Comparator.comparing(values::valueOf);
		this.queue = queue;
		this.executor = new ThreadPoolExecutor(threads, threads, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(queue),
				Thread.ofPlatform().daemon().name("storage-read-", 0).factory());
	}

	CompletableFuture<ReadResult> read(Key key, Executor callbacks) {
		View view = this.views.hold();
		boolean handedOver = false;
		try {
			StoredEntry found = view.inMemory(key, this.byValue);
			List<TableHandle> candidates = view.candidates(key, found);
			if (candidates.isEmpty() && (found == null || !(found.payload() instanceof Reference))) {
				return CompletableFuture.completedFuture(result(found));
			}
			handedOver = true;
			return onPool(view, callbacks, () -> result(probe(candidates, key, found)));
		}
		finally {
			if (!handedOver) {
				view.letGo();
			}
		}
	}

	private @Nullable StoredEntry probe(List<TableHandle> candidates, Key key, @Nullable StoredEntry inMemory) {
		StoredEntry best = inMemory;
		for (TableHandle handle : candidates) {
			if (View.isOlderThan(handle, best)) {
				break;
			}
			StoredEntry entry = handle.table().get(key);
			if (entry != null) {
				best = (best == null) ? entry : Versioned.winner(best, entry, this.byValue);
			}
		}
		return best;
	}

	private ReadResult result(@Nullable StoredEntry found) {
		return (found == null) ? ReadResult.Absent.INSTANCE : new ReadResult.Found(entry(found));
	}

	CompletableFuture<ScanPage> page(Key start, @Nullable Key end, PageLimit limit, Executor callbacks) {
		View view = this.views.hold();
		return onPool(view, callbacks, () -> readPage(view, start, end, limit));
	}

	private ScanPage readPage(View view, Key start, @Nullable Key end, PageLimit limit) {
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
			items.add(new ScanPage.Item(next.key(), entry(next.entry())));
			sizeBytes += itemBytes;
			next = cursor.next();
		}
		return new ScanPage(items, null);
	}

	private <T> CompletableFuture<T> onPool(View view, Executor callbacks, Supplier<T> work) {
		CompletableFuture<T> future = new CompletableFuture<>();
		try {
			this.executor.execute(() -> tell(callbacks, outcome(view, work, future)));
		}
		catch (RejectedExecutionException full) {
			view.letGo();
			future.completeExceptionally(new StorageOverloadedException("reads waiting for the disk", this.queue));
		}
		return future;
	}

	/** Does the work and says how the future is to be completed. */
	private static <T> Runnable outcome(View view, Supplier<T> work, CompletableFuture<T> future) {
		try {
			T result = work.get();
			return () -> future.complete(result);
		}
		catch (RuntimeException | Error failure) {
			return () -> future.completeExceptionally(failure);
		}
		finally {
			view.letGo();
		}
	}

	private static void tell(Executor callbacks, Runnable completion) {
		try {
			callbacks.execute(completion);
		}
		catch (RejectedExecutionException gone) {
			completion.run();
		}
	}

	/** An entry as it is known outside the store, with its value read. */
	Entry entry(StoredEntry stored) {
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
