package io.quorate.storage.sstable;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * A cache of decompressed blocks of open tables, on the heap. It holds the blocks that
 * lookups read repeatedly; those read most stay longest. Scans and compactions bypass it.
 * Safe for any number of threads; no thread waits for another, so two threads may unpack
 * the same block.
 */
public final class BlockCache {

	/** Keeps nothing. */
	static final BlockCache NONE = new BlockCache(0);

	/** Heap bytes that a block takes beside its content. */
	private static final int OVERHEAD_BYTES = 192;

	private final @Nullable Cache<Address, ByteBuffer> blocks;

	private final AtomicLong tables = new AtomicLong();

	/**
	 * An empty cache.
	 * @param maxBytes of heap that the blocks may take, zero to keep none
	 */
	public BlockCache(long maxBytes) {
		this.blocks = (maxBytes > 0) ? caching(maxBytes) : null;
	}

	/** Approximate number of heap bytes that the blocks take. */
	long sizeBytes() {
		return (this.blocks != null) ? this.blocks.policy().eviction().orElseThrow().weightedSize().orElseThrow() : 0;
	}

	/** Number of blocks. */
	long blocks() {
		return (this.blocks != null) ? this.blocks.estimatedSize() : 0;
	}

	/**
	 * The blocks of one table, from when it is opened.
	 * @param listener notified of each read of a block, found in the cache or not
	 */
	OfTable open(TableListener listener) {
		return new OfTable(this.blocks, this.tables.incrementAndGet(), listener);
	}

	/* Blocks are evicted on the thread that adds one, so that the bound holds at once. */
	private static Cache<Address, ByteBuffer> caching(long maxBytes) {
		return Caffeine.newBuilder()
			.maximumWeight(maxBytes)
			.weigher((Address _, ByteBuffer block) -> block.capacity() + OVERHEAD_BYTES)
			.executor(Runnable::run)
			.build();
	}

	/** The blocks of one open table. */
	static final class OfTable {

		private final @Nullable Cache<Address, ByteBuffer> blocks;

		private final long table;

		private final TableListener listener;

		private OfTable(@Nullable Cache<Address, ByteBuffer> blocks, long table, TableListener listener) {
			this.blocks = blocks;
			this.table = table;
			this.listener = listener;
		}

		/** Whether the cache keeps any block at all. */
		boolean areKept() {
			return this.blocks != null;
		}

		/** The block at an offset of the table's file, if it is cached. */
		@Nullable ByteBuffer find(int offset) {
			ByteBuffer found = (this.blocks != null) ? this.blocks.getIfPresent(new Address(this.table, offset)) : null;
			this.listener.blockRead(found != null);
			return found;
		}

		/** Keeps a block, which no thread may change any more. */
		void keep(int offset, ByteBuffer block) {
			if (this.blocks != null) {
				this.blocks.put(new Address(this.table, offset), block);
			}
		}

		/**
		 * Drops all blocks of the table; to be called when no thread reads it any more.
		 */
		void drop() {
			if (this.blocks != null) {
				this.blocks.asMap().keySet().removeIf((address) -> address.table() == this.table);
			}
		}

	}

	/**
	 * The location of a block.
	 *
	 * @param table number of the open table, a new one each time that a table is opened
	 * @param offset in the table's file
	 */
	private record Address(long table, int offset) {
	}

}
