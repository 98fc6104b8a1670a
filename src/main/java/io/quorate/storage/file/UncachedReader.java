package io.quorate.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.quorate.storage.StorageCorruptedException;
import org.jspecify.annotations.Nullable;

/**
 * Reads files past the page cache where the system permits it: it reads the bytes on the
 * disk itself, and displaces no pages that other threads read. Elsewhere it reads through
 * the page cache. Used by one thread.
 */
public final class UncachedReader {

	private static final int CHUNK = 256 * 1024;

	private static final int LARGEST_BLOCK = 64 * 1024;

	/* An enum constant of the JDK that not every JDK has. */
	private static final @Nullable OpenOption DIRECT = direct();

	private final ByteBuffer memory = ByteBuffer.allocateDirect(CHUNK + LARGEST_BLOCK);

	private final ReadPace pace;

	private @Nullable OpenOption direct = DIRECT;

	/* Whether a read has succeeded once; then later ones do, too. */
	private boolean isProven;

	/**
	 * A reader.
	 * @param pace receives the number of bytes after each read from the disk
	 */
	public UncachedReader(ReadPace pace) {
		this.pace = pace;
	}

	/** Receives bytes as they are read. */
	@FunctionalInterface
	public interface Chunks {

		/** The next bytes, valid until the call returns. */
		void next(ByteBuffer bytes);

	}

	/**
	 * Reads a part of a file.
	 * @throws StorageCorruptedException when the file ends before
	 */
	public void read(Path file, long offset, long length, Chunks chunks) throws IOException {
		int block = blockSize(file);
		try (FileChannel channel = open(file, block)) {
			ByteBuffer buffer = this.memory.clear().alignedSlice(block);
			long at = offset;
			long end = offset + length;
			while (at < end) {
				long from = at - at % block;
				int wanted = (int) Math.min(CHUNK, end - from);
				buffer.clear().limit(Math.ceilDiv(wanted, block) * block);
				int read = channel.read(buffer, from);
				if (read <= at - from) {
					throw new StorageCorruptedException(file, at, "the file ends here", null);
				}
				this.pace.took(read);
				int upTo = (int) Math.min(read, end - from);
				chunks.next(buffer.slice((int) (at - from), upTo - (int) (at - from)));
				at = from + upTo;
			}
		}
	}

	private static int blockSize(Path file) throws IOException {
		long block = 0;
		try {
			block = Files.getFileStore(file).getBlockSize();
		}
		catch (UnsupportedOperationException unknown) {
			// The usual size is used.
		}
		return (block > 0 && block <= LARGEST_BLOCK && Long.bitCount(block) == 1) ? (int) block : 4096;
	}

	private static @Nullable OpenOption direct() {
		try {
			Object[] options = Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants();
			for (Object option : options) {
				if (option instanceof OpenOption found && found.toString().equals("DIRECT")) {
					return found;
				}
			}
			return null;
		}
		catch (ClassNotFoundException elsewhere) {
			return null;
		}
	}

	private FileChannel open(Path file, int block) throws IOException {
		OpenOption option = this.direct;
		if (option != null) {
			try {
				FileChannel channel = Channels.open(file, StandardOpenOption.READ, option);
				if (this.isProven || isReadable(channel, block)) {
					this.isProven = true;
					return channel;
				}
				channel.close();
			}
			catch (NoSuchFileException missing) {
				throw missing;
			}
			catch (IOException | UnsupportedOperationException refused) {
				this.direct = null;
			}
		}
		this.direct = null;
		return Channels.open(file, StandardOpenOption.READ);
	}

	/**
	 * Whether a read succeeds: some file systems permit to open a file this way, and not
	 * to read it.
	 */
	private boolean isReadable(FileChannel channel, int block) {
		try {
			channel.read(this.memory.clear().alignedSlice(block).limit(block), 0);
			return true;
		}
		catch (IOException refused) {
			return false;
		}
	}

}
