package io.quorate.storage.file;

/** Limits the rate of reads from the disk. */
@FunctionalInterface
public interface ReadPace {

	/** No limit. */
	ReadPace NONE = (_) -> {
	};

	/**
	 * Counts so many bytes as read, and waits until more may be read.
	 * @throws io.quorate.storage.StorageFailedException when no more may be read
	 */
	void took(int bytes);

}
