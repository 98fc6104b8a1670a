package io.quorate.backup;

import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;

/** Registers gauges for the present backups. */
final class BackupGauges {

	private BackupGauges() {
	}

	static void register(Backups backups, MeterRegistry registry) {
		BackupMeters.AGE.gauge(registry, backups, Backups::ageSeconds);
		BackupMeters.KEPT.gauge(registry, backups, (its) -> its.present().size());
		BackupMeters.SIZE.gauge(registry, backups, (its) -> sizeOfNewest(its.present()));
	}

	private static double sizeOfNewest(List<Backup> all) {
		return all.isEmpty() ? 0 : all.getLast().sizeBytes();
	}

}
