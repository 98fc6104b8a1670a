package io.quorate.storage;

import java.io.IOException;
import java.util.UUID;

/** The identity of the data in a directory, as distinct from that of the node. */
public interface StoreIdentity {

	/** Random id, given to a directory when it is made, and anew when it is salvaged. */
	UUID storageId();

	/**
	 * Whether the directory is new: made at this start, or at an earlier one after which
	 * it was never {@linkplain #settle() settled}. Data that it does not hold may have
	 * been lost with the directory before it.
	 */
	boolean isNew();

	/**
	 * Records that the directory is not new any more. Waits for the disk. If that fails,
	 * the next start finds the directory new again, which does no harm.
	 */
	void settle();

	/**
	 * Whether a start has salvaged the directory, and no rebuild of the lost data has
	 * begun since.
	 */
	default boolean isRebuildOwed() {
		return false;
	}

	/** Records that the rebuild has begun, or that no replica has the lost data. */
	default void rebuildBegun() throws IOException {
	}

}
