package io.quorate.storage.engine;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.storage.StorageMeters;

/** Registers gauges for the state of a store. */
final class StoreGauges {

	/** Four runs of a level make one of the next: 4096 times a flush is level 6. */
	private static final int HIGHEST_LEVEL = 6;

	private StoreGauges() {
	}

	static void register(StoreState state, MeterRegistry registry) {
		StorageMeters.WRITE_PRESSURE.gauge(registry, state, (store) -> store.writeAdmission().pressure());
		StorageMeters.MEMTABLES_WAITING.gauge(registry, state, StoreState::waitingMemtables);
		StorageMeters.COMPACTION_DEBT.gauge(registry, state, (store) -> store.compactor().debtBytes());
		StorageMeters.VALUE_BYTES.gauge(registry, state, StoreState::liveValueBytes, "live");
		StorageMeters.VALUE_BYTES.gauge(registry, state, StoreState::garbageValueBytes, "garbage");
		StorageMeters.QUARANTINED.gauge(registry, state, (store) -> store.quarantine().tables());
		StorageMeters.SCRUB_AGE.gauge(registry, state, (store) -> store.scrubber().ageMillis() / 1000.0);
		StorageMeters.SCRUB_INTERVAL.gauge(registry, state,
				(store) -> store.properties().scrub().interval().toMillis() / 1000.0);
		StorageMeters.FAILED.gauge(registry, state, (store) -> store.hasFailed() ? 1 : 0);
		StorageMeters.DISK_FREE.gauge(registry, state, (store) -> store.disk().freeBytes());
		StorageMeters.DISK_TOTAL.gauge(registry, state, (store) -> store.disk().totalBytes());
		StorageMeters.COMPACTION_WAITS.gauge(registry, state, (store) -> store.compactor().isWaitingForRoom() ? 1 : 0);
		StorageMeters.DISK_THRESHOLD.gauge(registry, state, (store) -> store.disk().requiredBytes());
		for (int level = 0; level < HIGHEST_LEVEL; level++) {
			registerLevel(state, registry, level, level);
		}
		registerLevel(state, registry, HIGHEST_LEVEL, Integer.MAX_VALUE);
	}

	private static void registerLevel(StoreState state, MeterRegistry registry, int lowest, int highest) {
		String level = Integer.toString(lowest);
		StorageMeters.TABLES.gauge(registry, state, (store) -> store.tables(lowest, highest), level);
		StorageMeters.TABLE_BYTES.gauge(registry, state, (store) -> store.tableBytes(lowest, highest), level);
	}

}
