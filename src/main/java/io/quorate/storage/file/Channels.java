package io.quorate.storage.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Opens every file that the store reads or writes: with {@link DirectoryEntries} the one
 * place where a test can put a disk that fails.
 */
public final class Channels {

	/* The JDK reports the errors ENOSPC and EDQUOT only by their text. */
	private static final List<String> FULL = List.of("No space left on device", "Disk quota exceeded");

	private static volatile Disk disk = Disk.SYSTEM;

	private Channels() {
	}

	/** Opens a file as {@link FileChannel#open(Path, OpenOption...)} does. */
	public static FileChannel open(Path file, OpenOption... options) throws IOException {
		return disk.open(file, options);
	}

	/**
	 * Whether a failure, or its cause, reports that the disk, or this process's quota on
	 * it, is full.
	 */
	public static boolean isFull(@Nullable Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			String message = String.valueOf(cause.getMessage());
			if (cause instanceof IOException && FULL.stream().anyMatch(message::contains)) {
				return true;
			}
		}
		return false;
	}

	static Disk disk() {
		return disk;
	}

	/** Uses another disk from now on: for tests. */
	static void use(Disk other) {
		disk = other;
	}

}
