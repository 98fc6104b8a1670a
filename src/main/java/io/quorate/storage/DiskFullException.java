package io.quorate.storage;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A write was refused because too little is free on the disk; nothing was written. Writes
 * are taken again once there is room.
 */
public final class DiskFullException extends StorageException {

	/** The write of a file failed, and nothing of it stands. */
	public DiskFullException(Path file, IOException cause) {
		super("%s could not be written, and nothing was: %s".formatted(file, cause.getMessage()), cause);
	}

	/** The free space is below what writes require. */
	public DiskFullException(Path directory, long freeBytes, long requiredBytes) {
		super("%d bytes free on the disk of %s, %d required for writes".formatted(freeBytes, directory, requiredBytes),
				null);
	}

}
