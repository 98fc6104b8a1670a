package io.quorate.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Files that appear at their place whole and fsynced, or not at all.
 * <p>
 * A failed fsync is never tried again on the same file: the kernel may have dropped the
 * pages that it could not write.
 */
public final class DurableFiles {

	/** Suffix of the name of a file that is not complete. */
	public static final String TEMPORARY_SUFFIX = ".tmp";

	/**
	 * Bytes moved by one call: the channel copies through a direct buffer of this size,
	 * which each thread keeps.
	 */
	private static final int IO_BYTES = 128 * 1024;

	private static final long COPY_BYTES = 1024 * 1024;

	private DurableFiles() {
	}

	/** Replaces a file, or makes it; on return it is durable under its name. */
	public static void replace(Path file, ByteBuffer content) throws IOException {
		Path temporary = writeTemporary(file, content);
		publish(temporary, file);
	}

	/**
	 * Writes and fsyncs the content of a file, beside its place. When that fails, nothing
	 * stays.
	 * @return path of the content, for {@link #publish}
	 */
	public static Path writeTemporary(Path file, ByteBuffer content) throws IOException {
		Path temporary = temporary(file);
		try (FileChannel channel = Channels.open(temporary, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
				StandardOpenOption.TRUNCATE_EXISTING)) {
			writeFully(channel, content, 0);
			channel.force(true);
			return temporary;
		}
		catch (IOException ex) {
			DirectoryEntries.deleteIfExists(temporary);
			throw ex;
		}
	}

	/**
	 * Moves a complete file to its place. When it fails, either file may be there after a
	 * crash.
	 */
	public static void publish(Path temporary, Path file) throws IOException {
		DirectoryEntries.move(temporary, file);
		Path directory = file.toAbsolutePath().getParent();
		if (directory != null) {
			forceDirectory(directory);
		}
	}

	/**
	 * Deletes a file, or a directory with all its content, if it exists. Links are
	 * deleted and not followed.
	 */
	public static void deleteTree(Path root) throws IOException {
		if (Files.isDirectory(root, LinkOption.NOFOLLOW_LINKS)) {
			try (Stream<Path> inside = Files.list(root)) {
				for (Path path : inside.toList()) {
					deleteTree(path);
				}
			}
		}
		DirectoryEntries.deleteIfExists(root);
	}

	/** Copies a file to a place where there is none, and fsyncs the copy. */
	public static void copy(Path file, Path copy) throws IOException {
		copy(file, copy, (_) -> {
		});
	}

	/**
	 * Copies a file likewise.
	 * @param copied receives the number of bytes of each part that was copied
	 */
	public static void copy(Path file, Path copy, LongConsumer copied) throws IOException {
		try (FileChannel from = Channels.open(file, StandardOpenOption.READ);
				FileChannel to = Channels.open(copy, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
			long at = 0;
			long moved = 1;
			while (moved > 0) {
				moved = from.transferTo(at, COPY_BYTES, to);
				at += moved;
				copied.accept(moved);
			}
			to.force(true);
		}
	}

	/** The name that a file has until it is complete. */
	public static Path temporary(Path file) {
		return file.resolveSibling(file.getFileName() + TEMPORARY_SUFFIX);
	}

	/** Makes the names in a directory durable. */
	public static void forceDirectory(Path directory) throws IOException {
		try (FileChannel channel = Channels.open(directory, StandardOpenOption.READ)) {
			channel.force(true);
		}
	}

	/** Writes all that remains in the buffer at a position of the file. */
	public static void writeFully(FileChannel channel, ByteBuffer content, long position) throws IOException {
		long at = position;
		int end = content.limit();
		while (content.position() < end) {
			content.limit(Math.min(end, content.position() + IO_BYTES));
			at += channel.write(content, at);
		}
		content.limit(end);
	}

	/**
	 * Reads until the buffer is full or the file ends.
	 * @return number of bytes read
	 */
	public static int readFully(FileChannel channel, ByteBuffer content, long position) throws IOException {
		int start = content.position();
		int end = content.limit();
		int read = 0;
		while (content.position() < end && read >= 0) {
			content.limit(Math.min(end, content.position() + IO_BYTES));
			read = channel.read(content, position + content.position() - start);
		}
		content.limit(end);
		return content.position() - start;
	}

}
