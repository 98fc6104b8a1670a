package io.quorate.storage.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

import io.quorate.clock.Deadline;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.LineageCodec;
import io.quorate.entry.ScanRange;
import io.quorate.security.LoggedKey;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.floor.FlooredCursor;
import io.quorate.storage.merge.MergingCursor;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.TableCursor;
import io.quorate.storage.values.ValueFiles;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The read path. An entry in memory, in a memtable or in a table page that the page cache
 * holds, is read on the calling thread. Reads that may need the disk take one lane, pages
 * of many entries another one, so that neither waits for the other.
 */
final class EntryReader implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(EntryReader.class);

	/* One page is as much work as many reads. */
	private static final int PAGES_PART = 16;

	private final Views views;

	private final ValueFiles values;

	private final PurgePolicy purge;

	private final Comparator<StoredEntry> byValue;

	private final ReadLane points;

	private final ReadLane pages;

	private final StoreMetrics metrics;

	EntryReader(OpenFiles files, PurgePolicy purge, StorageProperties properties, ReadBudget budget,
			StoreEvents events) {
		this.views = files.views();
		this.values = files.values();
		this.purge = purge;
		this.byValue = this.values::compare;
		this.metrics = events.metrics();
		this.points = new ReadLane("storage-read-", properties.readThreads(), properties.readQueue(), Bound.READS,
				budget, events);
		this.pages = new ReadLane("storage-page-", Math.max(1, properties.readThreads() / 2),
				Math.max(1, properties.readQueue() / PAGES_PART), Bound.PAGES, budget, events);
	}

	CompletableFuture<ReadResult> read(Key key, int maxValueBytes, Deadline deadline, Executor callbacks) {
		Comparator<StoredEntry> ties = (maxValueBytes == Integer.MAX_VALUE) ? this.byValue : ValueFiles.BY_CHECKSUM;
		long begun = System.nanoTime();
		View view = this.views.retain();
		boolean handedOver = false;
		try {
			long hash = key.hash64();
			StoredEntry found = view.inMemory(key, hash, ties);
			Search search = new Search(view, view.candidates(key, hash, found), key, hash, found, ties);
			Probed atOnce = probeAtOnce(search);
			if (atOnce != null && !isValueFileRead(atOnce.best(), maxValueBytes)) {
				ReadResult answer = result(key, atOnce.best(), maxValueBytes, this::withValue);
				if (search.candidates().isEmpty()) {
					this.metrics.answeredFromMemory(System.nanoTime() - begun);
				}
				else {
					this.metrics.answeredFromTables(System.nanoTime() - begun);
				}
				return CompletableFuture.completedFuture(answer);
			}
			handedOver = true;
			return this.points.submit(view, begun, deadline, callbacks, (taken) -> {
				Probed probed = (atOnce != null) ? atOnce : probe(search);
				ReadResult answer = result(key, probed.best(), maxValueBytes,
						(stored) -> entry(view, key, stored, taken));
				this.metrics.answeredFromTables(System.nanoTime() - begun);
				return answer;
			});
		}
		finally {
			if (!handedOver) {
				view.release();
			}
		}
	}

	private static boolean isValueFileRead(@Nullable StoredEntry found, int maxValueBytes) {
		return found != null && found.payload() instanceof Reference reference && reference.length() <= maxValueBytes;
	}

	/** The best entry if it can be found without the disk, else {@code null}. */
	private @Nullable Probed probeAtOnce(Search search) {
		try {
			return probe(search, false);
		}
		catch (StorageCorruptedException _) {
			// A pool thread meets it again, and has time for what follows.
			return null;
		}
	}

	private Probed probe(Search search) {
		return Objects.requireNonNull(probe(search, true));
	}

	/**
	 * Asks the tables one after the other.
	 * @param mayWait for the disk
	 * @return {@code null} when it would have to wait and may not
	 */
	private @Nullable Probed probe(Search search, boolean mayWait) {
		Key key = search.key();
		long hash = search.hash();
		StoredEntry best = search.inMemory();
		int probed = 0;
		for (TableHandle handle : search.candidates()) {
			if (View.isOlderThan(handle, best)) {
				break;
			}
			if (!mayWait && !handle.table().isInMemory(key, hash)) {
				return null;
			}
			StoredEntry entry = search.view().inTable(handle, key, hash);
			probed++;
			if (entry != null) {
				if (!mayWait && best != null && best.timestamp().equals(entry.timestamp())) {
					// The winner may depend on values in files.
					return null;
				}
				best = (best == null) ? entry : StoredEntry.winner(best, entry, search.ties());
			}
		}
		if (probed > 0) {
			this.metrics.probed(probed);
		}
		return new Probed(best);
	}

	/**
	 * A search for one key.
	 *
	 * @param view the tables and memtables that are searched
	 * @param candidates the tables that may have the key, the newest first
	 * @param inMemory the entry of the memtables, if there is one
	 * @param ties the order of entries with one timestamp
	 */
	private record Search(View view, List<TableHandle> candidates, Key key, long hash, @Nullable StoredEntry inMemory,
			Comparator<StoredEntry> ties) {
	}

	/**
	 * The result of a search in memory and tables.
	 *
	 * @param best the entry that wins, if there is one
	 */
	private record Probed(@Nullable StoredEntry best) {
	}

	private ReadResult result(Key key, @Nullable StoredEntry found, int maxValueBytes,
			Function<StoredEntry, Entry> whole) {
		if (found == null || isPurgeable(key, found)) {
			return ReadResult.Absent.INSTANCE;
		}
		return (found.valueSizeBytes() > maxValueBytes) ? new ReadResult.Summarized(found.summary())
				: new ReadResult.Found(whole.apply(found));
	}

	/**
	 * Reads a page from which only entries with damaged values are left out.
	 * @param source tables with a reference for this page, which the page releases
	 */
	CompletableFuture<ScanPage> wholePage(Source source, ScanRange range, PageLimit limit, Executor callbacks) {
		return this.pages.submit(source, System.nanoTime(), Deadline.none(), callbacks, (taken) -> {
			PageBuilder<ScanPage.Item> page = new PageBuilder<>(range, limit, FlooredCursor::isHidden);
			page.fill(merged(source, range, this.values::compareIntact), EntryReader::sizeBytes,
					(next) -> intactItem(next, taken));
			return new ScanPage(page.items(), page.next());
		});
	}

	private ScanPage.@Nullable Item intactItem(KeyedEntry next, ReadBudget.Taken taken) {
		try {
			return new ScanPage.Item(next.key(), entry(next.entry(), taken));
		}
		catch (StorageCorruptedException damage) {
			log.warn("The value of {} is left out of what was set aside, because {}", LoggedKey.of(next.key()),
					damage.getMessage());
			return null;
		}
	}

	private static MergingCursor merged(Source source, ScanRange range, Comparator<StoredEntry> ties) {
		return new MergingCursor(source.cursors(range), range.order(), ties);
	}

	CompletableFuture<ScanPage> page(ScanRange range, PageLimit limit, Deadline deadline, Executor callbacks) {
		View view = this.views.retain();
		return this.pages.submit(view, System.nanoTime(), deadline, callbacks, (taken) -> {
			PageBuilder<ScanPage.Item> page = new PageBuilder<>(range, limit, this::isLeftOut);
			page.fill(merged(view, range, this.byValue), EntryReader::sizeBytes,
					(next) -> new ScanPage.Item(next.key(), entry(view, next.key(), next.entry(), taken)));
			return new ScanPage(page.items(), page.next());
		});
	}

	CompletableFuture<HeaderPage> headers(ScanRange range, long above, PageLimit limit, Deadline deadline,
			Executor callbacks) {
		View view = this.views.retain();
		return this.pages.submit(view, System.nanoTime(), deadline, callbacks, (_) -> {
			PageBuilder<HeaderPage.Header> page = new PageBuilder<>(range, limit,
					(item) -> isLeftOut(item) || (above != 0 && !isAbove(view, item, above)));
			page.fill(new MergingCursor(view.cursors(range, above), range.order(), ValueFiles.BY_CHECKSUM),
					(next) -> HeaderPage.Header.sizeBytes(next.key(), next.entry()),
					(next) -> header(next.key(), next.entry()));
			return new HeaderPage(page.items(), page.next());
		});
	}

	private static HeaderPage.Header header(Key key, StoredEntry entry) {
		return new HeaderPage.Header(key, entry.summary(), entry.sequence());
	}

	/* Whether it has arrived behind the number, and wins over what was not read. */
	private static boolean isAbove(View view, KeyedEntry item, long above) {
		return item.entry().sequence() > above
				&& !view.isBeatenBelow(above, item.key(), item.entry(), ValueFiles.BY_CHECKSUM);
	}

	private boolean isLeftOut(KeyedEntry item) {
		return FlooredCursor.isHidden(item) || isPurgeable(item.key(), item.entry());
	}

	/** Whether the entry may be purged, and therefore reads as absent. */
	private boolean isPurgeable(Key key, StoredEntry entry) {
		return this.purge.isPurgeable(key, entry, entry.sequence());
	}

	private static long sizeBytes(KeyedEntry item) {
		ContentType contentType = item.entry().contentType();
		return (long) item.key().size() + LineageCodec.size(item.entry()) + item.entry().valueSizeBytes()
				+ ((contentType != null) ? contentType.size() : 0);
	}

	/**
	 * Converts an entry for callers of the store. If its value cannot be read, takes that
	 * of another copy of the entry.
	 */
	private Entry entry(View view, Key key, StoredEntry stored, ReadBudget.Taken taken) {
		try {
			return entry(stored, taken);
		}
		catch (StorageCorruptedException | StorageFailedException unreadable) {
			StoredEntry other = intactCopy(view, key);
			if (other == null || other.payload().equals(stored.payload())) {
				throw unreadable;
			}
			return withValue(other);
		}
	}

	private @Nullable StoredEntry intactCopy(View view, Key key) {
		long hash = key.hash64();
		Comparator<StoredEntry> ties = this.values::compareIntact;
		StoredEntry inMemory = view.inMemory(key, hash, ties);
		return probe(new Search(view, view.candidates(key, hash, inMemory), key, hash, inMemory, ties)).best();
	}

	/** Converts an entry for callers of the store, and reads its value. */
	private Entry entry(StoredEntry stored, ReadBudget.Taken taken) {
		if (stored.payload() instanceof Reference reference) {
			taken.take(reference.length());
		}
		return withValue(stored);
	}

	private Entry withValue(StoredEntry stored) {
		return stored.toEntry(this.values::valueOf);
	}

	Comparator<StoredEntry> byValue() {
		return this.byValue;
	}

	int queued() {
		return this.points.queued() + this.pages.queued();
	}

	@Override
	public void close() {
		this.points.close();
		this.pages.close();
	}

	/**
	 * A page that is being filled, up to its limits. Used by one thread.
	 *
	 * @param <T> type of its items
	 */
	private static final class PageBuilder<T> {

		private final ScanRange range;

		private final PageLimit limit;

		private final Predicate<KeyedEntry> leftOut;

		private final List<T> items = new ArrayList<>();

		private @Nullable Key next;

		/**
		 * An empty page.
		 * @param leftOut entries that are examined and not taken
		 */
		PageBuilder(ScanRange range, PageLimit limit, Predicate<KeyedEntry> leftOut) {
			this.range = range;
			this.limit = limit;
			this.leftOut = leftOut;
		}

		/**
		 * Takes entries as far as the limits permit. It examines at least one, which is
		 * taken unless it is left out.
		 * @param sizeOf number of bytes of the limit that an entry takes
		 * @param form makes the item of an entry, {@code null} for none
		 */
		void fill(TableCursor cursor, ToLongFunction<KeyedEntry> sizeOf,
				Function<KeyedEntry, ? extends @Nullable T> form) {
			long sizeBytes = 0;
			int examined = 0;
			KeyedEntry before = null;
			KeyedEntry entry = cursor.next();
			while (entry != null && !this.range.isPassedBy(entry.key())) {
				boolean taken = !this.leftOut.test(entry);
				long itemBytes = taken ? sizeOf.applyAsLong(entry) : 0;
				if (before != null && (examined == this.limit.examined() || (taken && isFull(sizeBytes + itemBytes)))) {
					this.next = this.range.isDescending() ? before.key() : entry.key();
					return;
				}
				T item = taken ? form.apply(entry) : null;
				if (item != null) {
					this.items.add(item);
					sizeBytes += itemBytes;
				}
				examined++;
				before = entry;
				entry = cursor.next();
			}
		}

		private boolean isFull(long sizeBytes) {
			return !this.items.isEmpty()
					&& (this.items.size() == this.limit.records() || sizeBytes > this.limit.sizeBytes());
		}

		List<T> items() {
			return this.items;
		}

		/**
		 * The border of the rest that was not examined: its first key, or, in descending
		 * order, its end, exclusive; {@code null} when there is none.
		 */
		@Nullable Key next() {
			return this.next;
		}

	}

}
