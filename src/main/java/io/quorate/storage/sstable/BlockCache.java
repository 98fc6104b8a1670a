package io.quorate.storage.sstable;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of open tables as they were before they were compressed, on the heap: those that
 * lookups ask for again and again, the ones asked for most staying longest. Scans and
 * merges go past it. Safe for any number of threads; nobody waits for another, so that
 * two may unpack the same block.
 */
public final class BlockCache {

	/** Keeps nothing. */
	static final BlockCache NONE = new BlockCache(0);

	/** What a block takes on the heap beside its bytes. */
	private static final int OVERHEAD_BYTES = 192;

	private final long maxBytes;

	private final @Nullable Cache<Address, ByteBuffer> blocks;

	private final AtomicLong tables = new AtomicLong();

	/**
	 * An empty cache.
	 * @param maxBytes of heap that the blocks may take, zero to keep none
	 */
	public BlockCache(long maxBytes) {
		this.maxBytes = maxBytes;
		this.blocks = (maxBytes > 0) ? caching(maxBytes) : null;
	}

	/** About how many bytes of heap the blocks take. */
	public long sizeBytes() {
		return (this.blocks != null) ? this.blocks.policy().eviction().orElseThrow().weightedSize().orElseThrow() : 0;
	}

	/** How many bytes of heap they may take. */
	public long maxBytes() {
		return this.maxBytes;
	}

	/** Number of blocks. */
	long blocks() {
		return (this.blocks != null) ? this.blocks.estimatedSize() : 0;
	}

	/**
	 * The blocks of one table, from when it is opened.
	 * @param listener told which of its blocks were there, and which not
	 */
	OfTable open(TableListener listener) {
		return new OfTable(this.blocks, this.tables.incrementAndGet(), listener);
	}

	/* What has to go goes on the thread that adds, so that the bound holds at once. */
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

		/** Whether any block is kept at all. */
		boolean areKept() {
			return this.blocks != null;
		}

		/** The block at an offset of the table's file, if it is there. */
		@Nullable ByteBuffer find(int offset) {
			ByteBuffer found = (this.blocks != null) ? this.blocks.getIfPresent(new Address(this.table, offset)) : null;
			this.listener.blockRead(found != null);
			return found;
		}

		/** Keeps a block, which nobody changes any more. */
		void keep(int offset, ByteBuffer block) {
			if (this.blocks != null) {
				this.blocks.put(new Address(this.table, offset), block);
			}
		}

		/** Forgets all; to be called when nobody reads the table any more. */
		void drop() {
			if (this.blocks != null) {
				this.blocks.asMap().keySet().removeIf((address) -> address.table() == this.table);
			}
		}

	}

	/**
	 * Where a block lies.
	 *
	 * @param table which open table, another number each time that one is opened
	 * @param offset in its file
	 */
	private record Address(long table, int offset) {
	}

}
