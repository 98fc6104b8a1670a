package io.quorate.backup;

import io.micrometer.core.instrument.MeterRegistry;

/** Registers gauges for the present backups. */
final class BackupGauges {

	private BackupGauges() {
	}

	static void register(Backups backups, MeterRegistry registry) {
		BackupMeters.AGE.gauge(registry, backups, Backups::ageSeconds);
	}

}
