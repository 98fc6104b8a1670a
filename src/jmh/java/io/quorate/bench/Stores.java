package io.quorate.bench;

import java.nio.file.Path;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.engine.LsmStore;
import io.quorate.storage.engine.MeteredStores;
import io.quorate.storage.engine.StoreOpening;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** Opens a store the way a node does: the one place here that knows how. */
final class Stores {

	private Stores() {
	}

	/**
	 * A store with a node's defaults, but for the directory and the sync mode, and without
	 * compression, as what it is compared with.
	 */
	static LsmStore open(Path directory, Sync sync) {
		return StoreOpening.open(properties(source(directory, sync)), PurgePolicy.alone(() -> 0));
	}

	/** The same, whose merges neither rest nor have a rate. */
	static LsmStore openUnlimited(Path directory, MeterRegistry registry) {
		MapConfigurationPropertySource source = source(directory, Sync.NEVER);
		source.put("quorate.storage.background-share", "1");
		source.put("quorate.storage.compaction.max-rate", "0B");
		return MeteredStores.open(properties(source), PurgePolicy.alone(() -> 0), registry);
	}

	private static MapConfigurationPropertySource source(Path directory, Sync sync) {
		MapConfigurationPropertySource source = new MapConfigurationPropertySource();
		source.put("quorate.storage.directory", directory.toString());
		source.put("quorate.storage.wal.sync", sync.name());
		source.put("quorate.storage.compression", "none");
		return source;
	}

	private static StorageProperties properties(MapConfigurationPropertySource source) {
		return new Binder(source).bindOrCreate("quorate.storage", StorageProperties.class);
	}

}
