package io.quorate.storage.file;

/** Holds up who reads a lot. */
@FunctionalInterface
public interface ReadPace {

	/** As fast as the disk can. */
	ReadPace NONE = (_) -> {
	};

	/**
	 * So many bytes were read: waits until more may be.
	 * @throws io.quorate.storage.StorageFailedException when no more is to be read
	 */
	void took(int bytes);

}
