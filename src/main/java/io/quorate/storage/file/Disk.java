package io.quorate.storage.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/**
 * A disk as the store changes it: all that opens files, and all that makes, moves, links
 * and deletes names in directories, goes through one. A test puts another one in, which
 * fails, or forgets what was not fsynced.
 */
interface Disk {

	/** That of the system. */
	Disk SYSTEM = new SystemDisk();

	/** Opens a file, or a directory for its fsync. */
	FileChannel open(Path file, OpenOption... options) throws IOException;

	/** Gives a file or a directory another name, in place of what has it. */
	void move(Path from, Path to) throws IOException;

	/** Gives a file a second name (hard link). */
	void link(Path name, Path file) throws IOException;

	/** Deletes a file or an empty directory. */
	void delete(Path path) throws IOException;

	/** Makes a directory where nothing is. */
	void makeDirectory(Path directory) throws IOException;

}
