package io.quorate.storage.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Makes, moves, links and deletes the names of files and directories. None of it is
 * durable before the directory that holds the name is fsynced
 * ({@link DurableFiles#forceDirectory}), unless a method says so.
 */
public final class DirectoryEntries {

	private DirectoryEntries() {
	}

	/** Renames a file or a directory, and replaces the file that has the new name. */
	public static void move(Path from, Path to) throws IOException {
		Channels.disk().move(from, to);
	}

	/** Creates a hard link to a file. */
	public static void link(Path name, Path file) throws IOException {
		Channels.disk().link(name, file);
	}

	/** Deletes a file or an empty directory. */
	public static void delete(Path path) throws IOException {
		Channels.disk().delete(path);
	}

	/** Deletes a file or an empty directory, if it is there. */
	public static boolean deleteIfExists(Path path) throws IOException {
		try {
			delete(path);
			return true;
		}
		catch (NoSuchFileException gone) {
			return false;
		}
	}

	/** Creates a directory; nothing may have its name. */
	public static Path makeDirectory(Path directory) throws IOException {
		Channels.disk().makeDirectory(directory);
		return directory;
	}

	/**
	 * Makes a directory, and those above it, where they are missing. All of them are
	 * durable afterwards: the content of a directory is lost with its name.
	 */
	public static void makeDirectories(Path directory) throws IOException {
		Path parent = directory.toAbsolutePath().getParent();
		if (parent == null) {
			return;
		}
		if (Files.isDirectory(directory)) {
			forceFound(parent);
			return;
		}
		if (!Files.isDirectory(parent)) {
			makeDirectories(parent);
		}
		try {
			makeDirectory(directory);
		}
		catch (FileAlreadyExistsException made) {
			if (!Files.isDirectory(directory)) {
				throw made;
			}
		}
		DurableFiles.forceDirectory(parent);
	}

	/*
	 * The process that made the directory may have ended before this fsync. But the
	 * directory may as well be a mount point in a foreign directory, which this process
	 * may not open.
	 */
	private static void forceFound(Path parent) throws IOException {
		if (Files.isReadable(parent)) {
			DurableFiles.forceDirectory(parent);
		}
	}

}
