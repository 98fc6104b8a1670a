package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

import io.quorate.entry.Key;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.file.Channels;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.Nullable;
import org.mapdb.SortedTableMap;

/** An open table, read through MapDB from a memory mapping. */
final class MapDbTable implements SortedTable {

	private final Path file;

	private final TableFooter footer;

	private final MappedVolume volume;

	private final PageIndex index;

	private final PageNodes nodes;

	private final KeyNodeSerializer keys = new KeyNodeSerializer();

	private final EntryNodeSerializer entries;

	private final KeyCache.OfTable places;

	private final BlockCache.OfTable blocks;

	private final TableListener listener;

	private MapDbTable(TableFooter footer, MappedVolume volume, KeyCache places, BlockCache cache,
			TableListener listener) {
		this.file = volume.file();
		this.footer = footer;
		this.volume = volume;
		this.listener = listener;
		this.blocks = cache.open(listener);
		this.entries = footer.entries(this.blocks);
		this.nodes = new PageNodes(volume, this.keys, this.entries);
		volume.opening();
		// The first page holds the header, by which MapDB goes through the other pages.
		volume.verify(0);
		SortedTableMap<byte[], StoredEntry> map = SortedTableMap.open(volume, this.keys, this.entries);
		this.index = new PageIndex(map, this.keys);
		if (this.index.checksum() != footer.indexChecksum()) {
			throw new StorageCorruptedException(this.file, 0, "the first keys of the pages differ from those written",
					null);
		}
		this.places = places.open(this.index.pages());
	}

	/**
	 * Opens the table in a mapping of its pages, and proves that MapDB has read its index
	 * as it was written.
	 * @param places cache of the positions of keys
	 * @param cache cache of its blocks, if they are compressed
	 * @param listener notified of damage that later reads find
	 */
	static MapDbTable open(TableFooter footer, MappedVolume volume, KeyCache places, BlockCache cache,
			TableListener listener) {
		try {
			return new MapDbTable(footer, volume, places, cache, listener);
		}
		catch (RuntimeException | AssertionError | InternalError ex) {
			throw openingFailure(volume.file(), footer, volume, ex);
		}
	}

	@Override
	public TableSummary summary() {
		return this.footer.summary();
	}

	@Override
	public long uncompressedBytes() {
		return summary().sizeBytes() + Math.max(0, this.footer.savedBytes());
	}

	@Override
	public boolean mayContain(Key key, long hash) {
		return summary().covers(key)
				&& (this.places.find(hash) != EntryPosition.NONE || this.footer.bloom().mayContain(hash));
	}

	@Override
	public boolean isInMemory(Key key, long hash) {
		return !summary().covers(key) || this.volume.isInMemory(likelyPageOf(key, this.places.find(hash)));
	}

	@Override
	public @Nullable StoredEntry get(Key key, long hash) {
		if (!summary().covers(key)) {
			return null;
		}
		try {
			long likely = this.places.find(hash);
			StoredEntry entry = (likely != EntryPosition.NONE) ? this.nodes.entry(key.array(), likely) : null;
			this.listener.keyLocated(entry != null);
			return (entry != null) ? entry : search(key, hash);
		}
		catch (RuntimeException | AssertionError | InternalError ex) {
			throw readingFailure(pageOf(key), ex);
		}
	}

	private @Nullable StoredEntry search(Key key, long hash) {
		long place = this.nodes.find(key.array(), this.index.pageOf(key.array()));
		if (place == EntryPosition.NONE) {
			return null;
		}
		this.places.keep(hash, place);
		return this.nodes.entryFound(place);
	}

	private int likelyPageOf(Key key, long place) {
		return (place != EntryPosition.NONE) ? EntryPosition.page(place) : this.index.pageOf(key.array());
	}

	@Override
	public TableCursor cursor(@Nullable Key start) {
		boolean nothingLeft = start != null && start.compareTo(summary().keys().largest()) > 0;
		return nothingLeft ? () -> null : MapDbTableCursor.ascending(this, start, () -> walk(this.volume::copy));
	}

	@Override
	public TableCursor descending(@Nullable Key end) {
		boolean nothingLeft = end != null && end.compareTo(summary().keys().smallest()) <= 0;
		return nothingLeft ? () -> null : MapDbTableCursor.descending(this, end, () -> walk(this.volume::copy));
	}

	@Override
	public TableCursor wholeOnce(UncachedReader reader, PageCacheShare share) {
		return MapDbTableCursor.ascending(this, null,
				() -> walk(new PagesPastCache(this.file, this.volume, this.footer.pages(), reader, share)));
	}

	@Override
	public TableCursor intact(Consumer<StorageCorruptedException> told) {
		return new IntactPages(this, walk(this.volume::copy), told);
	}

	private PageWalk walk(PageCopies copies) {
		return new PageWalk(copies, this.index, this.keys, this.entries, this.footer.pages().pageSizeBytes());
	}

	/** Number of pages. */
	int pages() {
		return this.index.pages();
	}

	/** Number of the page that holds a key, if any does. */
	int pageOf(Key key) {
		return this.index.pageOf(key.array());
	}

	@Override
	public long verify(UncachedReader reader, Consumer<StorageCorruptedException> told) throws IOException {
		Consumer<StorageCorruptedException> both = (damage) -> {
			this.listener.damaged(damage);
			told.accept(damage);
		};
		PageSums sums = new PageSums(both);
		try (FileChannel channel = Channels.open(this.file, StandardOpenOption.READ)) {
			reader.read(this.file, 0, this.footer.pages().sizeBytes(), sums::add);
			TableFooter.verify(channel, this.file);
			return channel.size();
		}
		catch (StorageCorruptedException damage) {
			if (sums.isTold(damage)) {
				throw damage;
			}
			both.accept(damage);
			return this.footer.pages().sizeBytes();
		}
	}

	@Override
	public void close() {
		this.volume.close();
		this.blocks.drop();
	}

	/**
	 * The exception for a read that failed: damage, which is reported to the listener,
	 * or, if the table is closed, a mistake of the caller.
	 * @param page the page that was read or searched
	 */
	RuntimeException readingFailure(int page, Throwable cause) {
		RuntimeException failure = failure(page, cause);
		return (failure instanceof StorageCorruptedException damage) ? told(damage) : failure;
	}

	/** The same exception, without a report to the listener. */
	RuntimeException failure(int page, Throwable cause) {
		if (cause instanceof StorageCorruptedException damage) {
			return damage;
		}
		if (this.volume.isClosed()) {
			return new IllegalStateException("the table %s is closed".formatted(this.file), cause);
		}
		return damage(this.file, (long) page * this.footer.pages().pageSizeBytes(), cause);
	}

	private StorageCorruptedException told(StorageCorruptedException damage) {
		this.listener.damaged(damage);
		return damage;
	}

	/**
	 * The failure to open the table: the first page that does not match its checksum,
	 * which says more than MapDB's message.
	 */
	private static StorageCorruptedException openingFailure(Path file, TableFooter footer, MappedVolume volume,
			Throwable cause) {
		int page = 0;
		try {
			for (; page < footer.pages().pages(); page++) {
				volume.verify(page);
			}
		}
		catch (StorageCorruptedException damage) {
			return damage;
		}
		catch (InternalError ex) {
			return damage(file, (long) page * footer.pages().pageSizeBytes(), ex);
		}
		return (cause instanceof StorageCorruptedException damage) ? damage : damage(file, 0, cause);
	}

	private static StorageCorruptedException damage(Path file, long offset, Throwable cause) {
		String detail = (cause instanceof InternalError) ? "the page cannot be read"
				: "the page makes no sense (%s)".formatted(cause);
		return new StorageCorruptedException(file, offset, detail, cause);
	}

	/** Compares each page with its checksum as its bytes arrive. */
	private final class PageSums {

		private final Consumer<StorageCorruptedException> told;

		private final CRC32C crc = new CRC32C();

		private int page;

		private int ofPage;

		private @Nullable StorageCorruptedException latest;

		private PageSums(Consumer<StorageCorruptedException> told) {
			this.told = told;
		}

		private void add(ByteBuffer bytes) {
			int size = MapDbTable.this.footer.pages().pageSizeBytes();
			int end = bytes.limit();
			while (bytes.position() < end) {
				bytes.limit(Math.min(end, bytes.position() + size - this.ofPage));
				this.ofPage += bytes.remaining();
				this.crc.update(bytes);
				if (this.ofPage == size) {
					finishPage();
				}
				bytes.limit(end);
			}
		}

		private void finishPage() {
			int computed = (int) this.crc.getValue();
			this.crc.reset();
			this.ofPage = 0;
			int finished = this.page++;
			try {
				MapDbTable.this.footer.pages().require(finished, computed, MapDbTable.this.file);
			}
			catch (StorageCorruptedException damage) {
				this.latest = damage;
				this.told.accept(damage);
			}
		}

		private boolean isTold(StorageCorruptedException damage) {
			return damage == this.latest;
		}

	}

	/** Goes through the intact pages of a table, and leaves the damaged ones out. */
	private static final class IntactPages implements TableCursor {

		private final MapDbTable table;

		private final PageWalk walk;

		private final Consumer<StorageCorruptedException> damaged;

		IntactPages(MapDbTable table, PageWalk walk, Consumer<StorageCorruptedException> damaged) {
			this.table = table;
			this.walk = walk;
			this.damaged = damaged;
		}

		@Override
		public @Nullable KeyedEntry next() {
			while (true) {
				try {
					KeyedEntry next = this.walk.next();
					if (next != null || this.walk.page() + 1 == this.table.pages()) {
						return next;
					}
					this.walk.enter(this.walk.page() + 1);
				}
				catch (RuntimeException | AssertionError | InternalError ex) {
					leaveOut(this.table.failure(this.walk.page(), ex));
				}
			}
		}

		private void leaveOut(RuntimeException failure) {
			if (!(failure instanceof StorageCorruptedException damage)) {
				throw failure;
			}
			this.walk.leave();
			this.damaged.accept(damage);
		}

	}

	/**
	 * The pages of a table for a reader that takes each of them once. A page in memory is
	 * copied from there. Any other page is read past the page cache, so that it displaces
	 * no page that another reader needs again. Used by one thread.
	 */
	private static final class PagesPastCache implements PageCopies {

		private static final int BYTES_AT_ONCE = 256 * 1024;

		private final Path file;

		private final MappedVolume volume;

		private final PageChecksums checksums;

		private final UncachedReader reader;

		private final PageCacheShare share;

		private final ByteBuffer read;

		/* Pages that were read and not copied yet. */
		private int first;

		private int count;

		PagesPastCache(Path file, MappedVolume volume, PageChecksums checksums, UncachedReader reader,
				PageCacheShare share) {
			this.file = file;
			this.volume = volume;
			this.checksums = checksums;
			this.reader = reader;
			this.share = share;
			this.read = ByteBuffer.allocate(Math.max(BYTES_AT_ONCE, checksums.pageSizeBytes()));
		}

		@Override
		public void copy(int page, byte[] to) {
			if (!isRead(page)) {
				if (this.volume.isResident(page)) {
					this.volume.copyAlone(page, to);
					this.share.cached(to.length);
					return;
				}
				if (!readFrom(page)) {
					this.volume.copy(page, to);
					return;
				}
			}
			this.share.uncached(to.length);
			this.read.get((page - this.first) * to.length, to);
			CRC32C crc = new CRC32C();
			crc.update(to);
			this.checksums.require(page, (int) crc.getValue(), this.file);
		}

		private boolean isRead(int page) {
			return page >= this.first && page < this.first + this.count;
		}

		/**
		 * Reads a page, and the pages behind it as far as they are not in memory either.
		 * @return whether that was possible; if not, a read of the mapping shows the
		 * reason
		 */
		private boolean readFrom(int page) {
			int size = this.checksums.pageSizeBytes();
			int most = Math.min(this.read.capacity() / size, this.checksums.pages() - page);
			int wanted = 1;
			while (wanted < most && !this.volume.isResident(page + wanted)) {
				wanted++;
			}
			this.count = 0;
			this.read.clear();
			try {
				this.reader.read(this.file, (long) page * size, (long) wanted * size, this.read::put);
			}
			catch (IOException | RuntimeException failure) {
				return false;
			}
			this.first = page;
			this.count = wanted;
			return true;
		}

	}

}
