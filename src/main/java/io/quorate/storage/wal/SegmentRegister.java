package io.quorate.storage.wal;

import java.util.Map;

import io.quorate.storage.StorageException;

/**
 * Records which segments there are, so that a start misses one that is gone. Called by
 * one thread at a time; may wait for the disk.
 */
public interface SegmentRegister {

	/**
	 * The file of a segment is durable under its name, as those of all before it are that
	 * were not given back. Returns when that is recorded durably: from then on it may be
	 * written.
	 * @throws StorageException when it could not be recorded
	 */
	void made(long number);

	/**
	 * Segments are on the disk up to these lengths at least.
	 * @param lengths by number
	 * @throws StorageException when it could not be recorded
	 */
	void forced(Map<Long, Long> lengths);

}
