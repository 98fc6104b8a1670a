package io.quorate.storage.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Stores of a size that tests can fill. */
final class TestStores {

	private TestStores() {
	}

	static LsmStore open(Path directory, LongSupplier nowMillis) {
		return StoreOpening.open(properties(directory, Sync.ALWAYS), PurgePolicy.alone(nowMillis));
	}

	static StorageProperties properties(Path directory, Sync sync) {
		return properties(directory, sync, Duration.ofMillis(10));
	}

	static StorageProperties properties(Path directory, Sync sync, Duration syncInterval) {
		return properties(directory, sync, syncInterval, Compression.LZ4);
	}

	static StorageProperties properties(Path directory, Sync sync, Compression compression) {
		return properties(directory, sync, Duration.ofMillis(10), compression);
	}

	private static StorageProperties properties(Path directory, Sync sync, Duration syncInterval,
			Compression compression) {
		return new StorageProperties(directory, DataSize.ofMegabytes(16), DataSize.ofKilobytes(16),
				DataSize.ofKilobytes(256), 2, 24, DataSize.ofMegabytes(1), DataSize.ofMegabytes(1),
				DataSize.ofMegabytes(64), 2, 1024, PageVerification.FIRST_TOUCH, compression, DataSize.ofMegabytes(1),
				DataSize.ofKilobytes(64), 1,
				new StorageProperties.Wal(sync, syncInterval, Duration.ZERO, DataSize.ofKilobytes(512), 4096,
						Duration.ofMillis(20)),
				new StorageProperties.Compaction(1, DataSize.ofMegabytes(64)), StorageProperties.Recovery.STRICT,
				new StorageProperties.Scrub(Duration.ZERO, DataSize.ofGigabytes(1)));
	}

	/** With tables and caches so small that a model meets each of their bounds. */
	static StorageProperties random(Path directory, Sync sync, Compression compression, Random random) {
		StorageProperties of = properties(directory, sync, compression);
		return new StorageProperties(directory, of.maxValueSize(), of.inlineValueSize(), of.memtableSize(),
				of.maxMemtables(), of.maxLevelZeroTables(), DataSize.ofKilobytes(256), of.valueFileSize(),
				DataSize.ofBytes(1), of.readThreads(), 4096, of.verifyPages(), compression,
				DataSize.ofKilobytes(random.nextInt(3) * 100L), DataSize.ofKilobytes(random.nextInt(5)),
				of.backgroundShare(), of.wal(), of.compaction(), of.recovery(), of.scrub());
	}

	/** With the same properties, and something done about damage. */
	static StorageProperties salvaging(Path directory) {
		StorageProperties of = properties(directory, Sync.ALWAYS);
		return new StorageProperties(directory, of.maxValueSize(), of.inlineValueSize(), of.memtableSize(),
				of.maxMemtables(), of.maxLevelZeroTables(), of.tableSize(), of.valueFileSize(), of.minFreeSpace(),
				of.readThreads(), of.readQueue(), of.verifyPages(), of.compression(), of.blockCache(), of.keyCache(),
				of.backgroundShare(), of.wal(), of.compaction(), StorageProperties.Recovery.SALVAGE, of.scrub());
	}

	/** With so many merges at once, into tables of a size. */
	static StorageProperties withMerges(Path directory, int threads, DataSize tableSize) {
		StorageProperties of = properties(directory, Sync.ALWAYS);
		return new StorageProperties(directory, of.maxValueSize(), of.inlineValueSize(), of.memtableSize(),
				of.maxMemtables(), of.maxLevelZeroTables(), tableSize, of.valueFileSize(), of.minFreeSpace(),
				of.readThreads(), of.readQueue(), of.verifyPages(), of.compression(), of.blockCache(), of.keyCache(),
				of.backgroundShare(), of.wal(), new StorageProperties.Compaction(threads, of.compaction().maxRate()),
				of.recovery(), of.scrub());
	}

	/**
	 * Writes an entry, after a flush if the store refuses it because flushes are behind:
	 * on a busy machine a test writes faster.
	 */
	static ApplyResult applyWithRoom(LsmStore store, Key key, Entry entry) {
		try {
			return await(store.apply(key, entry, Runnable::run));
		}
		catch (StorageOverloadedException behind) {
			await(store.flush());
			return applyWithRoom(store, key, entry);
		}
	}

	static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
		try {
			return future.get(1, TimeUnit.MINUTES);
		}
		catch (ExecutionException failure) {
			if (failure.getCause() instanceof RuntimeException cause) {
				throw cause;
			}
			throw new AssertionError(failure);
		}
		catch (InterruptedException | TimeoutException failure) {
			throw new AssertionError(failure);
		}
	}

}
