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

	private static final double NANOS_PER_SECOND = 1e9;

	private final MeterRegistry registry;

	private final Timer logForce;

	private final DistributionSummary logBatch;

	private final Timer logWait;

	private final Counter logPause;

	private final Counter logBytes;

	private final Refused refused;

	private final Timer flush;

	private final Timer flushFailed;

	private final Counter flushedBytes;

	private final Timer compaction;

	private final Timer compactionFailed;

	private final Counter flushRest;

	private final Counter compactionRest;

	private final Counter compactionRead;

	private final Counter compactionWritten;

	private final Timer memoryRead;

	private final Timer tableRead;

	private final DistributionSummary readTables;

	private final Timer readWait;

	private final Counter readDropped;

	private final Counter pageDropped;

	private final Counter bloomExcluded;

	private final Counter bloomFound;

	private final Counter bloomFalsePositive;

	private final Counter blockContent;

	private final Counter blockStored;

	private final Counter keysFromCache;

	private final Counter keysSearched;

	private final Counter blocksFromCache;

	private final Counter blocksUnpacked;

	private final Counter checksumFailures;

	private final Counter scrubbedBytes;

	private final Counter scrubDamages;

	StoreMetrics(MeterRegistry registry) {
		this.registry = registry;
		this.logForce = StorageMeters.LOG_FORCE.timer(registry);
		this.logBatch = StorageMeters.LOG_BATCH.summary(registry);
		this.logWait = StorageMeters.LOG_WAIT.timer(registry);
		this.logPause = StorageMeters.LOG_PAUSE.counter(registry);
		this.logBytes = StorageMeters.LOG_BYTES.counter(registry);
		this.refused = new Refused(registry);
		this.flush = StorageMeters.FLUSH.timer(registry, SUCCESS);
		this.flushFailed = StorageMeters.FLUSH.timer(registry, FAILED);
		this.flushedBytes = StorageMeters.FLUSHED_BYTES.counter(registry);
		this.compaction = StorageMeters.COMPACTION.timer(registry, SUCCESS);
		this.compactionFailed = StorageMeters.COMPACTION.timer(registry, FAILED);
		this.flushRest = StorageMeters.BACKGROUND_REST.counter(registry, "flush");
		this.compactionRest = StorageMeters.BACKGROUND_REST.counter(registry, "compaction");
		this.compactionRead = StorageMeters.COMPACTED_BYTES.counter(registry, "read");
		this.compactionWritten = StorageMeters.COMPACTED_BYTES.counter(registry, "written");
		this.memoryRead = StorageMeters.READ.timer(registry, "memory");
		this.tableRead = StorageMeters.READ.timer(registry, "table");
		this.readTables = StorageMeters.READ_TABLES.summary(registry);
		this.readWait = StorageMeters.READ_WAIT.timer(registry);
		this.readDropped = StorageMeters.READ_DROPPED.counter(registry, "read");
		this.pageDropped = StorageMeters.READ_DROPPED.counter(registry, "page");
		this.bloomExcluded = StorageMeters.BLOOM.counter(registry, "excluded");
		this.bloomFound = StorageMeters.BLOOM.counter(registry, "found");
		this.bloomFalsePositive = StorageMeters.BLOOM.counter(registry, "false_positive");
		this.blockContent = StorageMeters.BLOCK_BYTES.counter(registry, "content");
		this.blockStored = StorageMeters.BLOCK_BYTES.counter(registry, "stored");
		this.keysFromCache = StorageMeters.KEY_READS.counter(registry, "cache");
		this.keysSearched = StorageMeters.KEY_READS.counter(registry, "table");
		this.blocksFromCache = StorageMeters.BLOCK_READS.counter(registry, "cache");
		this.blocksUnpacked = StorageMeters.BLOCK_READS.counter(registry, "table");
		this.checksumFailures = StorageMeters.CHECKSUM_FAILURES.counter(registry);
		this.scrubbedBytes = StorageMeters.SCRUBBED_BYTES.counter(registry);
		this.scrubDamages = StorageMeters.SCRUB_DAMAGES.counter(registry);
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
	public void waited(long nanos) {
		this.logWait.record(nanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void paused(long nanos) {
		this.logPause.increment((double) nanos / NANOS_PER_SECOND);
	}

	@Override
	public void appended(int records, long sizeBytes) {
		this.logBatch.record(records);
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
	void flushed(long nanos, long sizeBytes) {
		this.flush.record(nanos, TimeUnit.NANOSECONDS);
		add(this.flushedBytes, sizeBytes);
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

	/** Adds a rest of a flush. */
	void flushRested(long nanos) {
		this.flushRest.increment((double) nanos / NANOS_PER_SECOND);
	}

	/** Adds a rest of a compaction. */
	void compactionRested(long nanos) {
		this.compactionRest.increment((double) nanos / NANOS_PER_SECOND);
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

	/** Counts a read that was dropped because of its deadline when its turn came. */
	void readDropped() {
		this.readDropped.increment();
	}

	/** Counts a page that was dropped because of its deadline when its turn came. */
	void pageDropped() {
		this.pageDropped.increment();
	}

	/** Counts tables that Bloom filters have excluded from a read. */
	void excluded(int tables) {
		this.bloomExcluded.increment(tables);
	}

	/** Counts the tables that a read has searched, and those that had the key. */
	void probed(int tables, int found) {
		this.readTables.record(tables);
		if (found > 0) {
			this.bloomFound.increment(found);
		}
		if (tables > found) {
			this.bloomFalsePositive.increment(tables - found);
		}
	}

	@Override
	public void damaged(StorageCorruptedException damage) {
		this.checksumFailures.increment();
	}

	@Override
	public void written(long contentBytes, long storedBytes) {
		add(this.blockContent, contentBytes);
		add(this.blockStored, storedBytes);
	}

	@Override
	public void keyLocated(boolean fromCache) {
		(fromCache ? this.keysFromCache : this.keysSearched).increment();
	}

	@Override
	public void blockRead(boolean fromCache) {
		(fromCache ? this.blocksFromCache : this.blocksUnpacked).increment();
	}

	/** Counts bytes that the scrub has read. */
	void scrubbed(long sizeBytes) {
		add(this.scrubbedBytes, sizeBytes);
	}

	/** Counts a damage that the scrub has found. */
	void scrubbedDamage() {
		this.scrubDamages.increment();
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
					case WRITES, LARGE_VALUES, READS, PAGES, VALUE_BYTES -> this.queue;
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
