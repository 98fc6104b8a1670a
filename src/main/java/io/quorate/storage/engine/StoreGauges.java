package io.quorate.storage.engine;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.storage.StorageMeters;
import io.quorate.storage.sstable.BlockCache;

/** Registers gauges for the state of a store. */
final class StoreGauges {

	/** Four runs of a level make one of the next: 4096 times a flush is level 6. */
	private static final int HIGHEST_LEVEL = 6;

	private StoreGauges() {
	}

	static void register(StoreState state, MeterRegistry registry) {
		StorageMeters.WRITE_PRESSURE.gauge(registry, state, (store) -> store.writeAdmission().pressure());
		StorageMeters.LOG_QUEUE.gauge(registry, state, StoreState::writesWaiting);
		StorageMeters.MEMTABLE_BYTES.gauge(registry, state, StoreState::activeMemtableBytes, "active");
		StorageMeters.MEMTABLE_BYTES.gauge(registry, state, StoreState::waitingMemtableBytes, "waiting");
		StorageMeters.MEMTABLES_WAITING.gauge(registry, state, StoreState::waitingMemtables);
		StorageMeters.COMPACTION_DEBT.gauge(registry, state, (store) -> store.compactor().debtBytes());
		StorageMeters.CLEANUP_BYTES.gauge(registry, state, StoreState::cleanupBytes);
		StorageMeters.COMPACTIONS_RUNNING.gauge(registry, state, (store) -> store.compactor().running());
		StorageMeters.VALUE_BYTES.gauge(registry, state, StoreState::liveValueBytes, "live");
		StorageMeters.VALUE_BYTES.gauge(registry, state, StoreState::garbageValueBytes, "garbage");
		StorageMeters.READ_QUEUE.gauge(registry, state, (store) -> store.reader().queued());
		StorageMeters.QUARANTINED.gauge(registry, state, (store) -> store.quarantine().tables());
		StorageMeters.SCRUB_AGE.gauge(registry, state, (store) -> store.scrubber().ageMillis() / 1000.0);
		StorageMeters.SCRUB_INTERVAL.gauge(registry, state,
				(store) -> store.properties().scrub().interval().toMillis() / 1000.0);
		StorageMeters.FAILED.gauge(registry, state, (store) -> store.hasFailed() ? 1 : 0);
		StorageMeters.DISK_FREE.gauge(registry, state, (store) -> store.disk().freeBytes());
		StorageMeters.DISK_TOTAL.gauge(registry, state, (store) -> store.disk().totalBytes());
		StorageMeters.DISK_RESERVE.gauge(registry, state, (store) -> store.disk().reservedBytes());
		StorageMeters.COMPACTION_WAITS.gauge(registry, state, (store) -> store.compactor().isWaitingForRoom() ? 1 : 0);
		StorageMeters.DISK_THRESHOLD.gauge(registry, state, (store) -> store.disk().requiredBytes());
		StorageMeters.LEVEL_ZERO_LIMIT.gauge(registry, state, (store) -> store.properties().maxLevelZeroTables());
		for (int level = 0; level < HIGHEST_LEVEL; level++) {
			registerLevel(state, registry, level, level);
		}
		registerLevel(state, registry, HIGHEST_LEVEL, Integer.MAX_VALUE);
	}

	/** Registers gauges for the decompressed blocks of a store. */
	static void register(BlockCache cache, MeterRegistry registry) {
		StorageMeters.BLOCK_CACHE_BYTES.gauge(registry, cache, BlockCache::sizeBytes);
		StorageMeters.BLOCK_CACHE_LIMIT.gauge(registry, cache, BlockCache::maxBytes);
	}

	private static void registerLevel(StoreState state, MeterRegistry registry, int lowest, int highest) {
		String level = Integer.toString(lowest);
		StorageMeters.TABLES.gauge(registry, state, (store) -> store.tables(lowest, highest), level);
		StorageMeters.TABLE_BYTES.gauge(registry, state, (store) -> store.tableBytes(lowest, highest), level);
	}

}
