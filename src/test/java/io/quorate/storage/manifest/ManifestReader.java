package io.quorate.storage.manifest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;

/** Looks at a manifest that somebody else has open. */
final class ManifestReader {

	private ManifestReader() {
	}

	/** What the next start would take for live. */
	static LiveFiles read(Path directory) {
		try {
			Path file = directory.resolve(Manifest.FILE_NAME);
			return ManifestLog.read(file, ByteBuffer.wrap(Files.readAllBytes(file))).live();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** What tells its file from any other. */
	static Object key(Path directory) {
		try {
			return Objects.requireNonNull(
					Files.readAttributes(directory.resolve(Manifest.FILE_NAME), BasicFileAttributes.class).fileKey());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
