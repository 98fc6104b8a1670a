package io.quorate.operations;

import io.quorate.storage.StorageException;
import io.quorate.storage.Store;
import io.quorate.storage.StoreStatus;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * The health indicator that is up while the log of the store works. When the log has
 * failed, only a restart helps, so this is part of liveness. A full disk is a detail: it
 * heals by itself, and reads go on.
 */
@Component("storeHealthIndicator")
final class StoreHealth implements HealthIndicator {

	private final Store store;

	StoreHealth(Store store) {
		this.store = store;
	}

	boolean isUp() {
		return this.store.failure() == null;
	}

	@Override
	public Health health() {
		StorageException failure = this.store.failure();
		StoreStatus status = this.store.status();
		Health.Builder health = (failure == null) ? Health.up()
				: Health.down()
					.withDetail("reason", "the log has failed: no write is taken until the node is restarted")
					.withDetail("failure", String.valueOf(failure.getMessage()));
		return health.withDetail("log", (failure == null) ? "works" : "failed")
			.withDetail("disk", status.disk().isFull() ? "too full for writes" : "has room")
			.withDetail("diskFreeBytes", status.disk().freeBytes())
			.withDetail("diskRequiredBytes", status.disk().requiredBytes())
			.withDetail("memtablesWaiting", status.waitingMemtables())
			.withDetail("tables", status.tables().all())
			.withDetail("levelZeroTables", status.tables().levelZero())
			.withDetail("quarantinedTables", status.tables().quarantined())
			.build();
	}

}
