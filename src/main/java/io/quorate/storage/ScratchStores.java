package io.quorate.storage;

import io.micrometer.core.instrument.MeterRegistry;

/** Opens small stores beside that of the node, for a warm-up. */
@FunctionalInterface
public interface ScratchStores {

	/**
	 * Opens an empty store, which the caller closes.
	 * @param name name of the directory that it takes within the node's own; what an
	 * earlier process left there is deleted
	 * @param meters registry of its meters
	 * @throws StorageStartException when the disk does not permit it
	 */
	ScratchStore open(String name, MeterRegistry meters);

	/** A store of which nothing stays when it is closed. */
	interface ScratchStore extends AutoCloseable {

		/** The store. */
		Store store();

		/** Closes the store and deletes its directory. */
		@Override
		void close();

	}

}
