package io.quorate.storage.engine;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageMeters;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.sstable.TableListener;
import io.quorate.storage.wal.LogListener;

/**
 * Counts the work of a store, and shows its state. Registers the meters of this package,
 * for one store in a registry, and removes them when it is closed. Safe for any number of
 * threads; nothing here waits.
 */
final class StoreMetrics implements LogListener, TableListener, AutoCloseable {

	private static final String SUCCESS = "success";

	private static final String FAILED = "failed";

	private final MeterRegistry registry;

	private final Timer logForce;

	private final Counter logBytes;

	private final Refused refused;

	private final Timer flush;

	private final Timer flushFailed;

	private final Timer compaction;

	private final Timer compactionFailed;

	private final Counter compactionRead;

	private final Counter compactionWritten;

	private final Timer memoryRead;

	private final Timer tableRead;

	private final DistributionSummary readTables;

	private final Timer readWait;

	private final Counter keysFromCache;

	private final Counter keysSearched;

	private final Counter blocksFromCache;

	private final Counter blocksUnpacked;

	private final Counter checksumFailures;

	StoreMetrics(MeterRegistry registry) {
		this.registry = registry;
		this.logForce = StorageMeters.LOG_FORCE.timer(registry);
		this.logBytes = StorageMeters.LOG_BYTES.counter(registry);
		this.refused = new Refused(registry);
		this.flush = StorageMeters.FLUSH.timer(registry, SUCCESS);
		this.flushFailed = StorageMeters.FLUSH.timer(registry, FAILED);
		this.compaction = StorageMeters.COMPACTION.timer(registry, SUCCESS);
		this.compactionFailed = StorageMeters.COMPACTION.timer(registry, FAILED);
		this.compactionRead = StorageMeters.COMPACTED_BYTES.counter(registry, "read");
		this.compactionWritten = StorageMeters.COMPACTED_BYTES.counter(registry, "written");
		this.memoryRead = StorageMeters.READ.timer(registry, "memory");
		this.tableRead = StorageMeters.READ.timer(registry, "table");
		this.readTables = StorageMeters.READ_TABLES.summary(registry);
		this.readWait = StorageMeters.READ_WAIT.timer(registry);
		this.keysFromCache = StorageMeters.CACHE.counter(registry, "keys", "hit");
		this.keysSearched = StorageMeters.CACHE.counter(registry, "keys", "miss");
		this.blocksFromCache = StorageMeters.CACHE.counter(registry, "blocks", "hit");
		this.blocksUnpacked = StorageMeters.CACHE.counter(registry, "blocks", "miss");
		this.checksumFailures = StorageMeters.CHECKSUM_FAILURES.counter(registry);
	}

	/** Metrics in a registry of their own that is not published. */
	static StoreMetrics none() {
		return new StoreMetrics(new CompositeMeterRegistry());
	}

	/** The registry, for the gauges of other owners. */
	MeterRegistry registry() {
		return this.registry;
	}

	@Override
	public void appended(long sizeBytes) {
		add(this.logBytes, sizeBytes);
	}

	@Override
	public void forced(long nanos) {
		this.logForce.record(nanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void refused(RuntimeException cause) {
		this.refused.by(cause).increment();
	}

	/** Counts a flush of a memtable into a table. */
	void flushed(long nanos) {
		this.flush.record(nanos, TimeUnit.NANOSECONDS);
	}

	void flushFailed(long nanos) {
		this.flushFailed.record(nanos, TimeUnit.NANOSECONDS);
	}

	/** Counts a compaction. */
	void compacted(long nanos, long readBytes, long writtenBytes) {
		this.compaction.record(nanos, TimeUnit.NANOSECONDS);
		add(this.compactionRead, readBytes);
		add(this.compactionWritten, writtenBytes);
	}

	void compactionFailed(long nanos) {
		this.compactionFailed.record(nanos, TimeUnit.NANOSECONDS);
	}

	/** Counts a read that was answered from memory. */
	void answeredFromMemory(long nanos) {
		this.memoryRead.record(nanos, TimeUnit.NANOSECONDS);
	}

	/** Counts a read that was answered from tables. */
	void answeredFromTables(long nanos) {
		this.tableRead.record(nanos, TimeUnit.NANOSECONDS);
	}

	/** Counts a read that a reader thread begins, with its wait. */
	void readBegun(long waitNanos) {
		this.readWait.record(waitNanos, TimeUnit.NANOSECONDS);
	}

	/** Counts the tables that a read has searched. */
	void probed(int tables) {
		this.readTables.record(tables);
	}

	@Override
	public void damaged(StorageCorruptedException damage) {
		this.checksumFailures.increment();
	}

	@Override
	public void keyLocated(boolean fromCache) {
		(fromCache ? this.keysFromCache : this.keysSearched).increment();
	}

	@Override
	public void blockRead(boolean fromCache) {
		(fromCache ? this.blocksFromCache : this.blocksUnpacked).increment();
	}

	private static void add(Counter counter, long amount) {
		counter.increment((double) amount);
	}

	@Override
	public void close() {
		for (StorageMeters meter : StorageMeters.values()) {
			this.registry.find(meter.getName()).meters().forEach(this.registry::remove);
		}
	}

	/** The counters of refused writes, by reason. */
	private static final class Refused {

		private final Counter queue;

		private final Counter slowed;

		private final Counter memtables;

		private final Counter tables;

		private final Counter disk;

		private final Counter failed;

		private Refused(MeterRegistry registry) {
			this.queue = StorageMeters.WRITE_REFUSED.counter(registry, "queue");
			this.slowed = StorageMeters.WRITE_REFUSED.counter(registry, "slowed");
			this.memtables = StorageMeters.WRITE_REFUSED.counter(registry, "memtables");
			this.tables = StorageMeters.WRITE_REFUSED.counter(registry, "tables");
			this.disk = StorageMeters.WRITE_REFUSED.counter(registry, "disk");
			this.failed = StorageMeters.WRITE_REFUSED.counter(registry, FAILED);
		}

		private Counter by(RuntimeException cause) {
			return switch (cause) {
				case DiskFullException _ -> this.disk;
				case StorageOverloadedException overloaded -> switch (overloaded.bound()) {
					case WRITES, PROMISES, LARGE_VALUES, READS, PAGES, VALUE_BYTES -> this.queue;
					case SLOWED -> this.slowed;
					case MEMTABLES -> this.memtables;
					case TABLES -> this.tables;
					// The log waits for the disk.
					case SEGMENTS, SEGMENT_SECONDS -> this.disk;
				};
				default -> this.failed;
			};
		}

	}

}
