package io.quorate.bench;

import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.quorate.bench.CompactionProfiler.Merged;
import io.quorate.storage.StorageProperties.Sync;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.HistogramType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;
import org.rocksdb.WriteOptions;

/**
 * RocksDB with its defaults, but for what is made like the other engine: memtable size,
 * Bloom filters of 10 bits, no compression, and a block cache that holds the data set, as
 * the page cache does for the other.
 */
final class RocksEngine implements Engine {

	static {
		RocksDB.loadLibrary();
	}

	private static final long SYNC_INTERVAL_MILLIS = 10;

	private static final long POLL_NANOS = 1_000_000;

	private final BloomFilter bloom = new BloomFilter(10);

	private final LRUCache cache = new LRUCache(512L << 20);

	private final Statistics statistics = new Statistics();

	private final Options options = new Options().setCreateIfMissing(true)
		.setWriteBufferSize(32L << 20)
		.setCompressionType(CompressionType.NO_COMPRESSION)
		.setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(this.bloom).setBlockCache(this.cache));

	private final WriteOptions durable;

	private final WriteOptions lazy = new WriteOptions();

	private final RocksDB db;

	private final @Nullable ScheduledExecutorService syncer;

	RocksEngine(Path directory, Sync sync) throws RocksDBException {
		this(directory, sync, false);
	}

	private RocksEngine(Path directory, Sync sync, boolean counts) throws RocksDBException {
		this.durable = new WriteOptions().setSync(sync == Sync.ALWAYS);
		if (counts) {
			this.options.setStatistics(this.statistics);
		}
		this.db = RocksDB.open(this.options, directory.toString());
		this.syncer = (sync == Sync.INTERVAL) ? startSyncing() : null;
	}

	/** One that nobody syncs, and which counts what it merges. */
	static RocksEngine counting(Path directory) throws RocksDBException {
		return new RocksEngine(directory, Sync.NEVER, true);
	}

	private ScheduledExecutorService startSyncing() {
		ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
		var _ = executor.scheduleWithFixedDelay(this::syncLog, SYNC_INTERVAL_MILLIS, SYNC_INTERVAL_MILLIS,
				TimeUnit.MILLISECONDS);
		return executor;
	}

	@Override
	public Merged merged() {
		return new Merged(this.statistics.getTickerCount(TickerType.COMPACT_WRITE_BYTES),
				this.statistics.getHistogramData(HistogramType.COMPACTION_TIME).getSum() / 1e6);
	}

	private void syncLog() {
		try {
			this.db.syncWal();
		}
		catch (RocksDBException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void put(byte[] key, byte[] value) throws RocksDBException {
		this.db.put(this.durable, key, value);
	}

	@Override
	public void load(byte[] key, byte[] value) throws RocksDBException {
		this.db.put(this.lazy, key, value);
	}

	@Override
	public void settle() throws RocksDBException {
		try (FlushOptions flush = new FlushOptions()) {
			this.db.flush(flush);
		}
		while (isCompacting()) {
			LockSupport.parkNanos(POLL_NANOS);
		}
	}

	private boolean isCompacting() throws RocksDBException {
		return this.db.getLongProperty("rocksdb.compaction-pending") > 0
				|| this.db.getLongProperty("rocksdb.num-running-compactions") > 0;
	}

	@Override
	public int get(byte[] key) throws RocksDBException {
		byte[] value = this.db.get(key);
		return (value != null) ? value.length : -1;
	}

	@Override
	public int scan(byte[] start, int limit) {
		int count = 0;
		try (RocksIterator records = this.db.newIterator()) {
			for (records.seek(start); records.isValid() && count < limit; records.next()) {
				count += (records.key().length + records.value().length > 0) ? 1 : 0;
			}
		}
		return count;
	}

	@Override
	public void close() {
		if (this.syncer != null) {
			this.syncer.close();
		}
		this.db.close();
		this.durable.close();
		this.lazy.close();
		this.options.close();
		this.statistics.close();
		this.cache.close();
		this.bloom.close();
	}

}
