package io.quorate.storage.sstable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;
import io.quorate.security.LoggedKey;
import io.quorate.storage.Compression;
import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.record.EntryCodec;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.Nullable;

/** Writes one table through MapDB's sink, and the footer behind it. */
final class MapDbTableBuilder implements TableBuilder {

	/** The largest value that is kept in a table, in bytes. */
	static final int MAX_INLINE_VALUE_SIZE_BYTES = 16 * 1024;

	private static final int MAX_ENTRY_SIZE_BYTES = MAX_INLINE_VALUE_SIZE_BYTES + EntryCodec.MAX_OVERHEAD;

	/** MapDB's pages are addressed by a mapping, and a mapping by {@code int}. */
	private static final long MAX_PAGES_SIZE_BYTES = Integer.MAX_VALUE - 16L * 1024 * 1024;

	private static final int MAX_INITIAL_HASHES = 1 << 16;

	private final Path file;

	private final FileChannel channel;

	private final WritingVolume volume;

	private final Compression compression;

	private final KeyNodeSerializer keys = new KeyNodeSerializer();

	private final NodeSink sink;

	private final TableContents contents = new TableContents();

	private final HashList hashes;

	/** The file that is written: {@link #file} only after the table is complete. */
	private Path place;

	private State state = State.OPEN;

	private enum State {

		OPEN, BROKEN, FINISHED, CLOSED

	}

	MapDbTableBuilder(Path file, long expectedEntries, NodeSink.Sizes sizes, Compression compression,
			PageCacheShare share, TableListener listener) throws IOException {
		if (Files.exists(file)) {
			throw new FileAlreadyExistsException(file.toString(), null, "tables are written once");
		}
		EntryNodeSerializer serializer = TableFooter.entries(compression, BlockCache.NONE.open(listener));
		this.file = file;
		this.compression = compression;
		this.place = file.resolveSibling(file.getFileName() + ".tmp");
		this.hashes = new HashList(Math.clamp(expectedEntries, 0, MAX_INITIAL_HASHES));
		this.channel = Channels.open(this.place, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
				StandardOpenOption.WRITE, StandardOpenOption.READ);
		this.volume = new WritingVolume(this.place, this.channel, sizes.pageBytes(), share);
		this.sink = new NodeSink(this.volume, this.keys, serializer, sizes);
	}

	@Override
	public void add(Key key, StoredEntry entry) throws IOException {
		requireOpen();
		requireFitting(key, entry);
		this.state = State.BROKEN;
		try {
			this.sink.put(key, entry);
		}
		catch (UncheckedIOException ex) {
			throw ex.getCause();
		}
		this.hashes.add(key.hash64());
		this.contents.add(key, entry);
		this.state = State.OPEN;
	}

	@Override
	public long sizeBytes() {
		return this.sink.sizeBytes() + BloomFilter.encodedSizeBytes(entries()) + TableFooter.TRAILER_SIZE_BYTES;
	}

	@Override
	public long entries() {
		return this.contents.entries();
	}

	@Override
	public TableSummary finish() throws IOException {
		requireOpen();
		TableSummary summary = this.contents.summary();
		this.state = State.BROKEN;
		writeFooter(summary);
		TableSummary written = summary.withSizeBytes(this.channel.size());
		this.channel.force(true);
		this.volume.forced();
		this.channel.close();
		DirectoryEntries.move(this.place, this.file);
		this.place = this.file;
		DurableFiles.forceDirectory(Objects.requireNonNull(this.file.toAbsolutePath().getParent()));
		this.state = State.FINISHED;
		return written;
	}

	@Override
	public void close() throws IOException {
		if (this.state == State.CLOSED) {
			return;
		}
		boolean finished = this.state == State.FINISHED;
		this.state = State.CLOSED;
		this.volume.close();
		try {
			this.channel.close();
		}
		finally {
			if (!finished) {
				DirectoryEntries.deleteIfExists(this.place);
			}
		}
	}

	private void writeFooter(TableSummary summary) throws IOException {
		try (Arena arena = Arena.ofConfined()) {
			PageIndex index = new PageIndex(this.sink.create(), this.keys);
			PageChecksums pages = this.volume.seal();
			BloomFilter bloom = BloomFilter.of(this.hashes, arena);
			ByteBuffer footer = new TableFooter(summary, pages, index.checksum(), bloom, this.compression,
					this.sink.contentBytes() - this.sink.storedBytes())
				.toBytes();
			Blocks.write(this.channel, pages.sizeBytes(), footer);
		}
		catch (UncheckedIOException ex) {
			throw ex.getCause();
		}
	}

	private void requireOpen() {
		if (this.state != State.OPEN) {
			throw new IllegalStateException("the table %s takes nothing: %s".formatted(this.file, this.state));
		}
	}

	private void requireFitting(Key key, StoredEntry entry) {
		Key largest = this.contents.largest();
		if (largest != null && key.compareTo(largest) <= 0) {
			throw new IllegalArgumentException(
					"key %s is not above %s, added before".formatted(LoggedKey.of(key), LoggedKey.of(largest)));
		}
		int size = EntryCodec.size(entry);
		if (size > MAX_ENTRY_SIZE_BYTES) {
			throw new IllegalArgumentException(
					"an entry of %d bytes, a table takes %d".formatted(size, MAX_ENTRY_SIZE_BYTES));
		}
		if (this.sink.sizeBytes() > MAX_PAGES_SIZE_BYTES) {
			throw new IllegalArgumentException(
					"the table %s is full: %d bytes".formatted(this.file, this.sink.sizeBytes()));
		}
	}

	/**
	 * The contents so far of a table that is being written, of which its summary is made.
	 */
	private static final class TableContents {

		private final Map<Long, Long> valueBytes = new HashMap<>();

		private long entries;

		private long tombstones;

		private long expiring;

		private long earliestExpiryMillis = Versioned.NEVER;

		private long highestSequence;

		private @Nullable Key smallest;

		private @Nullable Key largest;

		private @Nullable Timestamp oldest;

		private @Nullable Timestamp newest;

		void add(Key key, StoredEntry entry) {
			this.entries++;
			this.smallest = (this.smallest != null) ? this.smallest : key;
			this.largest = key;
			this.highestSequence = Math.max(this.highestSequence, entry.sequence());
			addTimestamp(entry.timestamp());
			if (entry.isTombstone()) {
				this.tombstones++;
			}
			if (entry.expiryMillis() != Versioned.NEVER) {
				this.expiring++;
				this.earliestExpiryMillis = Math.min(this.earliestExpiryMillis, entry.expiryMillis());
			}
			if (entry.payload() instanceof Reference reference) {
				this.valueBytes.merge(reference.file(), (long) reference.length(), Long::sum);
			}
		}

		long entries() {
			return this.entries;
		}

		@Nullable Key largest() {
			return this.largest;
		}

		/**
		 * The summary, without the size of the file.
		 * @throws IllegalStateException when there is no entry
		 */
		TableSummary summary() {
			if (this.smallest == null || this.largest == null || this.oldest == null || this.newest == null) {
				throw new IllegalStateException("a table has at least one entry");
			}
			return new TableSummary(new TableSummary.Counts(this.entries, this.tombstones, this.expiring),
					new TableSummary.Keys(this.smallest, this.largest),
					new TableSummary.Times(this.oldest, this.newest, this.earliestExpiryMillis), this.highestSequence,
					0, this.valueBytes);
		}

		private void addTimestamp(Timestamp timestamp) {
			if (this.oldest == null || this.oldest.isAfter(timestamp)) {
				this.oldest = timestamp;
			}
			if (this.newest == null || timestamp.isAfter(this.newest)) {
				this.newest = timestamp;
			}
		}

	}

}
