package io.quorate.storage.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The disk of the system. */
final class SystemDisk implements Disk {

	@Override
	public FileChannel open(Path file, OpenOption... options) throws IOException {
		return FileChannel.open(file, options);
	}

	@Override
	public void move(Path from, Path to) throws IOException {
		Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
	}

	@Override
	public void link(Path name, Path file) throws IOException {
		Files.createLink(name, file);
	}

	@Override
	public void delete(Path path) throws IOException {
		Files.delete(path);
	}

	@Override
	public void makeDirectory(Path directory) throws IOException {
		Files.createDirectory(directory);
	}

}
