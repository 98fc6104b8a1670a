package io.quorate.operations;

import io.quorate.storage.StorageException;
import io.quorate.storage.Store;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Whether the store takes writes. When its log has failed only a restart helps, so this
 * is part of liveness.
 */
@Component("storeHealthIndicator")
final class StoreHealth implements HealthIndicator {

	private final Store store;

	StoreHealth(Store store) {
		this.store = store;
	}

	@Override
	public Health health() {
		StorageException failure = this.store.failure();
		return (failure == null) ? Health.up().build()
				: Health.down().withDetail("failure", String.valueOf(failure.getMessage())).build();
	}

}
