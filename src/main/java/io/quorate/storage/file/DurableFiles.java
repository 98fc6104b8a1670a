package io.quorate.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Steps on files that are on the disk when they return. */
public final class DurableFiles {

	private DurableFiles() {
	}

	/** Waits until the names in a directory are on the disk. */
	public static void forceDirectory(Path directory) throws IOException {
		try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
			channel.force(true);
		}
	}

	/** Gives a forced file its final name, replacing what had it, durably. */
	public static void moveIntoPlace(Path temporary, Path file) throws IOException {
		Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
		Path directory = file.toAbsolutePath().getParent();
		if (directory != null) {
			forceDirectory(directory);
		}
	}

	/** The name under which a file is written before it is moved into its place. */
	public static Path temporary(Path file) {
		return file.resolveSibling(file.getFileName() + ".tmp");
	}

	/** Writes all of a buffer at an offset, in as many calls as it takes. */
	public static void writeFully(FileChannel channel, ByteBuffer bytes, long offset) throws IOException {
		long at = offset;
		while (bytes.hasRemaining()) {
			at += channel.write(bytes, at);
		}
	}

}
