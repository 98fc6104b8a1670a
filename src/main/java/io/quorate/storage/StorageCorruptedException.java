package io.quorate.storage;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/** What is on disk is not what was written. */
public final class StorageCorruptedException extends StorageException {

	private final Path file;

	private final long offset;

	/** Says where the damage is and what is wrong there. */
	public StorageCorruptedException(Path file, long offset, String detail, @Nullable Throwable cause) {
		super("%s is damaged at offset %d: %s".formatted(file, offset, detail), cause);
		this.file = file;
		this.offset = offset;
	}

	/** The damaged file. */
	public Path file() {
		return this.file;
	}

	/** Where in the file the damage was noticed, in bytes. */
	public long offset() {
		return this.offset;
	}

}
