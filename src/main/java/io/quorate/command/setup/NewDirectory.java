package io.quorate.command.setup;

import java.io.IOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A new directory with files that only its owner reads.
 *
 * @param directory the directory
 */
record NewDirectory(Path directory) {

	private static final FileAttribute<?> OWNER_ENTERS = PosixFilePermissions
		.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

	private static final FileAttribute<?> OWNER_READS = PosixFilePermissions
		.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

	/** Makes the directory. */
	static NewDirectory create(Path directory) throws IOException {
		return new NewDirectory(Files.createDirectory(directory, OWNER_ENTERS));
	}

	/** Makes a directory in it. */
	NewDirectory create(String name) throws IOException {
		return create(this.directory.resolve(name));
	}

	/** Writes a file that is not there. */
	void write(String name, String text) throws IOException {
		try (Writer to = Channels.newWriter(
				Files.newByteChannel(this.directory.resolve(name),
						Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNER_READS),
				StandardCharsets.UTF_8)) {
			to.write(text);
		}
	}

}
