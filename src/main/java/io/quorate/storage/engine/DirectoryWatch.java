package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.quorate.storage.manifest.Manifest;
import org.jspecify.annotations.Nullable;

/**
 * The directories of an open store, as they are on the disk. While the files are open,
 * writes to them succeed though no name leads to them any more: the next start would not
 * find them. Needs no file descriptor; any number of threads.
 */
final class DirectoryWatch {

	private final Path directory;

	/* A file system that gives none cannot show that a directory was replaced. */
	private final Map<Path, @Nullable Object> identities = new LinkedHashMap<>();

	/** Watches the directory of a store, which has all its parts. */
	DirectoryWatch(Path directory) throws IOException {
		this.directory = directory;
		for (String part : new String[] { "", "wal", "tables", "values" }) {
			Path path = directory.resolve(part);
			this.identities.put(path, identity(path));
		}
	}

	private static @Nullable Object identity(Path path) throws IOException {
		return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
	}

	Path directory() {
		return this.directory;
	}

	/**
	 * The directory or file that is not there any more, in words, or {@code null}. What
	 * cannot be looked at now counts as there.
	 */
	@Nullable String missing() {
		for (Map.Entry<Path, @Nullable Object> each : this.identities.entrySet()) {
			Object now = present(each.getKey());
			if (now == Absent.IT) {
				return each.getKey() + " is gone";
			}
			if (now != Absent.UNKNOWN && !Objects.equals(now, each.getValue())) {
				return "another directory is in the place of " + each.getKey();
			}
		}
		Path manifest = this.directory.resolve(Manifest.FILE_NAME);
		return (present(manifest) == Absent.IT) ? manifest + " is gone" : null;
	}

	/** The answer of the disk where it gives no identity. */
	private enum Absent {

		IT, UNKNOWN

	}

	private static @Nullable Object present(Path path) {
		try {
			return identity(path);
		}
		catch (NoSuchFileException | NotDirectoryException gone) {
			return Absent.IT;
		}
		catch (IOException unreadable) {
			return Absent.UNKNOWN;
		}
	}

}
