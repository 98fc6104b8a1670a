package io.quorate.storage;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/** The bytes of a file are not those that were written. */
public final class StorageCorruptedException extends StorageException {

	private final Path file;

	private final long offset;

	/** Damage at an offset of a file; the detail describes it. */
	public StorageCorruptedException(Path file, long offset, String detail, @Nullable Throwable cause) {
		super("%s is damaged at offset %d: %s".formatted(file, offset, detail), cause);
		this.file = file;
		this.offset = offset;
	}

	/** The damaged file. */
	public Path file() {
		return this.file;
	}

	/** Offset in the file at which it was noticed, in bytes. */
	public long offset() {
		return this.offset;
	}

}
