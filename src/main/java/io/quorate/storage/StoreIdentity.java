package io.quorate.storage;

import java.io.IOException;
import java.util.UUID;

/** Identity of the data in a directory, as distinct from the node's. */
public interface StoreIdentity {

	/** Random, given to a directory when it is made, and anew when it is salvaged. */
	UUID storageId();

	/**
	 * Whether the directory is new: made at this start, or at an earlier one after which
	 * it was never {@linkplain #settle() settled}. What it does not hold may have been
	 * lost with the directory before it.
	 */
	boolean isNew();

	/**
	 * Records that the directory is new no more. Waits for the disk. If that fails, the
	 * next start finds the directory new again, which does no harm.
	 */
	void settle();

	/**
	 * Whether a start has salvaged the directory, and no rebuild of what was lost has
	 * begun since.
	 */
	default boolean isRebuildOwed() {
		return false;
	}

	/** Records that the rebuild is begun, or that nobody has what was lost. */
	default void rebuildBegun() throws IOException {
	}

}
