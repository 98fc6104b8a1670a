package io.quorate.storage;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * The store refuses to open a directory. The message names the file, the reason, and what
 * the operator can do.
 */
public final class StorageStartException extends StorageException {

	/** A refusal whose message gives the reason and the remedy. */
	public StorageStartException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * A file has a format that this program does not read, mostly that of a newer one.
	 * @param found the version of its format
	 * @param supported the newest version that this program knows
	 */
	public static StorageStartException otherFormat(Path file, long found, long supported) {
		return new StorageStartException(
				"%s has format version %d, this program supports %d: start the program that".formatted(file, found,
						supported) + " wrote it, or restore a backup made by this one. No data was changed.",
				null);
	}

	/**
	 * An acknowledged write is not on the disk any more as it was written.
	 * @param finding the file, the place, and the data at risk; the end of a sentence
	 */
	public static StorageStartException atRisk(String finding, @Nullable Throwable cause) {
		return new StorageStartException(finding
				+ ". Restore the whole directory from a backup, or move it away and start with an empty one, which the"
				+ " other replicas fill. Without both, start once with quorate.storage.recovery=salvage: that takes what"
				+ " verifies, puts aside what does not, and reports the loss. No data was changed.", cause);
	}

}
