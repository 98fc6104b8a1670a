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
	 * Gives the data another storage id; waits for the disk. Promises that were made
	 * under the one before are not those of this directory any more.
	 * @throws IOException when it is not known which of the two is durable
	 */
	default void renew() throws IOException {
		throw new UnsupportedOperationException("no other identity than " + storageId());
	}

	/**
	 * Records that the data is not part of the cluster any more: the next start sets it
	 * aside, and begins with none and another storage id. Waits for the disk.
	 */
	default void abandon() throws IOException {
		throw new UnsupportedOperationException("no other identity than " + storageId());
	}

	/**
	 * Whether the directory was restored from a backup together with those of all other
	 * members, has had this storage id ever since, and has not been
	 * {@linkplain #namedAnew() named anew}.
	 */
	default boolean isRestored() {
		return false;
	}

	/**
	 * Records that the restore of all members is over: the directory is one like others,
	 * with its storage id. Waits for the disk.
	 * @throws IOException when it is not known whether that was recorded
	 */
	default void namedAnew() throws IOException {
		throw new UnsupportedOperationException("nothing is restored");
	}

	/** The {@linkplain FormatLevel format level} of the directory. */
	default int formatLevel() {
		return FormatLevel.NEWEST;
	}

	/**
	 * Raises the format level; waits for the disk. From then on programs that know only
	 * lower levels refuse the directory.
	 * @throws IOException when it is not known whether the level was recorded
	 */
	default void raiseFormatLevel(int level) throws IOException {
		throw new UnsupportedOperationException("no level above " + formatLevel());
	}

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
