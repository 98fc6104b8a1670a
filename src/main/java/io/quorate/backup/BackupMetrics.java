package io.quorate.backup;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** Measures backups. Safe for any number of threads. */
final class BackupMetrics {

	private final Timer succeeded;

	private final Timer failed;

	BackupMetrics(MeterRegistry registry) {
		this.succeeded = BackupMeters.TAKEN.timer(registry, "success");
		this.failed = BackupMeters.TAKEN.timer(registry, "failed");
	}

	void taken(boolean well, long nanos) {
		(well ? this.succeeded : this.failed).record(nanos, TimeUnit.NANOSECONDS);
	}

}
