package io.quorate.bench;

import java.nio.file.Path;

import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.engine.LsmStore;

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
		MapConfigurationPropertySource source = new MapConfigurationPropertySource();
		source.put("quorate.storage.directory", directory.toString());
		source.put("quorate.storage.wal.sync", sync.name());
		source.put("quorate.storage.compression", "none");
		StorageProperties properties = new Binder(source).bindOrCreate("quorate.storage", StorageProperties.class);
		return LsmStore.open(properties, PurgePolicy.alone(() -> 0));
	}

}
