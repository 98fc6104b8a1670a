package io.quorate.storage;

import io.quorate.meter.Buckets;
import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

/** The meters of the store. */
public enum StorageMeters implements DocumentedMeter {

	/** Fsyncs of the log. */
	LOG_FORCE(MeterDeclaration.timer("quorate.storage.wal.force",
			"One fsync of the log, or of the large values that its records refer to")),

	/** Slowdown of the log. */
	WRITE_PRESSURE(MeterDeclaration.gauge("quorate.storage.write.pressure",
			"Pressure of waiting memtables, tables of level 0 and due compactions: from 0, where the log begins to be slowed down, to 1, where writes are refused")),

	/** Growth of the log. */
	LOG_BYTES(MeterDeclaration.counter("quorate.storage.wal", "Bytes appended to the log").in(MeterDeclaration.BYTES)),

	/** Writes that were refused or failed, each counted once. */
	WRITE_REFUSED(MeterDeclaration.counter("quorate.storage.write.refused",
			"Writes that the store refused or failed to write", "reason")),

	/** Memtables that are not flushed yet. */
	MEMTABLES_WAITING(MeterDeclaration.gauge("quorate.storage.memtables.waiting",
			"Memtables that wait for their flush, that under way included")),

	/** Flushes. */
	FLUSH(MeterDeclaration.timer("quorate.storage.flush", "One flush of a memtable to a table", "outcome")),

	/** Compactions. */
	COMPACTION(MeterDeclaration.timer("quorate.storage.compaction", "One merge of tables", "outcome")),

	/** Bytes that compactions have read and written. */
	COMPACTED_BYTES(MeterDeclaration.counter("quorate.storage.compacted",
			"Bytes of the tables, and of the large values moved, that compactions have read and written", "direction")
		.in(MeterDeclaration.BYTES)),

	/** Backlog of compactions. */
	COMPACTION_DEBT(MeterDeclaration
		.gauge("quorate.storage.compaction.debt",
				"Bytes of tables that the compactions which are due, and not under way, would read")
		.in(MeterDeclaration.BYTES)),

	/** Number of tables. */
	TABLES(MeterDeclaration.gauge("quorate.storage.tables", "Live tables; the highest level stands for those above",
			"level")),

	/** Size of tables. */
	TABLE_BYTES(MeterDeclaration
		.gauge("quorate.storage.table", "Bytes of live tables; the highest level stands for those above", "level")
		.in(MeterDeclaration.BYTES)),

	/** Size of value files. */
	VALUE_BYTES(MeterDeclaration
		.gauge("quorate.storage.values", "Bytes of value files: live, or referred to by nothing any more", "state")
		.in(MeterDeclaration.BYTES)),

	/** Reads of one key. */
	READ(MeterDeclaration.timer("quorate.storage.read",
			"One read of a key that was answered: from memory alone, or with a hop to tables or a value file",
			"source")),

	/** Read amplification. */
	READ_TABLES(MeterDeclaration.summary("quorate.storage.read.tables",
			"Tables probed by a read of a key, of reads that have probed any", Buckets.FEW)),

	/** Waits for a reader thread. */
	READ_WAIT(MeterDeclaration.timer("quorate.storage.read.wait",
			"From asking for a read or a page until a reader thread begins it")),

	/** Lookups in the caches of keys and of blocks. */
	CACHE(MeterDeclaration.counter("quorate.storage.cache",
			"Keys that reads have looked up in tables, and compressed blocks that they asked for: in the cache, or not",
			"of", "outcome")),

	/** Damage that was found. */
	CHECKSUM_FAILURES(MeterDeclaration.counter("quorate.storage.checksum.failures",
			"Pages and footers of tables and large values that were read and are not what was written")),

	/** Tables in quarantine. */
	QUARANTINED(MeterDeclaration.gauge("quorate.storage.quarantined",
			"Live tables that are damaged: reads of keys that they may hold fail until the node is rebuilt")),

	/** Time since the last complete scrub. */
	SCRUB_AGE(MeterDeclaration
		.gauge("quorate.storage.scrub.age",
				"Seconds since everything on the disk was read the last time, or since it could be")
		.in(MeterDeclaration.SECONDS)),

	/** Configured time between scrubs. */
	SCRUB_INTERVAL(MeterDeclaration
		.gauge("quorate.storage.scrub.interval", "Seconds after which everything is read again, 0 for never")
		.in(MeterDeclaration.SECONDS)),

	/** Promises. */
	PROMISES(MeterDeclaration.gauge("quorate.promises", "Keys with a promise")),

	/** Age of a promise. */
	PROMISE_AGE(MeterDeclaration.gauge("quorate.promise.oldest", "Age of the oldest promise, since the start at most")
		.in(MeterDeclaration.SECONDS)),

	/** Whether the log has failed. */
	FAILED(MeterDeclaration.gauge("quorate.storage.failed",
			"1 when the log has failed and takes no writes until a restart, else 0")),

	/** Free space. */
	DISK_FREE(MeterDeclaration.gauge("quorate.storage.disk.free", "Bytes that are free on the disk of the data")
		.in(MeterDeclaration.BYTES)),

	/** Size of the disk. */
	DISK_TOTAL(MeterDeclaration.gauge("quorate.storage.disk.total", "Size of the disk of the data")
		.in(MeterDeclaration.BYTES)),

	/** Whether a compaction lacks room on the disk. */
	COMPACTION_WAITS(MeterDeclaration.gauge("quorate.storage.compaction.waiting",
			"1 when a due compaction finds no room on the disk, not even in pieces, else 0")),

	/** Bound on free space. */
	DISK_THRESHOLD(MeterDeclaration
		.gauge("quorate.storage.disk.threshold", "Bytes of free space below which writes are refused")
		.in(MeterDeclaration.BYTES));

	@SuppressWarnings("ImmutableEnumChecker") // Its lists cannot be modified.
	private final MeterDeclaration declaration;

	StorageMeters(MeterDeclaration declaration) {
		this.declaration = declaration;
	}

	@Override
	public MeterDeclaration declaration() {
		return this.declaration;
	}

}
