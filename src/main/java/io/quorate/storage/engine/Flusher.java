package io.quorate.storage.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.storage.Compression;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.floor.FlooredCursor;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.manifest.VersionEdit;
import io.quorate.storage.memtable.Memtable;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.sstable.PageCacheShare;
import io.quorate.storage.sstable.TableBuilder;
import io.quorate.storage.sstable.TableCursor;
import io.quorate.storage.thread.RepeatedWarnings;
import io.quorate.storage.thread.Uninterrupted;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes sealed memtables to tables of level 0, the oldest first, on a thread of its own.
 * A failed flush is tried again with a new file.
 */
final class Flusher implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(Flusher.class);

	private static final long RETRY_MILLIS = 1000;

	private final RepeatedWarnings failing = new RepeatedWarnings();

	private final Views views;

	private final Manifest manifest;

	private final Tables tables;

	private final Compression compression;

	private final SegmentReturn segments;

	private final Runnable flushed;

	private final StoreMetrics metrics;

	private final StorageProperties properties;

	private final BackgroundWork work;

	/* Number of callers that wait for everything to be flushed. */
	private final AtomicInteger waiting = new AtomicInteger();

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1,
			Thread.ofPlatform().daemon().name("storage-flush").factory());

	/**
	 * A flusher.
	 * @param segments takes the segments of flushed memtables
	 * @param flushed called after each flush
	 */
	Flusher(OpenFiles files, SegmentReturn segments, Runnable flushed, StorageProperties properties,
			BackgroundWork work, StoreMetrics metrics) {
		this.views = files.views();
		this.manifest = files.manifest();
		this.tables = files.tables();
		this.compression = properties.compression();
		this.segments = segments;
		this.flushed = flushed;
		this.metrics = metrics;
		this.properties = properties;
		this.work = work;
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	/** Makes the thread flush all sealed memtables soon. */
	void wake() {
		if (!this.executor.isShutdown()) {
			this.executor.execute(this::flushOrRetry);
		}
	}

	/** Completes when all memtables that are sealed now have been flushed. */
	CompletableFuture<Void> flushed() {
		this.waiting.incrementAndGet();
		return this.<@Nullable Void>meanwhile(() -> {
			flushSealed();
			return null;
		}).thenAccept((_) -> {
		}).whenComplete((_, _) -> this.waiting.decrementAndGet());
	}

	/** Does some work on the flush thread, so that nothing is flushed meanwhile. */
	<T extends @Nullable Object> CompletableFuture<T> meanwhile(Work<T> work) {
		CompletableFuture<T> done = new CompletableFuture<>();
		try {
			this.executor.execute(() -> {
				try {
					done.complete(work.run());
				}
				catch (IOException failure) {
					done.completeExceptionally(
							new StorageFailedException("the files of the store: " + failure, failure));
				}
				catch (RuntimeException | Error failure) {
					done.completeExceptionally(failure);
				}
			});
		}
		catch (RejectedExecutionException closed) {
			done.completeExceptionally(new StorageFailedException("the store is closed", null));
		}
		return done;
	}

	private void flushOrRetry() {
		try {
			flushSealed();
		}
		catch (IOException | StorageException failure) {
			String end = this.failing.due(System.nanoTime());
			if (end != null) {
				log.error("A memtable could not be flushed; the next attempt follows in {} ms: {}{}", RETRY_MILLIS,
						failure.toString(), end);
			}
			retry();
		}
		catch (RuntimeException | Error bug) {
			log.error("Internal error in a flush; the next attempt follows in {} ms", RETRY_MILLIS, bug);
			retry();
		}
	}

	private void retry() {
		if (!this.executor.isShutdown()) {
			var _ = this.executor.schedule(this::flushOrRetry, RETRY_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	private void flushSealed() throws IOException {
		MemtableHandle oldest = oldestSealed();
		while (oldest != null) {
			measuredFlush(oldest);
			this.flushed.run();
			oldest = oldestSealed();
		}
	}

	private @Nullable MemtableHandle oldestSealed() {
		List<MemtableHandle> sealed = this.views.peek().sealed();
		return sealed.isEmpty() ? null : sealed.getFirst();
	}

	private void measuredFlush(MemtableHandle handle) throws IOException {
		long begun = System.nanoTime();
		boolean done = false;
		try {
			flush(handle);
			done = true;
			this.metrics.flushed(System.nanoTime() - begun);
		}
		finally {
			if (!done) {
				this.metrics.flushFailed(System.nanoTime() - begun);
			}
		}
	}

	private void flush(MemtableHandle handle) throws IOException {
		// Without its edit a table would be useless, and every attempt would leave one.
		this.manifest.requireUsable();
		Memtable memtable = handle.memtable();
		TableMeta written = memtable.isEmpty() ? null : write(memtable);
		List<TableHandle> opened = (written == null) ? List.of() : List.of(open(written));
		try {
			this.manifest.append(VersionEdit.flush(opened.stream().map(TableHandle::meta).toList(),
					memtable.segment() + 1, handle.highestSequence()));
			this.views.replace((view) -> withoutSealed(view, handle, opened));
		}
		catch (DiskFullException notNamed) {
			opened.forEach(TableHandle::markObsolete);
			throw notNamed;
		}
		finally {
			opened.forEach(RefCounted::release);
		}
		handle.release();
		this.segments.recycle(memtable.segment());
	}

	/**
	 * Opens a table before the manifest names it. A table that is named and not in the
	 * view would bring back, at the next start, entries that compactions have dropped
	 * meanwhile.
	 */
	private TableHandle open(TableMeta written) throws IOException {
		try {
			return this.tables.openWritten(written);
		}
		catch (IOException | RuntimeException | Error failure) {
			this.tables.delete(written.number());
			throw failure;
		}
	}

	private static View withoutSealed(View view, MemtableHandle handle, List<TableHandle> opened) {
		List<MemtableHandle> sealed = new ArrayList<>(view.sealed());
		sealed.remove(handle);
		List<TableHandle> tables = new ArrayList<>(view.tables());
		tables.addAll(opened);
		return new View(view.active(), sealed, tables, view.floors());
	}

	/** Writes the entries of a memtable; {@code null} when all of them are hidden. */
	private @Nullable TableMeta write(Memtable memtable) throws IOException {
		long number = this.tables.reserve();
		try (TableBuilder builder = this.tables.create(number, memtable.keys(), this.compression, new PageCacheShare());
				BackgroundThrottle pace = this.work.flush(this::isAwaited)) {
			// Floors are set on this thread, so these are those of the table's number.
			TableCursor cursor = new FlooredCursor(memtable.cursor(null), this.views.peek().floors());
			KeyedEntry next = cursor.next();
			while (next != null) {
				if (!FlooredCursor.isHidden(next)) {
					builder.add(next.key(), next.entry());
				}
				pace.entryDone();
				next = cursor.next();
			}
			return (builder.entries() > 0) ? new TableMeta(number, 0, number, builder.finish()) : null;
		}
	}

	/**
	 * Whether a caller waits for the end, another memtable is sealed, or the active one
	 * is more than half full.
	 */
	private boolean isAwaited() {
		View view = this.views.peek();
		return this.waiting.get() > 0 || this.executor.isShutdown() || view.sealed().size() > 1
				|| view.active().memtable().sizeBytes() > this.properties.memtableSize().toBytes() / 2;
	}

	@Override
	public void close() {
		Uninterrupted.shutDown(this.executor);
	}

	/** Takes back segments of the log that are not needed any more. */
	@FunctionalInterface
	interface SegmentReturn {

		/** Takes a segment whose records are in a table that the manifest names. */
		void recycle(long number) throws IOException;

	}

	/** A piece of work that waits for the disk. */
	@FunctionalInterface
	interface Work<T extends @Nullable Object> {

		T run() throws IOException;

	}

}
