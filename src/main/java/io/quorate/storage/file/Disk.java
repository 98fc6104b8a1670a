package io.quorate.storage.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/**
 * The disk as the store changes it: all operations that open files, and that make, move,
 * link and delete names in directories, go through it. A test puts in another one, which
 * fails, or forgets what was not fsynced.
 */
interface Disk {

	/** The disk of the system. */
	Disk SYSTEM = new SystemDisk();

	/** Opens a file, or a directory for its fsync. */
	FileChannel open(Path file, OpenOption... options) throws IOException;

	/** Renames a file or a directory, and replaces the file that has the new name. */
	void move(Path from, Path to) throws IOException;

	/** Creates a hard link to a file. */
	void link(Path name, Path file) throws IOException;

	/** Deletes a file or an empty directory. */
	void delete(Path path) throws IOException;

	/** Creates a directory; nothing may have its name. */
	void makeDirectory(Path directory) throws IOException;

}
