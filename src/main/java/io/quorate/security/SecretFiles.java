package io.quorate.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The warning of files with secrets that more users than the node's can read. */
public final class SecretFiles {

	private static final Logger log = LoggerFactory.getLogger(SecretFiles.class);

	private SecretFiles() {
	}

	/**
	 * Warns if every user of this machine can read a file. A file without permissions of
	 * this kind is not judged.
	 * @param content name of its content, such as {@code access file}
	 */
	public static void warnOfReaders(String content, Path file) {
		try {
			if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
				log.warn("The {} {} can be read by every user of this machine; chmod o-r it", content, file);
			}
		}
		catch (IOException | UnsupportedOperationException unknown) {
			// A path that does not exist may be the secret itself, by mistake.
			log.debug("The permissions of a file for the {} are not known: {}", content,
					unknown.getClass().getSimpleName());
		}
	}

}
