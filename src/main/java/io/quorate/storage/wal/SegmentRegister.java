package io.quorate.storage.wal;

import java.util.Map;

import io.quorate.storage.StorageException;

/**
 * Records which segments exist, so that a start notices a missing one. Called by one
 * thread at a time; may wait for the disk.
 */
public interface SegmentRegister {

	/**
	 * Records that the file of a segment is durable under its name, as those of all
	 * earlier segments are that were not released. Returns when the record is durable:
	 * from then on the segment may be written.
	 * @throws StorageException when it could not be recorded
	 */
	void made(long number);

	/**
	 * Records lengths up to which segments are on the disk at least.
	 * @param lengths by number
	 * @throws StorageException when they could not be recorded
	 */
	void forced(Map<Long, Long> lengths);

}
