package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Path;

import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.sstable.BlockCache;
import io.quorate.storage.sstable.KeyCache;
import io.quorate.storage.sstable.MapDbTableFormat;
import io.quorate.storage.sstable.PageCacheShare;
import io.quorate.storage.sstable.SortedTable;
import io.quorate.storage.sstable.TableBuilder;
import io.quorate.storage.sstable.TableFormat;
import io.quorate.storage.sstable.TableListener;

/** Tables that cannot be written or opened while a fault is set. */
final class FaultyFormat implements TableFormat {

	private TableFormat format = new MapDbTableFormat(PageVerification.FIRST_TOUCH);

	private final BlockCache cache = new BlockCache(1 << 20);

	private volatile Fault fault = Fault.NONE;

	enum Fault {

		NONE, CREATE_FAILS, CREATE_IS_BROKEN, OPEN_FAILS, OPEN_FINDS_DAMAGE, OPEN_IS_BROKEN

	}

	BlockCache cache() {
		return this.cache;
	}

	void set(Fault next) {
		this.fault = next;
	}

	/** From the next start on tells somebody of what happens. */
	FaultyFormat telling(TableListener listener) {
		this.format = new MapDbTableFormat(PageVerification.FIRST_TOUCH, new KeyCache(4096), this.cache, listener);
		return this;
	}

	@Override
	public TableBuilder create(Path file, long expectedEntries, Compression compression, PageCacheShare share)
			throws IOException {
		switch (this.fault) {
			case CREATE_FAILS -> throw new IOException("create fails");
			case CREATE_IS_BROKEN -> throw new IllegalStateException("create is broken");
			case NONE, OPEN_FAILS, OPEN_FINDS_DAMAGE, OPEN_IS_BROKEN -> {
			}
		}
		return this.format.create(file, expectedEntries, compression, share);
	}

	@Override
	public SortedTable open(Path file) throws IOException {
		switch (this.fault) {
			case OPEN_FAILS -> throw new IOException("open fails");
			case OPEN_FINDS_DAMAGE -> throw new StorageCorruptedException(file, 0, "open finds damage", null);
			case OPEN_IS_BROKEN -> throw new IllegalStateException("open is broken");
			case NONE, CREATE_FAILS, CREATE_IS_BROKEN -> {
			}
		}
		return this.format.open(file);
	}

}
