package io.quorate.storage;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Too little is free on the disk to take writes; nothing was written. It heals by itself.
 */
public final class DiskFullException extends StorageException {

	/** Says what could not be written, and that nothing of it stands. */
	public DiskFullException(Path file, IOException cause) {
		super("%s could not be written, and nothing was: %s".formatted(file, cause.getMessage()), cause);
	}

	/** Says how much is free and how much has to be. */
	public DiskFullException(Path directory, long freeBytes, long requiredBytes) {
		super("%d bytes free on the disk of %s, %d required for writes".formatted(freeBytes, directory, requiredBytes),
				null);
	}

}
