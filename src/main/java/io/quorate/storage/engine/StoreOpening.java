package io.quorate.storage.engine;

import java.io.IOException;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.sstable.BlockCache;
import io.quorate.storage.sstable.KeyCache;
import io.quorate.storage.sstable.MapDbTableFormat;
import io.quorate.storage.sstable.TableFormat;
import io.quorate.storage.sstable.TableListener;

/** Opens stores: recovers a directory and makes the store of what is there. */
public final class StoreOpening {

	private StoreOpening() {
	}

	/**
	 * Opens the store of a directory that this process has locked.
	 * @throws io.quorate.storage.StorageStartException when the store cannot be opened as
	 * it is
	 */
	public static LsmStore open(StorageProperties properties, PurgePolicy purge) {
		BlockCache cache = new BlockCache(properties.blockCache().toBytes());
		return open(properties, purge, new MapDbTableFormat(properties.verifyPages(),
				new KeyCache(properties.keyCache().toBytes()), cache, TableListener.NONE));
	}

	static LsmStore open(StorageProperties properties, PurgePolicy purge, TableFormat format) {
		return open(new Recovery(properties, format).run(), properties, purge);
	}

	/**
	 * As {@link StoreOpening#open(StorageProperties, PurgePolicy)}, but checks for
	 * entries from the future.
	 * @param registry has the store's meters as long as it is open
	 * @param identity of the data, which is renewed if some of it is lost
	 */
	static LsmStore open(StorageProperties properties, PurgePolicy purge, FutureStamps future, MeterRegistry registry,
			Salvage.Identity identity) {
		StoreMetrics metrics = new StoreMetrics(registry);
		BlockCache cache = new BlockCache(properties.blockCache().toBytes());
		TableFormat format = new MapDbTableFormat(properties.verifyPages(),
				new KeyCache(properties.keyCache().toBytes()), cache, metrics);
		Recovery recovery = new Recovery(properties, format, future, metrics::damaged,
				Salvage.of(properties, format, identity));
		try {
			return open(recovery.run(), properties, purge, future, metrics);
		}
		catch (RuntimeException | Error failure) {
			metrics.close();
			throw failure;
		}
	}

	static LsmStore open(Recovered recovered, StorageProperties properties, PurgePolicy purge) {
		return open(recovered, properties, purge, FutureStamps.KEPT, StoreMetrics.none());
	}

	static LsmStore open(Recovered recovered, StorageProperties properties, PurgePolicy purge, FutureStamps future,
			StoreMetrics metrics) {
		return open(recovered, properties, () -> {
			recovered.requireBelievable(future);
			return new LsmStore(recovered, properties, purge, future, metrics,
					DiskSpace.of(properties.directory(), properties.minFreeSpace().toBytes()));
		});
	}

	/** As the methods above, with a disk that a test may replace. */
	static LsmStore open(Recovered recovered, StorageProperties properties, PurgePolicy purge, StoreMetrics metrics,
			Disk disk) {
		return open(recovered, properties,
				() -> new LsmStore(recovered, properties, purge, FutureStamps.KEPT, metrics, disk.watch()));
	}

	private static LsmStore open(Recovered recovered, StorageProperties properties, Opening opening) {
		try {
			return opening.open();
		}
		catch (IOException failure) {
			recovered.close();
			throw new StorageStartException(
					"the store in %s cannot be opened: %s".formatted(properties.directory(), failure), failure);
		}
		catch (RuntimeException | Error failure) {
			recovered.close();
			throw failure;
		}
	}

	/** Opens a store of what was recovered. */
	@FunctionalInterface
	private interface Opening {

		LsmStore open() throws IOException;

	}

	/** Starts watching the disk of a store. */
	@FunctionalInterface
	interface Disk {

		/** Returns the free space of the disk, watched from now on. */
		DiskSpace watch() throws IOException;

	}

}
