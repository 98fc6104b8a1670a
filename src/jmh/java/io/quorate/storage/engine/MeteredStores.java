package io.quorate.storage.engine;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.directory.FutureStamps;

/** Opens stores that are asked afterwards what they have done. */
public final class MeteredStores {

	private MeteredStores() {
	}

	/** A store whose meters are in {@code registry}. */
	public static LsmStore open(StorageProperties properties, PurgePolicy purge, MeterRegistry registry) {
		return StoreOpening.open(properties, purge, FutureStamps.KEPT, registry, () -> {
			throw new IllegalStateException("no store of a measurement is salvaged");
		});
	}

}
