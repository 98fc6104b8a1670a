package io.quorate.backup;

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** Measures backups. Safe for any number of threads. */
final class BackupMetrics {

	private final MeterRegistry registry;

	private final Timer succeeded;

	private final Timer failed;

	BackupMetrics(MeterRegistry registry) {
		this.registry = registry;
		this.succeeded = BackupMeters.TAKEN.timer(registry, "success");
		this.failed = BackupMeters.TAKEN.timer(registry, "failed");
	}

	void watch(Backups backups) {
		BackupMeters.AGE.gauge(this.registry, backups, Backups::ageSeconds);
		BackupMeters.KEPT.gauge(this.registry, backups, (its) -> its.present().size());
		BackupMeters.SIZE.gauge(this.registry, backups, (its) -> sizeOfNewest(its.present()));
	}

	private static double sizeOfNewest(List<Backup> all) {
		return all.isEmpty() ? 0 : all.getLast().sizeBytes();
	}

	void taken(boolean well, long nanos) {
		(well ? this.succeeded : this.failed).record(nanos, TimeUnit.NANOSECONDS);
	}

}
