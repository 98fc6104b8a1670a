package io.quorate.storage;

import java.nio.file.Path;
import java.time.Duration;

import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.ConstructorBinding;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * The configuration of a node's store.
 *
 * @param directory directory of all data; made when it is not there
 * @param maxValueSize largest value that is taken, at most 16 MiB
 * @param inlineValueSize values above this are kept in value files, apart from log and
 * tables; at most 16 KiB
 * @param memtableSize memory that a memtable may take before it is flushed to a table
 * @param maxMemtables memtables that may wait for their flush; when they do and the
 * active one is full, writes are refused with 503
 * @param maxLevelZeroTables flushed tables that may wait for compaction; when they do,
 * writes are refused with 503
 * @param tableSize size at which compaction begins the next table of a run
 * @param valueFileSize size at which the next value file is begun; a memtable is flushed,
 * too, when the large values that were written to it come to as much
 * @param minFreeSpace free space on the disk below which writes are refused with 507, if
 * that is less than a tenth of the disk
 * @param readThreads threads that read from tables and value files the pages that are not
 * known to be in memory; pages of ranges have half as many threads of their own
 * @param readQueue reads that may wait for one of these threads, and a sixteenth as many
 * pages of ranges for theirs; beyond it reads are refused with 503; a read whose deadline
 * passes meanwhile is dropped
 * @param verifyPages when a page of a table is compared with its checksum:
 * {@code first-touch} when it is first read after the table was opened,
 * {@code every-read} whenever a read enters it, which costs most of the read rate
 * @param compression compression of new tables, a block of some KiB at a time:
 * {@code lz4}, {@code zstd}, {@code none}; existing tables stay as they are until they
 * are merged
 * @param blockCache heap for blocks that were decompressed for reads of single keys; 0 to
 * keep none
 * @param keyCache heap for the places in tables at which reads have found keys, 8 bytes
 * each, taken at the start and rounded down to a power of two, a quarter of the heap at
 * most; 0 to keep none
 * @param backgroundShare part of the time that a flush or a compaction works while no
 * request waits for it; it rests in between, so that requests find a processor; 1 for no
 * rests
 * @param wal the write-ahead log
 * @param compaction background merging of tables
 * @param recovery reaction of a start to damage: {@code strict} refuses, {@code salvage}
 * takes what verifies and puts aside what does not; for one start only
 * @param scrub background reading of all files on the disk
 */
@Validated
@ConfigurationProperties("quorate.storage")
public record StorageProperties(@NotNull Path directory, DataSize maxValueSize, DataSize inlineValueSize,
		DataSize memtableSize, int maxMemtables, int maxLevelZeroTables, DataSize tableSize, DataSize valueFileSize,
		DataSize minFreeSpace, int readThreads, int readQueue, PageVerification verifyPages, Compression compression,
		DataSize blockCache, DataSize keyCache, @DecimalMin("0.01") @DecimalMax("1") double backgroundShare,
		@Valid Wal wal, @Valid Compaction compaction, Recovery recovery, @Valid Scrub scrub) {

	private static final DataSize INLINE_VALUE_SIZE = DataSize.ofKilobytes(16);

	private static final int MAX_MEMTABLES = 2;

	private static final int MAX_LEVEL_ZERO_TABLES = 24;

	private static final int READ_THREADS = 4;

	private static final int READ_QUEUE = 4096;

	private static final DataSize BLOCK_CACHE = DataSize.ofMegabytes(16);

	/* Of a memtable. */
	private static final int TABLE_SIZES = 4;

	private static final int VALUE_FILE_SIZES = 8;

	private static final DataSize LEAST_FILE = DataSize.ofKilobytes(256);

	private static final DataSize LARGEST_FILE = DataSize.ofMegabytes(1024);

	private static final int LARGEST_SHARE_OF_HEAP = 4;

	public StorageProperties {
		requireBetween("quorate.storage.max-value-size", maxValueSize, DataSize.ofBytes(1), DataSize.ofMegabytes(16));
		requireBetween("quorate.storage.memtable-size", memtableSize, DataSize.ofKilobytes(64),
				DataSize.ofMegabytes(1024));
		requireBetween("quorate.storage.key-cache", keyCache, DataSize.ofBytes(0),
				DataSize.ofBytes(Runtime.getRuntime().maxMemory() / LARGEST_SHARE_OF_HEAP));
	}

	/**
	 * A store of the properties that can be set. The others are fixed, and sizes of files
	 * follow from that of a memtable.
	 */
	@ConstructorBinding
	public StorageProperties(@DefaultValue("./data") Path directory, @DefaultValue("16MB") DataSize maxValueSize,
			@DefaultValue("32MB") DataSize memtableSize, @DefaultValue("1GB") DataSize minFreeSpace,
			@DefaultValue("lz4") Compression compression, @DefaultValue("8MB") DataSize keyCache,
			@DefaultValue("0.25") double backgroundShare, @DefaultValue Wal wal, @DefaultValue Compaction compaction,
			@DefaultValue("strict") Recovery recovery, @DefaultValue Scrub scrub) {
		this(directory, maxValueSize, INLINE_VALUE_SIZE, memtableSize, MAX_MEMTABLES, MAX_LEVEL_ZERO_TABLES,
				between(LEAST_FILE, memtableSize.toBytes() * TABLE_SIZES),
				between(DataSize.ofMegabytes(1), memtableSize.toBytes() * VALUE_FILE_SIZES), minFreeSpace, READ_THREADS,
				READ_QUEUE, PageVerification.FIRST_TOUCH, compression, BLOCK_CACHE, keyCache, backgroundShare,
				wal.ofSegments(between(LEAST_FILE, memtableSize.toBytes())), compaction, recovery, scrub);
	}

	private static DataSize between(DataSize least, long bytes) {
		return DataSize.ofBytes(Math.clamp(bytes, least.toBytes(), LARGEST_FILE.toBytes()));
	}

	private static void requireBetween(String name, DataSize value, DataSize least, DataSize most) {
		if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
			throw new IllegalArgumentException("%s must be between %d and %d bytes, not %d".formatted(name,
					least.toBytes(), most.toBytes(), value.toBytes()));
		}
	}

	/** The reaction of a start to damage. */
	public enum Recovery {

		/** The start is refused. */
		STRICT,

		/** The start takes what verifies, once. */
		SALVAGE

	}

	/** The moment at which an acknowledged write is on the disk. */
	public enum Sync {

		/** Before it is acknowledged. */
		ALWAYS,

		/** At most 10 ms later. */
		INTERVAL,

		/** At a time that the operating system chooses. */
		NEVER

	}

	/**
	 * The write-ahead log.
	 *
	 * @param sync when an acknowledged write is on the disk: {@code always} before it is
	 * acknowledged, {@code interval} at most 10 ms later, {@code never} when the
	 * operating system writes it. Whatever it is, the end of the process loses nothing.
	 * @param syncInterval time between two fsyncs with {@code sync=interval}
	 * @param gather group-commit window for {@code sync=always}: least time between the
	 * starts of two fsyncs while several writes come at a time; those that come meanwhile
	 * share the next fsync. A burst of ten fsyncs after idle time does not wait. 0 turns
	 * it off
	 * @param segmentSize size of a segment; three quarters to all of it are used before
	 * the next one is begun, another part each time
	 * @param queue writes that may wait for the log; beyond it writes are refused with
	 * 503
	 * @param maxPause longest pause before a batch while flushes or compactions have to
	 * catch up; it grows with their backlog, from nothing; 0 for none
	 */
	public record Wal(Sync sync, Duration syncInterval, Duration gather, DataSize segmentSize, int queue,
			Duration maxPause) {

		private static final Duration SYNC_INTERVAL = Duration.ofMillis(10);

		private static final Duration GATHER = Duration.ofMillis(2);

		private static final DataSize SEGMENT_SIZE = DataSize.ofMegabytes(32);

		private static final int QUEUE = 16_384;

		private static final Duration MAX_PAUSE = Duration.ofMillis(20);

		/** A log of the property that can be set. */
		@ConstructorBinding
		public Wal(@DefaultValue("always") Sync sync) {
			this(sync, SYNC_INTERVAL, GATHER, SEGMENT_SIZE, QUEUE, MAX_PAUSE);
		}

		private Wal ofSegments(DataSize size) {
			return new Wal(this.sync, this.syncInterval, this.gather, size, this.queue, this.maxPause);
		}

	}

	/**
	 * Background reading of all files on the disk.
	 *
	 * @param interval time between two passes over everything; 0 for none but those that
	 * the operator asks for
	 * @param bytesPerSecond bytes that it may read in a second
	 */
	public record Scrub(@DefaultValue("7d") Duration interval, @DefaultValue("8MB") DataSize bytesPerSecond) {

		public Scrub {
			requireBetween("quorate.storage.scrub.bytes-per-second", bytesPerSecond, DataSize.ofKilobytes(64),
					DataSize.ofGigabytes(16));
			if (interval.isNegative()) {
				throw new IllegalArgumentException(
						"quorate.storage.scrub.interval must be at least 0, not " + interval);
			}
		}

	}

	/**
	 * Background merging of tables.
	 *
	 * @param threads merges that may run at once
	 * @param maxRate bytes that all merges together write in a second, while no request
	 * waits for them; more when a backlog builds up; 0 for no limit
	 */
	public record Compaction(@DefaultValue("1") @Min(1) @Max(16) int threads, @DefaultValue("64MB") DataSize maxRate) {

		public Compaction {
			requireBetween("quorate.storage.compaction.max-rate", maxRate, DataSize.ofBytes(0),
					DataSize.ofGigabytes(64));
		}

	}

}
