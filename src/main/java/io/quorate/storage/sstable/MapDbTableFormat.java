package io.quorate.storage.sstable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.file.Channels;

/**
 * The file format of tables: pages of MapDB's {@code SortedTableMap}, with checksums,
 * Bloom filter and summary in a footer behind them. Safe for any number of threads.
 * <p>
 * Keys of up to {@value io.quorate.entry.Key#MAX_SIZE_BYTES} bytes and values in place of
 * up to 16 KiB always fit; a table stays below 2 GiB. Its entries may be compressed, a
 * node at a time: a lookup unpacks one node, or finds it in the {@link BlockCache}.
 */
public final class MapDbTableFormat implements TableFormat {

	private static final int DEFAULT_PAGE_SIZE_BYTES = 64 * 1024;

	private static final int DEFAULT_NODE_SIZE_BYTES = 3 * 1024;

	private static final int MIN_PAGE_SIZE_BYTES = 32 * 1024;

	private static final int MAX_PAGE_SIZE_BYTES = 1024 * 1024;

	private static final int MIN_NODE_SIZE_BYTES = 256;

	private static final int MAX_NODE_SIZE_BYTES = 16 * 1024;

	private final int pageSizeBytes;

	private final int nodeSizeBytes;

	private final PageVerification verification;

	private final KeyCache places;

	private final BlockCache cache;

	private final TableListener listener;

	/** A format with pages of 64 KiB, nodes of about 3 KiB, and no caches. */
	public MapDbTableFormat(PageVerification verification) {
		this(verification, KeyCache.NONE, BlockCache.NONE, TableListener.NONE);
	}

	/**
	 * A format with pages of 64 KiB and nodes of about 3 KiB.
	 * @param places cache of the positions of keys, of all tables
	 * @param cache cache of decompressed blocks, of all tables
	 * @param listener notified of events of the tables
	 */
	public MapDbTableFormat(PageVerification verification, KeyCache places, BlockCache cache, TableListener listener) {
		this(DEFAULT_PAGE_SIZE_BYTES, DEFAULT_NODE_SIZE_BYTES, verification, places, cache, listener);
	}

	/**
	 * A format with sizes for new tables; existing tables are read whatever their sizes
	 * are.
	 * @param pageSizeBytes unit of verification, a power of two from 32 KiB to 1 MiB
	 * @param nodeSizeBytes unit that a lookup searches, 256 bytes to 16 KiB; a larger
	 * entry has a node for itself
	 * @param verification when pages are compared with their checksums
	 */
	public MapDbTableFormat(int pageSizeBytes, int nodeSizeBytes, PageVerification verification) {
		this(pageSizeBytes, nodeSizeBytes, verification, KeyCache.NONE, BlockCache.NONE, TableListener.NONE);
	}

	MapDbTableFormat(int pageSizeBytes, int nodeSizeBytes, PageVerification verification, KeyCache places,
			BlockCache cache, TableListener listener) {
		if (Integer.bitCount(pageSizeBytes) != 1 || pageSizeBytes < MIN_PAGE_SIZE_BYTES
				|| pageSizeBytes > MAX_PAGE_SIZE_BYTES) {
			throw new IllegalArgumentException("pages have a power of two from %d to %d bytes, not %d"
				.formatted(MIN_PAGE_SIZE_BYTES, MAX_PAGE_SIZE_BYTES, pageSizeBytes));
		}
		if (nodeSizeBytes < MIN_NODE_SIZE_BYTES || nodeSizeBytes > MAX_NODE_SIZE_BYTES) {
			throw new IllegalArgumentException("nodes have %d to %d bytes, not %d".formatted(MIN_NODE_SIZE_BYTES,
					MAX_NODE_SIZE_BYTES, nodeSizeBytes));
		}
		this.pageSizeBytes = pageSizeBytes;
		this.nodeSizeBytes = nodeSizeBytes;
		this.verification = verification;
		this.places = places;
		this.cache = cache;
		this.listener = listener;
	}

	/**
	 * Makes sure that tables can be compressed this way.
	 * @throws io.quorate.storage.StorageStartException when the library of the
	 * compression does not work on this machine
	 */
	public static void require(Compression compression) {
		BlockCodec.of(compression);
	}

	@Override
	public TableBuilder create(Path file, long expectedEntries, Compression compression, PageCacheShare share)
			throws IOException {
		NodeSink.Sizes sizes = new NodeSink.Sizes(this.pageSizeBytes, this.nodeSizeBytes);
		return new MapDbTableBuilder(file, expectedEntries, sizes, compression, share, this.listener);
	}

	@Override
	public SortedTable open(Path file) throws IOException {
		Arena arena = Arena.ofShared();
		boolean opened = false;
		try (FileChannel channel = Channels.open(file, StandardOpenOption.READ)) {
			TableFooter footer = TableFooter.read(channel, file, arena);
			MemorySegment pages = channel.map(FileChannel.MapMode.READ_ONLY, 0, footer.pages().sizeBytes(), arena);
			MappedVolume volume = new MappedVolume(file, pages, arena, footer.pages(), this.verification);
			SortedTable table = MapDbTable.open(footer, volume, this.places, this.cache, this.listener);
			opened = true;
			return table;
		}
		catch (StorageCorruptedException damage) {
			this.listener.damaged(damage);
			throw damage;
		}
		finally {
			if (!opened) {
				arena.close();
			}
		}
	}

}
