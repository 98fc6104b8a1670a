package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Path;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ScratchStores;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.Store;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.file.DurableFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stores of warm-ups, in directories within the directory of the node, which this
 * process has locked.
 *
 * @param properties those of the node's own store
 */
record SmallStores(StorageProperties properties) implements ScratchStores {

	private static final Logger log = LoggerFactory.getLogger(SmallStores.class);

	@Override
	public ScratchStore open(String name, MeterRegistry meters) {
		Path directory = this.properties.directory().resolve(name);
		try {
			DurableFiles.deleteTree(directory);
		}
		catch (IOException failure) {
			throw new StorageStartException("%s cannot be deleted: %s".formatted(directory, failure), failure);
		}
		// It holds nothing that is older than the process: every tombstone may go.
		Store store = StoreOpening.open(this.properties.small(directory), PurgePolicy.alone(() -> 0), FutureStamps.KEPT,
				meters, () -> {
				});
		return new Deleted(store, directory);
	}

	/**
	 * A store whose directory is deleted when it is closed.
	 *
	 * @param store the store
	 */
	private record Deleted(Store store, Path directory) implements ScratchStore {

		@Override
		public void close() {
			this.store.close();
			try {
				DurableFiles.deleteTree(this.directory);
			}
			catch (IOException failure) {
				log.warn("{} cannot be deleted, which the next start tries again: {}", this.directory,
						failure.toString());
			}
		}

	}

}
